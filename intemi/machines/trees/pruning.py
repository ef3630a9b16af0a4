"""Walking through a tree level by level, and cutting it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.tree import Tree


def inner_levels(tree: Tree) -> list[tuple[Codes, slice]]:
    """The inner nodes of each level and all their children, who are the next level; the root's first."""
    levels, begin, end = [], 0, 1
    while begin < end:
        nodes = begin + np.flatnonzero(tree.branch_count[begin:end]).astype(np.int32)
        begin, end = end, end + int(tree.branch_count[begin:end].sum())
        if len(nodes):
            levels.append((nodes, slice(begin, end)))
    return levels


def sums_over_children(tree: Tree, nodes: Codes, values: Floats) -> Floats:
    """For the inner nodes of a level, the sums of what their children have: `values`, for all these children."""
    first = tree.first_child[nodes]
    return np.asarray(np.add.reduceat(values, first - first[0]))


def sums_over_leaves(tree: Tree, values: Floats) -> Floats:
    """For each node, the sum of what the leaves below it have, or it has itself if it is one."""
    sums: Floats = kernels.cutting.sum_over_leaves(
        np.ascontiguousarray(values, dtype=np.float64), tree.first_child, tree.branch_count
    )
    return sums


def training_errors(tree: Tree, answers: Codes) -> Floats:
    """The weight in each node that is not of the class which the node answers."""
    return np.asarray(tree.weights - tree.class_weights[np.arange(len(tree)), answers])


def renumbered(expansion: Codes) -> Codes:
    """The same order of splitting in numbers from 1, without gaps; 0 stays for leaves."""
    inner, ranks = expansion > 0, np.zeros(len(expansion), dtype=np.int32)
    ranks[np.argsort(expansion, kind="stable")[(~inner).sum() :]] = np.arange(1, inner.sum() + 1)
    return ranks


def cut_at(tree: Tree, nodes: Codes | np.ndarray) -> Tree:
    """The tree in which these nodes are leaves."""
    if not len(nodes):
        return tree
    is_leaf = np.zeros(len(tree), dtype=np.uint8)
    is_leaf[nodes] = 1
    size, tests, integers, numbers = kernels.cutting.cut(
        tree.parent,
        tree.first_child,
        tree.branch_count,
        tree.default_branch,
        tree.expansion,
        tree.test_start,
        tree.kind,
        tree.feature,
        tree.parameter_start,
        np.ascontiguousarray(tree.class_weights),
        tree.branch_weight,
        tree.quality,
        tree.parameters,
        is_leaf,
    )
    made = Tree.from_state((tree.columns, tree.labels, size, tests, integers, numbers))
    return replace(made, expansion=renumbered(made.expansion))
