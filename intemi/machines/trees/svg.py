"""Trees as drawings: SVG from left to right, a line for each leaf, so that long conditions have room."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape as escaped
from itertools import accumulate

from intemi.machines.interfaces import Codes
from intemi.machines.trees.rules import conditions_of, printable, rule_of
from intemi.machines.trees.tree import Tree

LINE = 26
"""The height of a line."""
LETTER = 6.8
"""The width of a letter, of the font that is asked for; others differ little."""
BAR = 46
"""The width of the bar that shows the shares of the classes."""
BEND = 28
"""The width of the curve between a node and its children."""
LONGEST = 40
"""Texts with more letters are shortened; what is left out is in the tooltip."""
MOST_CLASSES = 12
"""More are not explained by the legend."""
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Those of Okabe and Ito, which people with any kind of colour vision can tell apart."""


@dataclass(frozen=True)
class _Drawn:
    """A node in its place."""

    node: int
    level: int
    y: float
    condition: str
    text: str
    """What stands behind its bar; nothing for a node whose children are drawn."""


def svg_of(tree: Tree, depth: int | None = None, answers: Codes | None = None) -> str:
    """The tree as SVG, down to a depth (of which the root is 1) if that is given.

    Bars show the shares of the classes. Every part has a tooltip with the whole of what it says. `answers` are the
    classes that the nodes answer; None: those of most of their rows.

    >>> from intemi.data import Column, Data, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines.trees import DecisionTree
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     svg = svg_of(project.run(DecisionTree(), data=project.given(data)).outputs["tree"])
    >>> svg.startswith("<svg"), svg.count("x &lt;= 5")
    (True, 2)
    """
    drawn = _arranged(tree, depth, answers)
    levels = 1 + max(each.level for each in drawn)
    conditions = [0.0] * levels
    for each in drawn:
        conditions[each.level] = max(conditions[each.level], _width(each.condition))
    # The bars of a level stand below each other, at its right end. Texts of leaves may reach into the next level: only
    # what comes down from a node is drawn on the lines of its leaves.
    steps = [(BEND if level else 0) + conditions[level] + BAR for level in range(levels)]
    ends = [10 + end for end in accumulate(steps)]
    places = {each.node: each for each in drawn}
    parts = [_legend(tree)]
    for each in drawn:
        if each.node:
            above = places[int(tree.parent[each.node])]
            parts.append(_branch(ends[above.level], above.y, ends[each.level] - BAR, each))
        parts.append(_node(tree, each, ends[each.level]))
    width = max(ends[each.level] + _width(each.text) + 10 for each in drawn)
    width = max(width, 20 + sum(_legend_width(label) for label in tree.labels[:MOST_CLASSES]) + 60)
    height = max(each.y for each in drawn) + LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def depth_of_so_many(tree: Tree, most: int) -> int:
    """The depth down to which a tree has at most so many nodes; at least 2."""
    depth, last = 1, 0
    while depth < tree.depth:
        inner = tree.branch_count[: last + 1].sum()  # nodes are numbered by levels
        if inner + 1 > most and depth > 1:
            break
        depth, last = depth + 1, int(inner)
    return depth


def _arranged(tree: Tree, depth: int | None, answers: Codes | None) -> list[_Drawn]:
    """The nodes to be drawn: leaves below each other, parents in the middle of their children."""
    order: list[tuple[int, int, str]] = []
    stack = [(0, 0, "")]
    while stack:
        node, level, condition = stack.pop()
        order.append((node, level, condition))
        if tree.branch_count[node] and level + 1 != depth:
            asked = zip(tree.children(node), conditions_of(tree, node), strict=True)
            stack += reversed([(child, level + 1, str(each)) for child, each in asked])
    is_drawn = {node for node, _, _ in order}
    heights: dict[int, float] = {}
    lines = 0
    texts: dict[int, str] = {}
    for node, _, _ in order:
        if not tree.branch_count[node] or tree.first_child[node] not in is_drawn:
            lines += 1
            heights[node] = LINE * (lines + 0.5)  # the first line is the legend's
            texts[node] = rule_of(tree, node, answers).answer + (" …" if tree.branch_count[node] else "")
    for node, _, _ in reversed(order):
        if node not in heights:
            children = tree.children(node)
            heights[node] = (heights[children[0]] + heights[children[-1]]) / 2
    return [_Drawn(node, level, heights[node], condition, texts.get(node, "")) for node, level, condition in order]


def _branch(x: float, y: float, end: float, child: _Drawn) -> str:
    """The curve from a parent to its child, and the condition on it."""
    middle = x + BEND / 2
    path = f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {child.y:.1f} {x + BEND:.1f} {child.y:.1f}H{end:.1f}"
    return (
        f'<g><title>{_escape(child.condition)}</title><path d="{path}" fill="none" stroke="#999"/>'
        f'<text x="{x + BEND + 2:.1f}" y="{child.y - 4:.1f}">{_escape(_short(child.condition))}</text></g>'
    )


def _node(tree: Tree, each: _Drawn, end: float) -> str:
    """The bar of a node, and behind it what a leaf answers."""
    weights = tree.class_weights[each.node]
    total = float(weights.sum())
    counted = ", ".join(f"{label} {weight:.6g}" for label, weight in zip(tree.labels, weights, strict=True) if weight)
    x, top, parts = end - BAR, each.y - 6, []
    for index, weight in enumerate(weights):
        if weight > 0:
            width = BAR * float(weight) / total
            parts.append(f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="12" fill="{_colour(index)}"/>')
            x += width
    frame = 'fill="none" stroke="#333" stroke-width=".5"'
    parts.append(f'<rect x="{end - BAR:.1f}" y="{top:.1f}" width="{BAR}" height="12" {frame}/>')
    if each.text:
        parts.append(
            f'<text x="{end + 5:.1f}" y="{each.y + 4:.1f}" font-weight="bold">{_escape(_short(each.text))}</text>'
        )
    return f"<g><title>{_escape(f'node {each.node}: {counted}')}</title>{''.join(parts)}</g>"


def _legend(tree: Tree) -> str:
    x, parts = 10.0, []
    for index, label in enumerate(tree.labels[:MOST_CLASSES]):
        parts.append(f'<rect x="{x:.1f}" y="6" width="10" height="10" fill="{_colour(index)}"/>')
        parts.append(f'<text x="{x + 14:.1f}" y="15">{_escape(_short(label))}</text>')
        x += _legend_width(label)
    if len(tree.labels) > MOST_CLASSES:
        parts.append(f'<text x="{x:.1f}" y="15">and {len(tree.labels) - MOST_CLASSES} more</text>')
    return f"<g>{''.join(parts)}</g>"


def _legend_width(label: str) -> float:
    return 14 + _width(label) + 12


def _colour(index: int) -> str:
    return COLOURS[index] if index < len(COLOURS) else f"hsl({index * 137.5 % 360:.0f} 60% 55%)"


def _escape(text: str) -> str:
    return escaped(printable(text))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _width(text: str) -> float:
    return LETTER * len(_short(text)) + 4 if text else 0.0
