"""Tables of coloured cells, drawn in inches: whatever the number of cells, they are of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import Key
from intemi.analysis.plots.style import GREY, INK, NORMAL, SMALL, ink_on, named, shades, width_of
from intemi.analysis.samples import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 0.17
"""The height of a line of text, in inches."""
GAP = 0.06


@dataclass(frozen=True)
class Span:
    """Neighbouring rows or columns that have the same name on some level."""

    text: str
    first: int
    last: int


def spans(keys: Sequence[Key], level: int) -> list[Span]:
    """The names on a level, each over all neighbours that agree on it and on everything outside of it.

    >>> spans([("a", 1), ("a", 2), ("b", 2)], 0)
    [Span(text='a', first=0, last=1), Span(text='b', first=2, last=2)]
    """
    found: list[Span] = []
    for place, key in enumerate(keys):
        if place and keys[place - 1][: level + 1] == key[: level + 1]:
            found[-1] = Span(found[-1].text, found[-1].first, place)
        else:
            found.append(Span(named(key[level]), place, place))
    return found


def coloured(values: Floats, bands: Sequence[Sequence[int]], centre: float | None) -> Any:
    """A colour for each cell, darker the larger; each band of rows has a scale of its own. Blank cells are white."""
    colours = np.ones((*values.shape, 4))
    paint = shades(diverging=centre is not None)
    for band in bands:
        part = values[list(band)]
        known = part[np.isfinite(part)]
        if not len(known):
            continue
        low, high = float(known.min()), float(known.max())
        if centre is not None:
            reach = max(high - centre, centre - low)
            low, high = centre - reach, centre + reach
        scaled = (part - low) / (high - low) if high > low else np.full(part.shape, 0.5 if centre is not None else 0.3)
        painted = paint(np.where(np.isfinite(scaled), scaled, 0.0))
        painted[~np.isfinite(part)] = 1.0
        colours[list(band)] = painted
    return colours


class Grid:
    """Cells with their names, from the upper left corner (x, y) down; y grows downwards."""

    def __init__(self, axes: Axes, x: float, y: float, cell: tuple[float, float]) -> None:
        self._axes = axes
        self.x, self.y = x, y
        self.width, self.height = cell

    def cells(self, colours: Any, texts: Sequence[Sequence[str]], size: float = SMALL) -> None:
        """The cells, row by row; those without a text are blank."""
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        boxes, filled = [], []
        for row, line in enumerate(texts):
            for place, text in enumerate(line):
                if not text:
                    continue
                left, top = self.x + place * self.width, self.y + row * self.height
                boxes.append(Rectangle((left, top), self.width, self.height))
                filled.append(colours[row][place])
                self._axes.text(
                    left + self.width / 2,
                    top + self.height / 2,
                    text,
                    ha="center",
                    va="center",
                    fontsize=size,
                    color=ink_on(colours[row][place]),
                    gid="cell",
                    parse_math=False,
                )
        self._axes.add_collection(PatchCollection(boxes, facecolor=filled, edgecolor="white", linewidth=0.5))

    def frame(self, row: int, place: int) -> None:
        """A thick frame around a cell."""
        from matplotlib.patches import Rectangle

        corner = (self.x + place * self.width, self.y + row * self.height)
        self._axes.add_patch(
            Rectangle(corner, self.width, self.height, fill=False, edgecolor=INK, linewidth=2, gid="best")
        )

    def column_names(self, keys: Sequence[Key], slanted: bool) -> None:
        """Names above the columns, outer levels above inner ones with a brace."""
        levels = len(keys[0])
        inner = max((width_of(named(key[-1])) for key in keys), default=0.0) if slanted else LINE
        for level in range(levels):
            is_inner = level == levels - 1
            above = GAP if is_inner else inner + GAP + (levels - 2 - level) * 1.5 * LINE + LINE / 2
            for span in spans(keys, level):
                left, right = self.x + span.first * self.width, self.x + (span.last + 1) * self.width
                if not is_inner and span.text:
                    self._axes.plot([left + 0.04, right - 0.04], [self.y - above] * 2, "-", color=GREY, linewidth=1)
                turned = is_inner and slanted
                self._axes.text(
                    (left + right) / 2,
                    self.y - above - (0 if is_inner else 0.04),
                    span.text,
                    ha="center",
                    va="bottom",
                    rotation=90 if turned else 0,
                    fontsize=NORMAL,
                    color=INK,
                    gid="column",
                    parse_math=False,
                )

    def row_names(self, keys: Sequence[Key], widths: Sequence[float]) -> None:
        """Names to the left of the rows, inner levels next to the cells."""
        x = self.x
        for level in reversed(range(len(keys[0]))):
            for span in spans(keys, level):
                top, bottom = self.y + span.first * self.height, self.y + (span.last + 1) * self.height
                middle = (top + bottom) / 2
                self._axes.text(
                    x - GAP,
                    middle,
                    span.text,
                    ha="right",
                    va="center",
                    fontsize=NORMAL,
                    color=INK,
                    gid="row",
                    parse_math=False,
                )
            x -= widths[level]

    def rules(self, rows: Sequence[Key], columns: Sequence[Key]) -> None:
        """Thick lines between groups."""
        right, bottom = self.x + len(columns) * self.width, self.y + len(rows) * self.height
        if len(rows[0]) > 1:
            for span in spans(rows, len(rows[0]) - 2)[1:]:
                y = self.y + span.first * self.height
                self._axes.plot([self.x, right], [y, y], "-", color=INK, linewidth=1.4, gid="rule")
        if len(columns[0]) > 1:
            for span in spans(columns, len(columns[0]) - 2)[1:]:
                x = self.x + span.first * self.width
                self._axes.plot([x, x], [self.y, bottom], "-", color=INK, linewidth=1.4, gid="rule")
