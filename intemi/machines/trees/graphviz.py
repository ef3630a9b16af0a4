"""Trees in the language of Graphviz, for its `dot` and all that reads it."""

from __future__ import annotations

from intemi.machines.interfaces import Codes
from intemi.machines.trees.rules import conditions_of, printable, rule_of
from intemi.machines.trees.tree import Tree


def dot_of(tree: Tree, answers: Codes | None = None) -> str:
    """The tree as a graph: nodes show their class and weight, edges what leads down them.

    `answers` are the classes that the nodes answer; None: those of most of their rows.

    >>> from intemi.data import Column, Data, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines.trees import DecisionTree
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     print(dot_of(project.run(DecisionTree(), data=project.given(data)).outputs["tree"]))
    digraph tree {
      node [shape=box];
      0 [label="low (4/2)", shape=ellipse];
      1 [label="low (2)"];
      2 [label="high (2)"];
      0 -> 1 [label="x <= 5"];
      0 -> 2 [label="x > 5"];
    }
    """
    nodes, edges = [], []
    for node in range(len(tree)):
        inner = ", shape=ellipse" if tree.branch_count[node] else ""
        nodes.append(f"  {node} [label={_quoted(rule_of(tree, node, answers).answer)}{inner}];")
        if inner:
            for child, condition in zip(tree.children(node), conditions_of(tree, node), strict=True):
                edges.append(f"  {node} -> {child} [label={_quoted(str(condition))}];")
    return "\n".join(["digraph tree {", "  node [shape=box];", *nodes, *edges, "}"])


def _quoted(text: str) -> str:
    """The text between quotes. A backslash of its own is doubled, else it would begin a sign of the language."""
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
