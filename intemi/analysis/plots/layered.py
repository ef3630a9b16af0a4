"""Where boxes go: from left to right, each behind those that give something to it, all inside of what holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from intemi.analysis.plots.parts import Drawing, Part, Path
from intemi.analysis.plots.style import NORMAL, SMALL, named, widest

LINE = 0.15
"""The height of a line of text, in inches."""
GAP, BETWEEN = 0.14, 0.42
"""Inches between boxes below each other, and beside each other."""
PADDING = 0.1


@dataclass(frozen=True)
class Box:
    """A part in its place: its left upper corner and its size, in inches."""

    part: Part
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


def lines_of(part: Part) -> tuple[str, ...]:
    """What a box says.

    >>> lines_of(Part("std", kind="Standardization", requests=20, reused=10))
    ('std', 'Standardization', '20 requests, 10 reused')
    """
    lines = [named(part.name)]
    if part.kind and part.kind.lower() != part.name.replace(" ", "").lower():
        lines.append(part.kind)
    if part.reused:
        lines.append(f"{part.requests:,} request{'' if part.requests == 1 else 's'}, {part.reused:,} reused")
    elif part.requests > 1:
        lines.append(f"× {part.requests:,}")
    if part.on_record is not None and 0 < part.on_record < part.requests:
        lines.append(f"{part.on_record:,} on record")
    if part.failed:
        lines.append(f"{part.failed:,} failed")
    return tuple(lines)


def arranged(drawing: Drawing) -> tuple[dict[Path, Box], float, float]:
    """The boxes of all parts, outer ones first, and the size of the whole."""
    boxes: dict[Path, Box] = {}
    sizes: dict[Path, tuple[float, float]] = {}
    columns: dict[Path, list[list[Part]]] = {}
    for part in reversed(list(drawing.root.walk())):  # what is inside comes first
        columns[part.path] = _columns(part, drawing)
        sizes[part.path] = _size(part, columns[part.path], sizes)
    _place(drawing.root, 0.0, 0.0, columns, sizes, boxes)
    width, height = sizes[()]
    return boxes, width, height


def _columns(part: Part, drawing: Drawing) -> list[list[Part]]:
    """The parts directly inside, in columns: each to the right of all that give something to it."""
    depth = len(part.path)
    order = {name: place for place, name in enumerate(part.parts)}
    needs: dict[str, set[str]] = {name: set() for name in order}
    for source, target in drawing.edges:
        if source[:depth] == part.path == target[:depth] and len(source) > depth and len(target) > depth:
            one, other = source[depth], target[depth]
            if order[one] < order[other]:  # a loop, as of something that is done again and again, goes back
                needs[other].add(one)
    column: dict[str, int] = {}
    for name in order:
        column[name] = 1 + max((column[needed] for needed in needs[name]), default=-1)
    found: list[list[Part]] = [[] for _ in range(1 + max(column.values(), default=-1))]
    for name, place in column.items():
        found[place].append(part.parts[name])
    return found


def _size(part: Part, columns: list[list[Part]], sizes: Mapping[Path, tuple[float, float]]) -> tuple[float, float]:
    lines = lines_of(part) if part.path else ()
    text = max(widest(lines[:1], NORMAL), widest(lines[1:], SMALL)) + 2 * PADDING
    if not columns:
        return max(0.7, text), LINE * len(lines) + PADDING
    widths = [max(sizes[each.path][0] for each in column) for column in columns]
    heights = [sum(sizes[each.path][1] for each in column) + GAP * (len(column) - 1) for column in columns]
    inside = sum(widths) + BETWEEN * (len(columns) - 1) + 2 * PADDING
    return max(text, inside), _head(part) + max(heights) + PADDING


def _head(part: Part) -> float:
    """The height of what a box says above what it holds."""
    return LINE * len(lines_of(part)) + PADDING if part.path else PADDING


def _place(
    part: Part,
    x: float,
    y: float,
    columns: Mapping[Path, list[list[Part]]],
    sizes: Mapping[Path, tuple[float, float]],
    boxes: dict[Path, Box],
) -> None:
    width, height = sizes[part.path]
    if part.path:
        boxes[part.path] = Box(part, x, y, width, height, lines_of(part))
    left = x + PADDING
    inner = height - _head(part) - PADDING
    for column in columns[part.path]:
        wide = max(sizes[each.path][0] for each in column)
        used = sum(sizes[each.path][1] for each in column) + GAP * (len(column) - 1)
        top = y + _head(part) + (inner - used) / 2
        for each in column:
            across, down = sizes[each.path]
            _place(each, left + (wide - across) / 2, top, columns, sizes, boxes)
            top += down + GAP
        left += wide + BETWEEN
