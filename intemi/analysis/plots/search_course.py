"""The course of a search: which tests were run in which order, what they were expected to take and took, how good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intemi.analysis.plots.cells import floats, refusing
from intemi.analysis.plots.style import BLUE, GREY, INK, NORMAL, ORANGE, PALE, SMALL, light, named, widest
from intemi.analysis.samples import Floats, column, require
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WHO = "search_course"
ROW = 0.155
"""The height of a row with a name, in inches."""
MAX_NAMED = 120
"""Of more tests the names are left out, and rows are as thin as they must be."""
MAX_HEIGHT = 20.0
SHARE = 0.2
"""The share of the time that is marked."""
LEAST_SECONDS = 1e-4
"""Shorter times are drawn as this."""
FINISHED = "finished"


def search_course(series: Series, *, best: str = "highest") -> Figure:
    """The tests of a search from the first at the top to the last: times at the left, ranks of their quality right.

    A bar is what a test took, a line across it what it was expected to take; a test that was stopped, or failed, is
    hatched and has no rank. Rank 1 is the best quality, equal ones have the same rank, and the best have a diamond. A
    dashed line is where a fifth of all time was spent.

    The series has a row for each attempt, in order, with the labels "candidate", "expected" and "seconds" (both in
    seconds), "quality", and "outcome": "finished", or what else became of it.

    >>> tests = Series({"quality": [0.9, None], "candidate": ["knn", "svm"], "expected": [0.1, 0.2],
    ...                 "seconds": [0.1, 2.0], "outcome": ["finished", "timed out"]})
    >>> [text.get_text() for text in search_course(tests).axes[0].get_yticklabels()]
    ['knn', 'svm (timed out)']
    """
    from intemi.analysis.plots.picture import Picture

    refuse = refusing(WHO)
    if not len(series):
        refuse("nothing was tested")
    if best not in ("highest", "lowest"):
        refuse(f"best must be 'highest' or 'lowest', got {best!r}")
    for label in ("candidate", "outcome"):
        require(series, label, refuse)
    expected, seconds = floats(series, "expected", WHO), floats(series, "seconds", WHO)
    outcomes = [str(each) for each in column(series, "outcome")]
    is_done = np.array([outcome == FINISHED for outcome in outcomes])
    sign = 1.0 if best == "highest" else -1.0
    ranks = dense_ranks(np.where(is_done, sign * floats(series, "quality", WHO), np.nan))
    names = [
        named(each) if outcome == FINISHED else f"{named(each)} ({outcome})"
        for each, outcome in zip(column(series, "candidate"), outcomes, strict=True)
    ]
    has_names = len(names) <= MAX_NAMED
    width = 6.0 + (widest(names, SMALL) if has_names else 0.5)
    figure = Picture(figsize=(width, min(1.2 + ROW * len(names), MAX_HEIGHT)), layout="constrained")
    times, quality = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    _draw_times(times, expected, seconds, is_done)
    _draw_ranks(quality, ranks)
    _draw_fifth(times, seconds)
    if has_names:
        times.set_yticks(range(len(names)), names, fontsize=SMALL, parse_math=False)
    else:
        times.set_ylabel(f"{len(names):,} tests, the first at the top", fontsize=NORMAL, color=INK)
    times.set_ylim(len(names) - 0.4, -0.6)
    figure.legend(loc="outside lower center", ncols=4, fontsize=SMALL + 1, frameon=False)
    return figure


def dense_ranks(qualities: Floats) -> Floats:
    """1 for the highest, 2 for the next lower one, and so on; equal ones are alike, NaN is what has none.

    >>> dense_ranks(np.array([0.9, 0.7, np.nan, 0.9])).tolist()
    [1.0, 2.0, nan, 1.0]
    """
    different = np.unique(qualities[~np.isnan(qualities)].round(12))[::-1]
    places = {value: float(rank) for rank, value in enumerate(different.tolist(), start=1)}
    return np.array([places.get(value, np.nan) for value in qualities.round(12).tolist()])


def _draw_times(axes: Axes, expected: Floats, seconds: Floats, is_done: np.ndarray) -> None:
    light(axes)
    rows = np.arange(len(seconds))
    drawn = np.maximum(np.nan_to_num(seconds), LEAST_SECONDS)
    least = min(drawn.min(), np.nanmin(np.maximum(expected, LEAST_SECONDS), initial=drawn.min())) / 2
    for which, label, look in (
        (is_done, "took", {"color": BLUE}),
        (~is_done, "stopped or failed", {"facecolor": PALE, "edgecolor": GREY, "hatch": "////"}),
    ):
        if which.any():
            axes.barh(rows[which], drawn[which] - least, left=least, height=0.7, linewidth=0.3, label=label, **look)  # type: ignore[arg-type]
    known = ~np.isnan(expected)
    if known.any():
        places = np.maximum(expected[known], LEAST_SECONDS)
        axes.plot(places, rows[known], "|", color=INK, markersize=7, markeredgewidth=1.4, label="expected")[0].set_gid(
            "expected"
        )
    axes.set_xscale("log")
    axes.set_xlim(least, None)
    axes.set_xlabel("CPU seconds", fontsize=NORMAL, color=INK)


def _draw_ranks(axes: Axes, ranks: Floats) -> None:
    light(axes)
    rows = np.arange(len(ranks))
    is_best = ranks == 1
    others = ~is_best & ~np.isnan(ranks)
    axes.hlines(rows[others], 0, ranks[others], color=PALE, linewidth=1)
    axes.plot(ranks[others], rows[others], "o", color=BLUE, markersize=3)
    axes.plot(ranks[is_best], rows[is_best], "D", color=ORANGE, markeredgecolor=INK, markersize=5, label="best")[
        0
    ].set_gid("best")
    axes.set_xlim(0, max(2.0, np.nanmax(ranks, initial=1.0)) * 1.05)
    axes.tick_params(labelleft=False)
    axes.set_xlabel("rank of its quality (1 is best)", fontsize=NORMAL, color=INK)


def _draw_fifth(axes: Axes, seconds: Floats) -> None:
    """A line before the test with which a fifth of the time was spent."""
    spent = np.nancumsum(seconds)
    if spent[-1] > 0:
        row = int(np.searchsorted(spent, SHARE * spent[-1]))
        axes.axhline(row - 0.5, color=INK, linewidth=0.8, linestyle="--", label=f"{SHARE:.0%} of the time")
