"""Small trees with hand-checked numbers, random ones, and all prunings of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from intemi.data import Column
from intemi.machines.interfaces import Floats
from intemi.machines.trees.growing import GrowingNode, assembled
from intemi.machines.trees.splits import ThresholdSplit
from intemi.machines.trees.tree import Tree

Described = tuple[Any, ...]
"""Name, class weights in training, children; of leaves also class weights in validation."""


@dataclass(frozen=True, eq=False)
class Example:
    """A tree whose nodes have names."""

    tree: Tree
    names: tuple[str, ...]
    """In the order of the nodes."""
    validation: Floats
    """Class weights of validation rows, a row for each node."""

    def nodes(self, names: str) -> list[int]:
        """The numbers of nodes given by their names, "a f"."""
        return [self.names.index(name) for name in names.split()]

    def collapsed(self, pruned: Tree) -> set[str]:
        """The names of the nodes that a pruned tree has made leaves."""
        return {self.names[node] for node in collapsed(self.tree, pruned)}


def collapsed(tree: Tree, pruned: Tree) -> set[int]:
    """The nodes of a tree that are leaves in a pruned one only."""
    found, pairs = set(), [(0, 0)]
    for node, same in pairs:
        np.testing.assert_array_equal(tree.class_weights[node], pruned.class_weights[same])
        if pruned.branch_count[same]:
            pairs += zip(tree.children(node), pruned.children(same), strict=True)
        elif tree.branch_count[node]:
            found.add(node)
    assert len(pairs) == len(pruned)
    return found


def example(described: Described) -> Example:
    """The tree that nested tuples describe."""
    nodes = [described]
    validation: dict[str, Floats] = {}
    grown: dict[str, GrowingNode] = {}
    for each in nodes:
        nodes += each[2]
    for each in reversed(nodes):
        name, weights, children = each[:3]
        counts = np.array(each[3] if len(each) > 3 else np.zeros(len(weights)), dtype=float)
        validation[name] = sum((validation[child[0]] for child in children), counts)
        if children:
            assert np.sum([child[1] for child in children], axis=0).tolist() == weights, name
        grown[name] = _node(weights, [grown[child[0]] for child in children])
    names = tuple(each[0] for each in nodes)
    labels = tuple("ABCDEFG"[: len(described[1])])
    tree = assembled(grown[described[0]], (Column("x"),), labels)
    return Example(tree, names, np.array([validation[name] for name in names]))


def _node(weights: Sequence[float], children: Sequence[GrowingNode]) -> GrowingNode:
    node = GrowingNode(np.array(weights, dtype=float), float(sum(weights)))
    if children:
        node.split = ThresholdSplit(feature=0, cuts=np.arange(1.0, len(children)), branch_weights=np.zeros(0))
        node.children, node.default_branch, node.expansion = children, 0, 1
    return node


T1 = example(
    ("R", [12, 8], [
        ("a", [10, 2], [
            ("b", [8, 0], [], [4, 1]),
            ("c", [2, 2], [("d", [2, 0], [], [1, 0]), ("e", [0, 2], [], [1, 0])]),
        ]),
        ("f", [2, 6], [("g", [2, 1], [], [0, 1]), ("h", [0, 5], [], [1, 2])]),
    ])
)  # fmt: skip
"""Two classes, five leaves; the Gini tree of `D1`."""
F1 = example(
    ("R1", [6, 4], [
        ("p", [5, 1], [
            ("q", [4, 0], [], [4, 1]),
            ("r", [1, 1], [("s", [1, 0], [], [0, 1]), ("u", [0, 1], [], [1, 0])]),
        ]),
        ("w", [1, 3], [], [1, 2]),
    ])
)  # fmt: skip
F2 = example(
    ("R2", [6, 4], [
        ("k1", [5, 1], [], [5, 1]),
        ("k2", [1, 3], [("l1", [1, 0], [], [1, 1]), ("l2", [0, 3], [], [0, 2])]),
    ])
)  # fmt: skip
"""Two trees of inner folds that belong to `T1`."""
T2 = example(
    ("n1", [8, 6], [("n2", [3, 0], []), ("n3", [5, 6], [("n4", [5, 5], []), ("n5", [0, 1], [])])])
)  # fmt: skip
"""Where the m-estimate cuts less with a larger m."""
TM = example(
    ("R", [5, 5, 5], [
        ("a", [4, 0, 0], []),
        ("b", [1, 3, 0], []),
        ("c", [0, 2, 5], [("c1", [0, 2, 1], []), ("c2", [0, 0, 4], [])]),
    ])
)  # fmt: skip
"""Three classes, three branches."""
Q = example(("Q", [15, 1, 0], [("q1", [6, 0, 0], []), ("q2", [9, 0, 0], []), ("q3", [0, 1, 0], [])]))
"""A situation of C4.5's textbook."""
SINGLE = example(("N", [3, 2], []))
"""A root alone."""


def pair(first: Sequence[float], second: Sequence[float]) -> Example:
    """A root P with two leaves, x and y."""
    total = np.add(first, second).tolist()
    return example(("P", total, [("x", list(first), []), ("y", list(second), [])]))


@st.composite
def random_trees(draw: st.DrawFn, most: int = 6) -> Tree:
    """Trees of two or three branches and classes, a few leaves of them empty, with `most` inner nodes."""
    k = draw(st.integers(2, 3))
    leaf = st.lists(st.integers(0, 6), min_size=k, max_size=k)
    arities = draw(st.lists(st.integers(2, 3), max_size=most))
    children: list[list[int]] = [[]]
    for arity in arities:
        leaves = [node for node, below in enumerate(children) if not below]
        chosen = draw(st.sampled_from(leaves))
        children[chosen] = list(range(len(children), len(children) + arity))
        children += [[] for _ in range(arity)]
    weights = [np.zeros(k) for _ in children]
    grown: list[GrowingNode] = []
    for node in reversed(range(len(children))):
        if children[node]:
            weights[node] = np.sum([weights[child] for child in children[node]], axis=0)
        else:
            weights[node] = np.array(draw(leaf), dtype=float)
        below = [grown[len(children) - 1 - child] for child in children[node]]
        grown.append(_node(weights[node].tolist(), below))
    assume(weights[0].sum() > 0)
    return assembled(grown[-1], (Column("x"),), tuple("ABC"[:k]))


def with_class_weights(tree: Tree, weights: Floats) -> Tree:
    """The same tree grown on other rows."""
    return replace(tree, class_weights=weights, branch_weight=weights.sum(axis=1))


def prunings(tree: Tree, node: int = 0) -> list[frozenset[int]]:
    """All sets of nodes, none above another, that a tree could be cut at."""
    if not tree.branch_count[node]:
        return [frozenset()]
    below = product(*(prunings(tree, child) for child in tree.children(node)))
    return [frozenset([node]), *(frozenset[int]().union(*parts) for parts in below)]


def reversed_children(tree: Tree) -> tuple[Tree, dict[int, int]]:
    """The mirrored tree, and the new number of each node."""
    order = [0]
    for node in order:
        order += reversed(tree.children(node))
    place = {node: number for number, node in enumerate(order)}
    inner, parameters = tree.branch_count[order] > 0, []
    for node in order:
        parameters += [tree.parameters_of(test) for test in tree.tests(node)]
    return replace(
        tree,
        parent=np.array([place.get(int(tree.parent[node]), -1) for node in order], dtype=np.int32),
        first_child=np.array(
            [place[tree.children(node)[-1]] if tree.branch_count[node] else -1 for node in order], dtype=np.int32
        ),
        branch_count=tree.branch_count[order],
        class_weights=tree.class_weights[order],
        branch_weight=tree.branch_weight[order],
        default_branch=tree.default_branch[order],
        expansion=tree.expansion[order],
        test_start=np.concatenate(([0], np.cumsum(inner))).astype(np.int32),
        parameter_start=np.concatenate(([0], np.cumsum([len(each) for each in parameters]))).astype(np.int32),
        parameters=np.concatenate(parameters) if parameters else tree.parameters,
    ), place
