"""Which nodes of a tree rows come to, whole or in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.classifier import TreeClassifier, arguments_of
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.fast import NO_WEIGHTS
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import split_of
from intemi.machines.trees.tree import Tree


def counted(tree: Tree, data: Data) -> Floats:
    """The class weights of rows in each node of a tree."""
    table = data.table
    if data.labels != tree.labels:
        raise ConfigurationError(
            f"the tree knows the classes {', '.join(tree.labels)}, but the data have {', '.join(data.labels)}"
        )
    assert table.classes is not None
    weights = NO_WEIGHTS if table.weights is None else table.weights
    arguments: tuple[Any, ...] = (*arguments_of(tree, data), tree.parent, table.classes, weights, len(tree.labels))
    counts: Floats = kernels.counting.count_rows(*arguments)
    return counts


def parted_rows(tree: Tree, data: Data) -> Codes:
    """The rows that go to several leaves, as a value is missing."""
    classifier = TreeClassifier(tree.columns, tree.labels, tree, Proportions())
    return np.flatnonzero(classifier.leaves(data) < 0).astype(np.int32)


def parts_in_nodes(tree: Tree, data: Data) -> Floats:
    """The part of each row that comes to each node, rows × nodes."""
    node_data = NodeData.of(data)
    parts = np.zeros((len(data), len(tree)))
    parts[:, 0] = 1.0
    for node in np.flatnonzero(tree.branch_count).tolist():
        branches = np.full(len(data), -1, dtype=np.int32)
        for test in tree.tests(node):
            split = split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
            branches = np.where(branches < 0, split.route(node_data), branches)
        branches = np.where(branches < 0, tree.default_branch[node], branches)
        children = list(tree.children(node))
        weights = tree.branch_weight[children]
        shares = weights / max(float(weights.sum()), np.finfo(float).tiny)
        for branch, child in enumerate(children):
            share = np.where(branches < 0, shares[branch], branches == branch)
            parts[:, child] = parts[:, node] * share
    return parts
