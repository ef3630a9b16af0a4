"""Trees as text for people."""

from __future__ import annotations

from intemi.machines.interfaces import Codes
from intemi.machines.trees.rules import conditions_of, rule_of
from intemi.machines.trees.tree import Tree

MOST_LINES = 200


def text_of(tree: Tree, answers: Codes | None = None, most: int = MOST_LINES) -> str:
    """A line for each branch, children below their parents; leaves show their class, weight and errors.

    Of a tree that is too large only the beginning is shown. `answers` are the classes that the nodes answer; None:
    those of most of their rows.
    """
    if not tree.branch_count[0]:
        return rule_of(tree, 0, answers).answer
    lines: list[str] = []
    stack = _branches(tree, 0, 0)
    while stack and len(lines) < most:
        node, depth, condition = stack.pop()
        line = "|   " * depth + condition
        if tree.branch_count[node]:
            lines.append(line)
            stack += _branches(tree, node, depth + 1)
        else:
            lines.append(f"{line}: {rule_of(tree, node, answers).answer}")
    if stack:
        lines.append(f"… {len(tree) - 1 - len(lines):,} more")
    return "\n".join(lines)


def _branches(tree: Tree, node: int, depth: int) -> list[tuple[int, int, str]]:
    """The children of a node, the last one first, with what leads to them."""
    found = zip(tree.children(node), conditions_of(tree, node), strict=True)
    return [(child, depth, str(condition)) for child, condition in reversed(list(found))]
