"""What each learner reaches on each data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from intemi.analysis.plots.cells import gathered, refusing
from intemi.analysis.plots.style import BLUE, GREY, INK, NORMAL, RED, SMALL, light, named, widest
from intemi.analysis.stamps import stamps_of
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE = 0.21
"""Inches for each learner."""
PANEL = 2.3
"""Inches for the accuracies on a data set."""
ABREAST = 4
"""Data sets in a row."""


def accuracies(
    series: Series, *, of: str = "machine", over: str = "data", best: Literal["highest", "lowest"] | None = "highest"
) -> Figure:
    """The main label of each learner on each data set: its mean, its standard deviation, and every item as a dot.

    A panel for each data set (one panel if the series does not say), a line for each learner. The best mean of a data
    set is a diamond, unless `best` is None. Learners are in the order of the series; one without a single number is
    marked by ×. One that was not fair (labels "Leak", "Oracle", "Unverified") has its stamp beside its name, and
    is never the best.

    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7], "machine": ["knn", "knn", "svm"], "Fold": [1, 2, 1]})
    >>> figure = accuracies(results)
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['knn', 'svm']
    """
    from intemi.analysis.plots.picture import Picture

    labels = (of, over) if over in series.labels else (of,)
    if best not in ("highest", "lowest", None):
        refusing("accuracies")(f"best must be 'highest', 'lowest' or None, got {best!r}")
    found = gathered(series, labels, "accuracies")
    learners = list(dict.fromkeys(key[0] for key in found))
    data = list(dict.fromkeys(key[1:] for key in found))
    across = min(ABREAST, len(data))
    down = math.ceil(len(data) / across)
    stamps = stamps_of(series, of)
    names = [f"{named(each)} ({stamps[each]})" if each in stamps else named(each) for each in learners]
    competes = [each not in stamps for each in learners]
    figure = Picture(
        figsize=(0.5 + widest(names) + across * PANEL, down * (0.75 + LINE * len(learners))), layout="constrained"
    )
    panels = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
    for axes, which in zip(panels, data, strict=False):
        _draw(axes, [found.get((learner, *which)) for learner in learners], competes, best)
        if which:
            axes.set_title(named(which[0]), fontsize=NORMAL, color=INK, parse_math=False)
    for axes in panels[len(data) :]:
        axes.remove()
    panels[0].set_yticks(range(len(names)), names, parse_math=False)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    for axes in panels[max(0, len(data) - across) : len(data)]:
        axes.set_xlabel(series.main, fontsize=SMALL + 1, color=INK, parse_math=False)
    return figure


def _draw(axes: Axes, values: list[Any], competes: list[bool], best: str | None) -> None:
    from matplotlib.ticker import MaxNLocator

    light(axes)
    axes.spines["left"].set(visible=True, color=GREY, linewidth=0.6)  # where one panel ends and the next begins
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.tick_params(axis="y", labelsize=NORMAL)
    means = [float(np.mean(each)) if each is not None and len(each) else math.nan for each in values]
    known = [mean for mean, fair in zip(means, competes, strict=True) if fair and math.isfinite(mean)]
    top = (max(known) if best == "highest" else min(known)) if known else math.nan
    is_best = [
        best is not None and fair and math.isclose(mean, top, rel_tol=1e-12)
        for mean, fair in zip(means, competes, strict=True)
    ]
    given = [(line, each) for line, each in enumerate(values) if each is not None]
    dots = np.concatenate([each for _, each in given])
    axes.plot(
        dots,
        np.repeat([line for line, _ in given], [len(each) for _, each in given]),
        "o",
        color=GREY,
        markersize=2,
        alpha=0.5,
        markeredgewidth=0,
        gid="items",
    )
    # Accuracies and the like end at 1, and so do the bars of their deviations.
    ceiling = 1.0 if best == "highest" and len(dots) and dots.min() >= 0 and dots.max() <= 1 else math.inf
    for colour, marker, gid, wanted in ((BLUE, "o", "mean", False), (RED, "D", "best", True)):
        chosen = [line for line, each in given if len(each) and is_best[line] is wanted]
        if chosen:
            middle = np.array([means[line] for line in chosen])
            sd = np.array([np.std(values[line], ddof=1) if len(values[line]) > 1 else 0.0 for line in chosen])
            axes.hlines(chosen, middle - sd, np.minimum(middle + sd, ceiling), color=colour, linewidth=1.2)
            axes.plot(middle, chosen, marker, color=colour, markersize=5, gid=gid)
    failed = [line for line, each in given if not len(each)]
    if failed:
        place = np.full(len(failed), 0.03)
        axes.plot(place, failed, "x", color=GREY, transform=axes.get_yaxis_transform(), gid="failed")
