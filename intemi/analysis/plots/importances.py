"""How much features matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intemi.analysis.plots.cells import refusing
from intemi.analysis.plots.style import BLUE, GREY, INK, NORMAL, SMALL, light, named, widest
from intemi.analysis.samples import column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINE = 0.21
"""Inches for each feature."""
MOST = 30
"""Features that are drawn; the last ones of more would be all alike."""


def importances(series: Series, *, of: str = "feature") -> Figure:
    """The main label of each feature as a bar, in the order of the series: "Importance" of a `PermutationRanking`.

    >>> figure = importances(Series({"Importance": [0.5, -0.01], "feature": ["petal", "sepal"]}))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['petal', 'sepal']
    """
    from intemi.analysis.plots.picture import Picture

    if of not in series.labels or not len(series):
        refusing("importances")(f"a series of one or more items with the label {of!r} is needed")
    shown = series[: min(MOST, len(series))]
    names = [named(each) for each in column(shown, of)]
    figure = Picture(figsize=(0.6 + widest(names) + 3.4, 0.7 + LINE * len(names)), layout="constrained")
    axes = figure.subplots()
    light(axes)
    axes.barh(range(len(names)), [float(each) for each in shown.values], height=0.6, color=BLUE)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=NORMAL, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    more = "" if len(shown) == len(series) else f" (the first {len(shown)} of {len(series)} features)"
    axes.set_xlabel(f"{series.main}{more}", fontsize=SMALL + 1, color=INK, parse_math=False)
    return figure
