"""Wins, draws and losses as bars: of pairs of machines, and of the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import Key, floats, keys, labels_of, refusing
from intemi.analysis.plots.grid import GAP, LINE, Grid, coloured
from intemi.analysis.plots.heat_table import in_order
from intemi.analysis.plots.style import BLUE, GREY, INK, NORMAL, ORANGE, PALE, SMALL, bare, named, widest, width_of
from intemi.analysis.samples import Floats
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Score = tuple[int, int, int]
BAR = (0.62, 0.34)
"""A cell with three bars, in inches."""
LEGEND = (("wins", BLUE), ("draws", PALE), ("losses", ORANGE))


def pairwise_bars(series: Series, *, of: str = "machine") -> Figure:
    """Who is better than whom how often: for each pair of what `WinsDrawsLosses` found, wins, draws and losses as bars.

    A cell is about the machine of its row against that of its column.

    >>> wins = {"wins": [2, 1], "draws": [1, 1], "losses": [1, 2]}
    >>> figure = pairwise_bars(Series({**wins, "machine": ["knn", "svm"], "against": ["svm", "knn"]}))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "score"]
    ['2-1-1', '1-1-2']
    """
    who = "pairwise_bars"
    scores = _scores(series, (of, "against"), who)
    machines = list(dict.fromkeys(part for key in scores for part in key))
    for (one, other), score in scores.items():
        if (other, one) in scores and scores[other, one] != score[::-1]:
            refusing(who)(f"{one} against {other} must be the reverse of {other} against {one}")
    between = {pair: score for pair, score in scores.items() if pair[0] != pair[1]}
    rows = [(machine,) for machine in machines]
    return _figure(rows, rows, {((a,), (b,)): score for (a, b), score in between.items()}, None)


def parameter_panel(wins: Series, pairs: Series, *, value: str, rows: str | Sequence[str]) -> Figure:
    """How the values of a parameter compare: wins of each value, and each pair of values against each other.

    `wins` has an item for each combination of `rows` and `value`; `pairs` has the labels "wins", "draws" and "losses"
    for each combination of `rows`, `value` and "against". Each pair is drawn once.

    >>> wins = Series({"wins": [3, 19], "TE": [0.5, 1.0], "validator": ["all", "all"]})
    >>> numbers = {"wins": [1], "draws": [3], "losses": [17]}
    >>> pairs = Series({**numbers, "TE": [0.5], "against": [1.0], "validator": ["all"]})
    >>> figure = parameter_panel(wins, pairs, value="TE", rows="validator")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() in ("cell", "score")]
    ['3', '19', '1-3-17']
    """
    who = "parameter_panel"
    labels = labels_of(rows)
    numbers = floats(wins, wins.main, who)
    cells = dict(zip(keys(wins, (*labels, value), who), numbers.tolist(), strict=True))
    row_keys = in_order([key[: len(labels)] for key in cells])
    values = list(dict.fromkeys(key[-1] for key in cells))
    table = np.array([[cells.get((*row, each), np.nan) for each in values] for row in row_keys])
    scores: dict[tuple[Key, Key], Score] = {}
    for key, score in _scores(pairs, (*labels, value, "against"), who).items():
        row, one, other = key[: len(labels)], key[-2], key[-1]
        if one != other and (row, (f"{named(other)} : {named(one)}",)) not in scores:
            scores[row, (f"{named(one)} : {named(other)}",)] = score
    columns = list(dict.fromkeys(column for _, column in scores))
    return _figure(row_keys, columns, scores, (table, values))


def _scores(series: Series, labels: tuple[str, ...], who: str) -> dict[Key, Score]:
    counts = [floats(series, label, who) for label, _ in LEGEND]
    found = zip(*(each.astype(int).tolist() for each in counts), strict=True)
    return dict(zip(keys(series, labels, who), found, strict=True))


def _figure(
    rows: list[Key],
    columns: list[Key],
    scores: dict[tuple[Key, Key], Score],
    left: tuple[Floats, list[Any]] | None,
) -> Figure:
    from intemi.analysis.plots.picture import Picture

    names = [named(key[-1]) for key in columns]
    texts = ["-".join(map(str, score)) for score in scores.values()]
    cell = (max(BAR[0], widest(texts, SMALL) + 0.14), BAR[1])
    slanted = widest(names) > cell[0]
    widths = [widest(named(key[level]) for key in rows) + 2 * GAP for level in range(len(rows[0]))]
    x, y = 0.1 + sum(widths), 0.45 + (widest(names) if slanted else LINE)
    wins = 0.0 if left is None else max(0.36, widest(named(each) for each in left[1]) + 0.1)
    start = x + (0.0 if left is None else wins * len(left[1]) + 0.3)
    width = max(start + cell[0] * len(columns) + 0.1, 3.2)
    height = y + cell[1] * len(rows) + 0.1
    figure = Picture(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    bare(axes)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    _legend(axes)
    if left is not None:
        table, values = left
        block = Grid(axes, x, y, (wins, cell[1]))
        shown = [["" if np.isnan(each) else f"{each:g}" for each in line] for line in table]
        block.cells(coloured(table, [range(len(rows))], None), shown)
        block.column_names([(each,) for each in values], slanted=False)
    grid = Grid(axes, start, y, cell)
    grid.column_names(columns, slanted)
    Grid(axes, x, y, cell).row_names(rows, widths)
    for row, key in enumerate(rows):
        for place, column in enumerate(columns):
            if (score := scores.get((key, column))) is not None:
                _bars(axes, start + place * cell[0], y + row * cell[1], cell, score)
    return figure


def _bars(axes: Axes, left: float, top: float, cell: tuple[float, float], score: Score) -> None:
    """Three bars below each other, as long as their counts, and the counts on top of them."""
    from matplotlib.patches import Rectangle

    total = sum(score) or 1
    third = (cell[1] - 0.04) / 3
    axes.add_patch(Rectangle((left, top), *cell, facecolor="white", edgecolor=PALE, linewidth=0.6))
    for place, (count, (name, colour)) in enumerate(zip(score, LEGEND, strict=True)):
        corner = (left + 0.02, top + 0.02 + place * third)
        axes.add_patch(
            Rectangle(corner, (cell[0] - 0.04) * count / total, third, facecolor=colour, alpha=0.75, gid=name)
        )
    middle = (left + cell[0] / 2, top + cell[1] / 2)
    axes.text(
        *middle, "-".join(map(str, score)), ha="center", va="center", fontsize=SMALL, color="#000000", gid="score"
    )


def _legend(axes: Axes) -> None:
    from matplotlib.patches import Rectangle

    x = 0.1
    for name, colour in LEGEND:
        axes.add_patch(Rectangle((x, 0.1), 0.12, 0.12, facecolor=colour, edgecolor=GREY, linewidth=0.5))
        axes.text(x + 0.17, 0.16, name, va="center", fontsize=NORMAL, color=INK)
        x += 0.35 + width_of(name)
