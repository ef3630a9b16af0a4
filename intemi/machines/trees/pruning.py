"""Walking through a tree level by level, and cutting it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.tree import Tree, starts


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
    sums = np.array(values)
    for nodes, children in reversed(inner_levels(tree)):
        sums[nodes] = sums_over_children(tree, nodes, sums[children])
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
    is_leaf = tree.branch_count == 0
    is_leaf[nodes] = True
    kept = np.ones(len(tree), dtype=bool)
    for inner, children in inner_levels(tree):
        kept[children] = np.repeat(kept[inner] & ~is_leaf[inner], tree.branch_count[inner])
    number = np.cumsum(kept) - 1
    inner = ~is_leaf[kept]
    tests = np.repeat(kept & ~is_leaf, np.diff(tree.test_start))
    sizes = np.diff(tree.parameter_start)
    return replace(
        tree,
        parent=np.concatenate(([-1], number[tree.parent[kept][1:]])).astype(np.int32),
        first_child=np.where(inner, number[tree.first_child[kept]], -1).astype(np.int32),
        branch_count=np.where(inner, tree.branch_count[kept], 0).astype(np.int32),
        class_weights=tree.class_weights[kept],
        branch_weight=tree.branch_weight[kept],
        default_branch=np.where(inner, tree.default_branch[kept], -1).astype(np.int32),
        quality=np.where(inner, tree.quality[kept], 0.0),
        expansion=renumbered(np.where(inner, tree.expansion[kept], 0)),
        test_start=starts(np.where(inner, np.diff(tree.test_start)[kept], 0)),
        kind=tree.kind[tests],
        feature=tree.feature[tests],
        parameter_start=starts(sizes[tests]),
        parameters=tree.parameters[np.repeat(tests, sizes)],
    )
