"""The critical difference diagram (Demšar 2006)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from intemi.analysis.critical_difference import CriticalDifference
from intemi.analysis.pairing import On
from intemi.analysis.plots.cells import refusing
from intemi.analysis.plots.style import BLUE, GREY, INK, NORMAL, RED, SMALL, bare, named, widest
from intemi.analysis.ranks import AverageRanks
from intemi.analysis.samples import column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE = 0.2
"""Inches for each name, and for each bar of those that do not differ."""
AXIS = 4.6
"""The length of the axis of ranks, in inches."""


def critical_difference(
    series: Series,
    *,
    alpha: float = 0.05,
    control: Any = None,
    of: str = "machine",
    over: str = "data",
    on: On = None,
    best: Literal["highest", "lowest"] = "highest",
) -> Figure:
    """Average ranks of learners over data sets, the best on the right; bars join those that do not differ.

    Learners differ if their average ranks are at least the critical difference apart: Nemenyi's for all pairs; with a
    `control`, that of Bonferroni and Dunn, and the bar shows who does not differ from it. Whether there are differences
    at all is for `Friedman` to say, first.

    >>> names = {"machine": ["knn", "svm", "tree"] * 4, "data": [d for d in "abcd" for _ in range(3)]}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5], **names})
    >>> figure = critical_difference(results)
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "learner"]
    ['knn  1.00', 'svm  2.25', 'tree  2.75']
    """
    from intemi.analysis.plots.picture import Picture

    options: dict[str, Any] = {"of": of, "over": over, "on": on, "best": best}
    averages = AverageRanks(**options)(series)
    compared: Literal["all pairs", "control"] = "all pairs" if control is None else "control"
    difference = CriticalDifference(alpha=alpha, compared=compared, **options)(series).row(0)
    ranks = [float(each) for each in averages.values]
    learners = column(averages, of)
    if control is not None and control not in learners:
        known = ", ".join(map(repr, learners))
        refusing("critical_difference")(f"the control must be one of {known}, got {control!r}")
    cd = float(difference["critical difference"])  # type: ignore[arg-type]
    bars = groups_of(ranks, cd) if control is None else [_around(ranks, learners.index(control), cd)]

    names = [f"{named(each)}  {rank:.2f}" for each, rank in zip(learners, ranks, strict=True)]
    margin = 0.35 + widest(names)
    rows = math.ceil(len(names) / 2)
    under = 0.22 + 0.11 * len(bars)
    """Inches from the axis to the first name."""
    height = 0.75 + under + LINE * rows + 0.3
    figure = Picture(figsize=(2 * margin + AXIS, height))
    axes = figure.add_axes((0, 0, 1, 1))
    bare(axes)
    axes.set_xlim(0, 2 * margin + AXIS)
    axes.set_ylim(-height, 0)
    draw = _Diagram(axes, margin, len(ranks))
    draw.axis()
    draw.scale(cd, f"CD = {cd:.2f} (α = {alpha:g})")
    for place, (first, last) in enumerate(bars):
        draw.bar(ranks[first], ranks[last], 0.13 + 0.11 * place)
    for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        on_right = place < len(names) // 2 or len(names) == 1
        row = place if on_right else len(names) - 1 - place
        is_control = control is not None and learners[place] == control
        draw.name(name, rank, under + LINE * row, on_right, RED if is_control else INK)
    what = "all pairs, Nemenyi" if control is None else f"with {named(control)}, Bonferroni–Dunn"
    note = f"average ranks of {series.main} on {difference['data sets']} data sets; {what}"
    axes.text(
        margin + AXIS / 2, 0.12 - height, note, ha="center", va="center", fontsize=SMALL, color=GREY, parse_math=False
    )
    return figure


def groups_of(ranks: list[float], cd: float) -> list[tuple[int, int]]:
    """First and last of every largest group, of two or more in ascending order, that lies within the difference.

    >>> groups_of([1.0, 1.5, 2.2, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(place for place in range(first, len(ranks)) if ranks[place] - ranks[first] < cd)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _around(ranks: list[float], control: int, cd: float) -> tuple[int, int]:
    same = [place for place, rank in enumerate(ranks) if abs(rank - ranks[control]) < cd]
    return same[0], same[-1]


class _Diagram:
    """Draws in inches, from the top left corner; rank 1 is at the right end of the axis."""

    TOP = 0.75
    """Where the axis is."""

    def __init__(self, axes: Axes, margin: float, learners: int) -> None:
        self._axes = axes
        self._margin = margin
        self._learners = learners

    def x(self, rank: float) -> float:
        return self._margin + AXIS * (self._learners - rank) / max(1, self._learners - 1)

    def axis(self) -> None:
        self._line([self.x(1), self.x(self._learners)], [self.TOP] * 2, INK, 1.0)
        step = max(1, math.ceil(self._learners / 12))
        for rank in sorted({1, *range(step, self._learners + 1, step), self._learners}):
            if rank != self._learners and self._learners - rank < step:
                continue
            self._line([self.x(rank)] * 2, [self.TOP - 0.06, self.TOP], INK, 1.0)
            self._text(self.x(rank), self.TOP - 0.13, str(rank), "center", SMALL + 1, INK, "rank")

    def scale(self, cd: float, text: str) -> None:
        """How long the critical difference is."""
        begin, end = self.x(self._learners), self.x(self._learners) + AXIS * cd / max(1, self._learners - 1)
        for x, y in (([begin, end], [0.3] * 2), ([begin] * 2, [0.25, 0.35]), ([end] * 2, [0.25, 0.35])):
            self._line(x, y, BLUE, 1.2)
        self._text((begin + end) / 2, 0.16, text, "center", SMALL + 1, BLUE, "cd")

    def bar(self, first: float, last: float, below: float) -> None:
        x = [self.x(first), self.x(last)]  # and not a bit longer: the next one may be close
        self._axes.plot(x, [-self.TOP - below] * 2, "-", color=INK, linewidth=3.5, solid_capstyle="butt", gid="bar")

    def name(self, name: str, rank: float, below: float, on_right: bool, colour: str) -> None:
        edge = self.x(1) + 0.15 if on_right else self.x(self._learners) - 0.15
        y = self.TOP + below
        self._line([self.x(rank), self.x(rank), edge], [self.TOP, y, y], GREY, 0.7)
        side, step = ("left", 0.06) if on_right else ("right", -0.06)
        self._text(edge + step, y, name, side, NORMAL, colour, "learner")

    def _line(self, x: list[float], y: list[float], colour: str, width: float) -> None:
        self._axes.plot(x, [-each for each in y], "-", color=colour, linewidth=width)

    def _text(self, x: float, y: float, text: str, side: str, size: float, colour: str, gid: str) -> None:
        self._axes.text(x, -y, text, ha=side, va="center", fontsize=size, color=colour, gid=gid, parse_math=False)
