"""A scheme as a small drawing (SVG): machines from left to right, each behind those that give something to it.

Lines and letters have the colour of the text around them, so that it can be read in light and in dark. A wire that
leads past a column has a place of its own there, and so never runs behind a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from intemi.machines.structure.wires import OutsideWire, Wire

if TYPE_CHECKING:
    from intemi.machines.structure.scheme import Scheme

LETTER, LINE, GAP, BETWEEN, PADDING = 6.6, 15.0, 12.0, 34.0, 8.0
"""Pixels: the width of a letter, the height of a line, between boxes above and beside each other, and inside of one."""
MAX_LETTERS = 28
SWEEPS = 4
"""How often boxes are put in the order of what they are joined to."""


@dataclass(eq=False)
class Node:
    """A box, or (without lines) the place where a wire leads past a column."""

    lines: tuple[str, ...] = ()
    kind: str = "machine"
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max((len(line) for line in self.lines), default=0) * LETTER + (2 * PADDING if self.lines else 0)

    @property
    def height(self) -> float:
        return LINE * len(self.lines) + PADDING if self.lines else 2.0


Edge = tuple[Node, Node]


def drawing_of(scheme: Scheme) -> str:
    """The drawing of a scheme: its inputs, its machines, its outputs, and the wires between them."""
    nodes, edges = _graph(scheme)
    columns, edges = _columns(nodes, edges)
    for _ in range(SWEEPS):
        _sort(columns, edges)
    width, height = _place(columns)
    body = "".join([*map(_wire, edges), *(_box(node) for column in columns for node in column if node.lines)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif" font-size="11.5" '
        f'fill="currentColor" stroke="currentColor">{body}</svg>'
    )


def _graph(scheme: Scheme) -> tuple[list[Node], list[Edge]]:
    """The boxes, each after those that give something to it, and who gives something to whom."""
    ports = {str(name): Node((_short(name),), "port") for name in scheme.inputs}
    machines: dict[str, Node] = {}
    edges: dict[Edge, None] = {}

    def source(wire: Wire) -> Node:
        if wire.child:
            return machines[wire.child]
        name = str(wire) if isinstance(wire, OutsideWire) else wire.port
        return ports.setdefault(name, Node((_short(name),), "port"))

    for child in scheme.in_order():
        lines = dict.fromkeys((_short(child.name), _short(child.machine.kind)))
        node = machines[child.name] = Node(tuple(lines))
        edges |= {(source(wire), node): None for wires in child.wires.values() for wire in wires}
    outputs = {name: Node((_short(name),), "port") for name in scheme.outputs}
    edges |= {(source(wire), outputs[name]): None for name, wire in scheme.exposed.items()}
    return [*ports.values(), *machines.values(), *outputs.values()], list(edges)


def _columns(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[list[list[Node]], list[Edge]]:
    """Boxes in columns; a wire that skips some is cut into pieces, one from each column to the next."""
    number: dict[Node, int] = {}
    for node in nodes:
        number[node] = 1 + max((number[source] for source, target in edges if target is node), default=-1)
    columns: list[list[Node]] = [[] for _ in range(1 + max(number.values(), default=0))]
    for node, column in number.items():
        columns[column].append(node)
    pieces = []
    for source, target in edges:
        before = source
        for column in range(number[source] + 1, number[target]):
            columns[column].append(passing := Node())
            pieces.append((before, passing))
            before = passing
        pieces.append((before, target))
    return columns, pieces


def _sort(columns: Sequence[list[Node]], edges: Sequence[Edge]) -> None:
    """Order each column by the mean place of what its boxes are joined to on the left; then by that on the right."""
    for side, order in ((0, columns[1:]), (1, columns[-2::-1])):
        for column in order:
            place = {node: number for every in columns for number, node in enumerate(every)}
            joined = {node: [place[edge[side]] for edge in edges if edge[1 - side] is node] for node in column}
            column.sort(key=lambda node: sum(joined[node]) / len(joined[node]) if joined[node] else place[node])


def _place(columns: Sequence[Sequence[Node]]) -> tuple[float, float]:
    """Give each box its place, columns side by side and centred; the size of the whole."""
    heights = [sum(node.height for node in column) + GAP * (len(column) - 1) for column in columns]
    left = PADDING
    for column, height in zip(columns, heights, strict=True):
        width = max((node.width for node in column), default=0.0)
        top = PADDING + (max(heights) - height) / 2
        for node in column:
            node.x, node.y = left + (width - node.width) / 2, top
            top += node.height + GAP
        left += width + BETWEEN
    return left - BETWEEN + PADDING, max(heights) + 2 * PADDING


def _wire(edge: Edge) -> str:
    source, target = edge
    x, y = source.x + source.width, source.y + source.height / 2
    to_x, to_y = target.x, target.y + target.height / 2
    bend = max(10.0, (to_x - x) / 2)
    path = f"M{x:.1f} {y:.1f} C{x + bend:.1f} {y:.1f} {to_x - bend:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    head = f'<circle cx="{to_x:.1f}" cy="{to_y:.1f}" r="2.2" stroke="none"/>' if target.lines else ""
    return f'<path d="{path}" fill="none" stroke-opacity=".6"/>{head}'


def _box(node: Node) -> str:
    look = 'fill-opacity=".08"' if node.kind == "machine" else 'fill="none" stroke-dasharray="3 2"'
    round_by = 4 if node.kind == "machine" else 10
    texts = "".join(
        f'<text x="{node.x + node.width / 2:.1f}" y="{node.y + PADDING / 2 + LINE * (number + 0.75):.1f}" '
        f'text-anchor="middle" stroke="none" opacity="{0.7 if number else 1}">{escape(line)}</text>'
        for number, line in enumerate(node.lines)
    )
    return (
        f'<rect x="{node.x:.1f}" y="{node.y:.1f}" width="{node.width:.1f}" height="{node.height:.1f}" '
        f'rx="{round_by}" stroke-opacity=".6" {look}/>{texts}'
    )


def _short(name: str) -> str:
    return name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…"
