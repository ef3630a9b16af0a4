"""Trees as text for people."""

from __future__ import annotations

from itertools import pairwise

from intemi.machines.interfaces import Floats
from intemi.machines.trees.tree import DEVIATION, LINEAR, SYMBOLS, Tree

MOST_LINES = 200


def text_of(tree: Tree, most: int = MOST_LINES) -> str:
    """A line for each branch, children below their parents; leaves show their class, weight and errors.

    Of a tree that is too large only the beginning is shown.
    """
    if not tree.branch_count[0]:
        return _leaf(tree, 0)
    lines: list[str] = []
    stack = [(child, 0) for child in reversed(tree.children(0))]
    while stack and len(lines) < most:
        node, indent = stack.pop()
        line = "|   " * indent + conditions(tree, int(tree.parent[node]))[node - tree.children(tree.parent[node])[0]]
        lines.append(line if tree.branch_count[node] else f"{line}: {_leaf(tree, node)}")
        stack += [(child, indent + 1) for child in reversed(tree.children(node))] if tree.branch_count[node] else []
    if stack:
        lines.append(f"… {len(tree) - 1 - len(lines):,} more")
    return "\n".join(lines)


def _leaf(tree: Tree, node: int) -> str:
    weights = tree.filled_class_weights[node]
    majority = int(weights.argmax())
    weight = float(tree.weights[node])
    errors = weight - float(tree.class_weights[node, majority]) if weight else 0.0
    return f"{tree.labels[majority]} ({weight:.6g}{f'/{errors:.6g}' if errors > 1e-9 else ''})"


def conditions(tree: Tree, node: int) -> list[str]:
    """What a row must fulfil to go down each branch of a node."""
    test = tree.tests(node)[0]
    kind, parameters = int(tree.kind[test]), tree.parameters_of(test)
    column = tree.columns[tree.feature[test]]
    count = int(tree.branch_count[node])
    if kind == SYMBOLS:
        assert column.categories is not None
        sets = [[column.categories[s] for s, b in enumerate(parameters) if b == branch] for branch in range(count)]
        return [
            f"{column.name} = {one[0]}" if len(one) == 1 else f"{column.name} in {{{', '.join(one)}}}" for one in sets
        ]
    name = column.name
    if kind == DEVIATION:
        name, parameters = f"|{column.name} - {parameters[0]:.6g}|", parameters[1:]
    if kind == LINEAR:
        size = int(parameters[0])
        terms = zip(parameters[1 : 1 + size], parameters[1 + size : 1 + 2 * size], strict=True)
        name = " + ".join(f"{weight:.6g} {tree.columns[int(index)].name}" for index, weight in terms)
        parameters = parameters[1 + 2 * size :]
    return _intervals(name, parameters)


def _intervals(name: str, cuts: Floats) -> list[str]:
    shown = [f"{each:.9g}" for each in cuts]
    between = [f"{low} < {name} <= {high}" for low, high in pairwise(shown)]
    return [f"{name} <= {shown[0]}", *between, f"{name} > {shown[-1]}"]
