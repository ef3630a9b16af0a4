"""The book's result charts: tables of numbers whose colour says where the large ones are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import Key, floats, keys, labels_of, refusing
from intemi.analysis.plots.grid import GAP, LINE, Grid, coloured, spans
from intemi.analysis.plots.style import GREY, SMALL, bare, decimals_of, named, widest, width_of
from intemi.analysis.samples import column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHO = "heat_table"


def heat_table(
    series: Series,
    *,
    rows: str | Sequence[str],
    columns: str | Sequence[str],
    text: str | None = None,
    digits: int | None = None,
    band: str | None = None,
    centre: float | None = None,
    caption: str = "",
) -> Figure:
    """The main label as a table: darker is larger, combinations that are not there are blank.

    `rows` and `columns` are labels, outer ones first; groups are divided by thick lines. A cell shows its number, or
    the label `text`. Colours are scaled over the whole table, or for each value of the row label `band` by itself.
    With a `centre`, what is below it is orange and what is above it is blue.

    >>> wins = Series({"wins": [3, 5, 4], "SE": [0, 0, 1], "method": ["EBP", "OPT", "OPT"], "group": ["d", "v", "v"]})
    >>> figure = heat_table(wins, rows="SE", columns=("group", "method"))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    ['3', '5', '4']
    """
    from intemi.analysis.plots.picture import Picture

    down, across = labels_of(rows), labels_of(columns)
    cells = _by_place(series, down, across)
    row_keys = in_order([key[: len(down)] for key in cells])
    column_keys = in_order([key[len(down) :] for key in cells])
    numbers = floats(series, series.main, WHO)
    shown = _texts(series, numbers.tolist(), text, digits)
    values = np.full((len(row_keys), len(column_keys)), math.nan)
    texts = [[""] * len(column_keys) for _ in row_keys]
    for r, row in enumerate(row_keys):
        for c, place in enumerate(column_keys):
            position = cells.get((*row, *place))
            if position is not None:
                values[r, c] = numbers[position]
                texts[r][c] = shown[position]

    inner = [named(key[-1]) for key in column_keys]
    lines = 1 + max(each.count("\n") for each in shown)
    needed = widest(shown, SMALL) + 0.12
    slanted = widest(inner) > max(needed, 0.75)
    braces = max((_share(column_keys, level) for level in range(len(across) - 1)), default=0.0)
    cell = (max(needed, braces, 0.24, 0.0 if slanted else widest(inner) + 0.1), 0.1 + 0.125 * lines)
    widths = [widest(named(key[level]) for key in row_keys) + 2 * GAP for level in range(len(down))]
    titles = [named(each) for each in down]
    widths = [max(width, width_of(title, SMALL) + 2 * GAP) for width, title in zip(widths, titles, strict=True)]
    x, y = 0.1 + sum(widths), 0.1 + (widest(inner) if slanted else LINE) + GAP + 1.5 * LINE * (len(across) - 1)
    width = x + cell[0] * len(column_keys) + 0.1
    notes = _wrapped(caption, width)
    height = y + cell[1] * len(row_keys) + 0.1 + 0.13 * len(notes)
    figure = Picture(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    bare(axes)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    grid = Grid(axes, x, y, cell)
    grid.cells(coloured(values, _bands(row_keys, down, band), centre), texts)
    grid.rules(row_keys, column_keys)
    grid.column_names(column_keys, slanted)
    grid.row_names(row_keys, widths)
    edge = x
    for level in reversed(range(len(down))):
        axes.text(
            edge - GAP, y - GAP, titles[level], ha="right", va="bottom", fontsize=SMALL, color=GREY, parse_math=False
        )
        edge -= widths[level]
    for number, note in enumerate(reversed(notes)):
        axes.text(0.1, height - 0.1 - 0.13 * number, note, va="center", fontsize=SMALL, color=GREY, parse_math=False)
    return figure


def in_order(found: Sequence[Key]) -> list[Key]:
    """Different keys, those that agree on their outer parts side by side, and otherwise in the order of appearance.

    >>> in_order([("b", 2), ("a", 1), ("b", 1)])
    [('b', 2), ('b', 1), ('a', 1)]
    """
    first: dict[Key, int] = {}
    for place, key in enumerate(found):
        for level in range(len(key)):
            first.setdefault(key[: level + 1], place)
    return sorted(dict.fromkeys(found), key=lambda key: [first[key[: level + 1]] for level in range(len(key))])


def _by_place(series: Series, down: tuple[str, ...], across: tuple[str, ...]) -> dict[Key, int]:
    refuse = refusing(WHO)
    if not down or not across or not len(series):
        refuse("rows and columns must each name at least one label, and the series must not be empty")
    labels = (*down, *across)
    found: dict[Key, int] = {}
    for position, key in enumerate(keys(series, labels, WHO)):
        if found.setdefault(key, position) != position:
            which = ", ".join(f"{label} {part}" for label, part in zip(labels, key, strict=True))
            refuse(
                f"there are several items of {which}; take their mean first, as with "
                f"group_by({', '.join(map(repr, labels))}).map(Series.mean).ungroup()"
            )
    return found


def _texts(series: Series, numbers: list[float], text: str | None, digits: int | None) -> list[str]:
    if text is not None:
        if text not in series.labels:
            refusing(WHO)(f"text must be one of {', '.join(map(repr, series.labels))}, got {text!r}")
        return ["" if each is None else str(each) for each in column(series, text)]
    places = decimals_of(numbers) if digits is None else digits
    return [f"{number:.{places}f}" if math.isfinite(number) else "" for number in numbers]


def _bands(row_keys: list[Key], down: tuple[str, ...], band: str | None) -> list[list[int]]:
    if band is None:
        return [list(range(len(row_keys)))]
    if band not in down:
        refusing(WHO)(f"band must be one of the labels of rows, {', '.join(map(repr, down))}, got {band!r}")
    return [list(range(span.first, span.last + 1)) for span in spans(row_keys, down.index(band))]


def _share(column_keys: list[Key], level: int) -> float:
    """How wide cells must be for the names of groups above them to fit."""
    return max((width_of(s.text) + 0.1) / (s.last - s.first + 1) for s in spans(column_keys, level))


def _wrapped(caption: Any, width: float) -> list[str]:
    lines: list[str] = []
    for word in str(caption).split():
        if lines and width_of(f"{lines[-1]} {word}", SMALL) < width - 0.2:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
