"""Nodes while a tree grows, and the flat arrays that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from intemi.data import Column
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import MissingPolicy
from intemi.machines.trees.kernels.settings import LEAST_PART
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split
from intemi.machines.trees.tree import Tree, starts


@dataclass(eq=False)
class GrowingNode:
    """A node of a tree that is not finished."""

    class_weights: Floats
    branch_weight: float
    split: Split | None = None
    surrogates: Sequence[Split] = ()
    default_branch: int = -1
    children: Sequence[GrowingNode] = ()
    expansion: int = 0


@dataclass(frozen=True)
class Division:
    """A split of a node as it would be made: what each branch gets, and where missing values go."""

    split: Split
    surrogates: Sequence[Split]
    default_branch: int
    parts: Sequence[NodeData] = field(repr=False)

    @property
    def is_one(self) -> bool:
        """Whether it leaves everything together."""
        return sum(len(part) > 0 for part in self.parts) < 2

    def children(self) -> list[GrowingNode]:
        """The nodes of the branches."""
        weights = self.split.branch_weights
        return [GrowingNode(part.class_weights, float(weights[b])) for b, part in enumerate(self.parts)]


def divide(data: NodeData, split: Split, missing: MissingPolicy) -> Division:
    """Send the rows of a node down the branches of a split."""
    split = missing.completed(data, split)
    branches = split.route(data).copy()
    # Learning needs surrogates only where something is missing; answering may need them anywhere.
    surrogates = missing.surrogates(data, split)
    for surrogate in surrogates:
        unknown = branches < 0
        if not unknown.any():
            break
        branches[unknown] = surrogate.route(data)[unknown]
    default = missing.default_branch(data, split)
    if default >= 0:
        branches[branches < 0] = default
    unknown_rows = np.flatnonzero(branches < 0) if default < 0 else np.empty(0, dtype=np.intp)
    shares = split.branch_weights / split.branch_weights.sum() if len(unknown_rows) else split.branch_weights
    parts = []
    for branch in range(split.branch_count):
        rows = np.flatnonzero(branches == branch)
        weights = data.weights[rows]
        if len(unknown_rows) and shares[branch] > 0:
            pieces = data.weights[unknown_rows] * shares[branch]
            rows = np.concatenate((rows, unknown_rows[pieces >= LEAST_PART]))
            weights = np.concatenate((weights, pieces[pieces >= LEAST_PART]))
        parts.append(data.select(rows, weights, branch))
    return Division(split, surrogates, default, parts)


def assembled(root: GrowingNode, columns: tuple[Column, ...], labels: tuple[str, ...]) -> Tree:
    """The tree whose nodes hang together at a root."""
    nodes, parents, first_children = [root], [-1], []
    for node in nodes:
        first_children.append(len(nodes) if node.children else -1)
        for child in node.children:
            parents.append(len(first_children) - 1)
            nodes.append(child)
    tests = [([] if node.split is None else [node.split, *node.surrogates]) for node in nodes]
    every = [test for of_node in tests for test in of_node]
    parameters = [test.parameters() for test in every]

    def codes(numbers: Sequence[int]) -> np.ndarray:
        return np.array(numbers, dtype=np.int32)

    return Tree(
        columns=columns,
        labels=labels,
        parent=codes(parents),
        first_child=codes(first_children),
        branch_count=codes([len(node.children) for node in nodes]),
        class_weights=np.array([node.class_weights for node in nodes]),
        branch_weight=np.array([node.branch_weight for node in nodes]),
        default_branch=codes([node.default_branch if node.children else -1 for node in nodes]),
        quality=np.array([node.split.quality if node.split else 0.0 for node in nodes]),
        expansion=codes([node.expansion for node in nodes]),
        test_start=starts([len(each) for each in tests]),
        kind=codes([test.kind for test in every]),
        feature=codes([test.feature for test in every]),
        parameter_start=starts([len(each) for each in parameters]),
        parameters=np.concatenate(parameters) if parameters else np.zeros(0),
    )
