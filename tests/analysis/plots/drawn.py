"""What was drawn, read off a figure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text


def texts(figure: Figure, gid: str) -> list[str]:
    """The texts of a kind, in the order in which they were drawn."""
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_gid() == gid]


def lines(figure: Figure, gid: str) -> list[tuple[list[float], list[float]]]:
    """The x and y of the lines and points of a kind."""
    drawn = [line for axes in figure.axes for line in axes.lines if line.get_gid() == gid]
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in drawn]  # type: ignore[arg-type]


def boxes(figure: Figure) -> dict[str, Any]:
    """The boxes that have a name."""
    return {str(patch.get_gid()): patch for axes in figure.axes for patch in axes.patches if patch.get_gid()}


def cut_off(figure: Figure) -> list[str]:
    """Texts that reach over the edge of the figure."""
    frame = figure.bbox
    return [
        text.get_text()
        for text, box in _placed(figure)
        if box.x0 < frame.x0 - 1 or box.y0 < frame.y0 - 1 or box.x1 > frame.x1 + 1 or box.y1 > frame.y1 + 1
    ]


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of texts that cover each other, by more than their edges."""
    found = []
    for (one, a), (other, b) in combinations(_placed(figure), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > 2 and up > 2:
            found.append((one.get_text(), other.get_text()))
    return found


def _placed(figure: Figure) -> Iterator[tuple[Text, Any]]:
    figure.draw_without_rendering()
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip() and text.axes is not None and text.axes.get_visible():
            yield text, Text.get_window_extent(text)  # of the text alone, without a line that leads to it
