"""Subtree raising: error-based pruning in which a node may also be replaced by its largest branch.

The branch then gets all rows of the node, so they have to go down again. Where a value is missing and rows go on in
parts, the parts follow the weights of the branches as they are then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.growing import GrowingNode, assembled
from intemi.machines.trees.kernels.settings import LEAST_PART
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.pruning import renumbered
from intemi.machines.trees.refinement.bottom_up import at_most
from intemi.machines.trees.splits import Split, split_of
from intemi.machines.trees.tree import Tree

if TYPE_CHECKING:
    from intemi.machines.trees.refinement.error_based import ErrorBased


@dataclass(eq=False)
class _Node:
    """A node that may still change: what it asks, where that leads, and its rows."""

    tests: Sequence[Split]
    default_branch: int
    expansion: int
    children: Sequence[_Node]
    data: NodeData
    branch_weight: float = 0.0
    errors: float = 0.0
    """How many are to be expected of it and all that is below."""

    def become_leaf(self) -> None:
        self.tests, self.default_branch, self.expansion, self.children = (), -1, 0, ()

    def become(self, other: _Node) -> None:
        """Ask what another node asks, and go on as it does, with its own rows."""
        self.tests, self.default_branch = other.tests, other.default_branch
        self.expansion, self.children = other.expansion, other.children

    @property
    def largest_child(self) -> _Node:
        """The child that got most; of several the last one."""
        most = max(child.branch_weight for child in self.children)
        return [child for child in self.children if child.branch_weight >= most - LEAST_PART][-1]

    def divided(self, data: NodeData) -> Iterator[tuple[_Node, float | None, NodeData]]:
        """Of these rows what each child would get, and the weight of those whose value the first test knows.

        It is None where that is all of them.
        """
        branches = self.tests[0].route(data)
        if branches.min(initial=0) < 0:
            yield from self._divided_with_missing(data, branches.copy())
            return
        for branch, child in enumerate(self.children):
            yield child, None, data.select((branches == branch).nonzero()[0])

    def _divided_with_missing(self, data: NodeData, branches: Codes) -> Iterator[tuple[_Node, float, NodeData]]:
        known = branches >= 0
        weights = np.bincount(branches[known], data.weights[known], minlength=len(self.children))
        for test in self.tests[1:]:
            branches[branches < 0] = test.route(data)[branches < 0]
        unknown = np.flatnonzero(branches < 0)
        if self.default_branch >= 0:
            branches[unknown], unknown = self.default_branch, unknown[:0]
        total = weights.sum()
        for branch, child in enumerate(self.children):
            rows = np.flatnonzero(branches == branch)
            if not len(unknown):
                yield child, float(weights[branch]), data.select(rows)
                continue
            share = weights[branch] / total if total > 0 else 1.0 / len(self.children)
            parts = data.weights[unknown] * share
            kept = parts >= LEAST_PART
            rows, parts = np.concatenate((rows, unknown[kept])), np.concatenate((data.weights[rows], parts[kept]))
            yield child, float(weights[branch]), data.select(rows, parts)


class _Expected(dict[tuple[float, float], float]):
    """The errors to be expected of leaves by their weight and errors; most of them are alike."""

    def __init__(self, pruning: ErrorBased) -> None:
        self.pruning = pruning
        self.has_parts = False
        """Whether rows may have gone on in parts. Then more rows in a node change the parts of those that it has."""

    def __missing__(self, leaf: tuple[float, float]) -> float:
        weight, errors = leaf
        self[leaf] = float(self.pruning.expected_errors(np.array(weight), np.array(errors)))
        return self[leaf]

    def of(self, data: NodeData) -> float:
        """The errors to be expected of a leaf with these rows."""
        return self[data.weight, data.errors]

    def if_raised(self, largest: _Node, node: _Node, most: float) -> float:
        """The errors to be expected of the largest child of a node if it had all rows of the node."""
        if not self.has_parts:
            found = self._with_more(largest, [child.data for child in node.children if child is not largest])
            if found is not None:
                return found
        return self.below(largest, node.data, most)

    def _with_more(self, node: _Node, more: Sequence[NodeData]) -> float | None:
        """The same where only the rows of its siblings go down; None if some of them would go on in parts."""
        leaves: dict[_Node, Floats] = {}
        stack = [(node, data) for data in more]
        while stack:
            inner, data = stack.pop()
            if not inner.children:
                leaves[inner] = leaves.get(inner, inner.data.class_weights) + data.class_weights
                continue
            for child, known, rows in inner.divided(data):
                if known is not None:
                    return None
                if len(rows):
                    stack.append((child, rows))
        change = 0.0
        for leaf, class_weights in leaves.items():
            weight = float(class_weights.sum())
            change += self[weight, weight - float(class_weights.max())] - self.of(leaf.data)
        return node.errors + change

    def below(self, node: _Node, data: NodeData, most: float) -> float:
        """The errors to be expected of the leaves below a node if it had these rows; if beyond `most`, not all."""
        errors, stack = 0.0, [(node, data)]
        while stack and errors <= most + 1e-6:
            node, data = stack.pop()
            if node.children:
                stack.extend((child, rows) for child, _, rows in node.divided(data))
            else:
                errors += self.of(data)
        return errors


def raised(tree: Tree, data: Data, pruning: ErrorBased) -> Tree:
    """The pruned tree, with branches raised where that promises fewer errors than a leaf and than the whole subtree."""
    expected = _Expected(pruning)
    root = _root_of(tree, NodeData.of(rows_to_learn_from("ErrorBased", data)), expected)
    stack = [(root, False)]
    while stack:
        node, are_children_done = stack.pop()
        if not node.children:
            continue
        if not are_children_done:
            stack.append((node, True))
            stack.extend((child, False) for child in node.children)
        elif _has_changed(node, expected):
            stack.append((node, False))
    return _tree_of(root, tree)


def _has_changed(node: _Node, expected: _Expected) -> bool:
    """Decide between leaf, branch and subtree; whether a branch was raised, so that everything below is open again."""
    as_subtree, as_leaf = sum(child.errors for child in node.children), expected.of(node.data)
    allowed, largest = as_subtree + expected.pruning.slack, node.largest_child
    as_branch = expected.if_raised(largest, node, allowed) if largest.children else as_leaf
    margin = float(expected.pruning.margins(np.array(as_subtree), np.array(node.data.weight)))
    if at_most(as_leaf, min(as_subtree, as_branch) + margin):
        node.errors = as_leaf
        node.become_leaf()
        return False
    if at_most(as_branch, allowed):
        node.become(largest)
        _send_down(node, expected)
        return True
    node.errors = as_subtree
    return False


def _send_down(node: _Node, expected: _Expected) -> None:
    """Give the rows of a node to those below it."""
    stack = [node]
    while stack:
        node = stack.pop()
        if not node.children:
            node.errors = expected.of(node.data)
            continue
        for child, weight, rows in node.divided(node.data):
            child.branch_weight, child.data = rows.weight if weight is None else weight, rows
            expected.has_parts |= weight is not None
            stack.append(child)


def _root_of(tree: Tree, data: NodeData, expected: _Expected) -> _Node:
    """The root of the tree, with all rows where they belong."""
    if not np.allclose(data.class_weights, tree.class_weights[0]):
        raise ConfigurationError(
            f"ErrorBased: raising needs the data that the tree was grown on, whose classes weigh "
            f"{tree.class_weights[0].tolist()}, got {data.class_weights.tolist()}"
        )
    nodes: list[_Node] = []
    for number in reversed(range(len(tree))):
        tests = [
            split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
            for test in tree.tests(number)
        ]
        if tests:
            tests[0] = replace(tests[0], quality=float(tree.quality[number]))
        children = [nodes[len(tree) - 1 - child] for child in tree.children(number)]
        nodes.append(_Node(tests, int(tree.default_branch[number]), int(tree.expansion[number]), children, data))
    root = nodes[-1]
    root.branch_weight = float(tree.branch_weight[0])
    _send_down(root, expected)
    return root


def _tree_of(root: _Node, tree: Tree) -> Tree:
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    growing: dict[_Node, GrowingNode] = {}
    for node in reversed(nodes):
        growing[node] = GrowingNode(
            class_weights=node.data.class_weights,
            branch_weight=node.branch_weight,
            split=node.tests[0] if node.tests else None,
            surrogates=node.tests[1:],
            default_branch=node.default_branch,
            children=[growing[child] for child in node.children],
            expansion=node.expansion,
        )
    made = assembled(growing[root], tree.columns, tree.labels)
    return replace(made, expansion=renumbered(made.expansion))
