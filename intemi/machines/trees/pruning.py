"""Direct pruning: a grown tree is cut back by what it knows itself, without further data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes
from intemi.machines.trees.components import DirectPruning
from intemi.machines.trees.tree import Tree, starts


class Collapse(DirectPruning):
    """Make a leaf of every node whose leaves make hardly fewer errors than it would, as C4.5 does before it prunes."""

    slack: float = parameter(default=1e-3, at_least=0)

    def pruned(self, tree: Tree) -> Tree:
        as_leaf = tree.weights - tree.filled_class_weights.max(axis=1) * (tree.weights > 0)
        as_tree = as_leaf.copy()
        for node in range(len(tree) - 1, -1, -1):
            if tree.branch_count[node]:
                as_tree[node] = as_tree[list(tree.children(node))].sum()
        collapsed = np.flatnonzero((tree.branch_count > 0) & (as_tree >= as_leaf - self.slack))
        return cut_at(tree, collapsed)


def cut_at(tree: Tree, nodes: Codes | np.ndarray) -> Tree:
    """The tree in which these nodes are leaves."""
    if not len(nodes):
        return tree
    is_leaf = tree.branch_count == 0
    is_leaf[nodes] = True
    kept = np.ones(len(tree), dtype=bool)
    for node in range(1, len(tree)):
        kept[node] = kept[tree.parent[node]] and not is_leaf[tree.parent[node]]
    number = np.cumsum(kept) - 1
    inner = ~is_leaf[kept]
    tests = np.repeat(kept & ~is_leaf, np.diff(tree.test_start))
    sizes = np.diff(tree.parameter_start)
    expansion = np.where(inner, tree.expansion[kept], 0)
    ranks = np.zeros(len(expansion), dtype=np.int32)
    ranks[np.argsort(expansion, kind="stable")[(~inner).sum() :]] = np.arange(1, inner.sum() + 1)
    return replace(
        tree,
        parent=np.concatenate(([-1], number[tree.parent[kept][1:]])).astype(np.int32),
        first_child=np.where(inner, number[tree.first_child[kept]], -1).astype(np.int32),
        branch_count=np.where(inner, tree.branch_count[kept], 0).astype(np.int32),
        class_weights=tree.class_weights[kept],
        branch_weight=tree.branch_weight[kept],
        default_branch=np.where(inner, tree.default_branch[kept], -1).astype(np.int32),
        quality=np.where(inner, tree.quality[kept], 0.0),
        expansion=ranks,
        test_start=starts(np.where(inner, np.diff(tree.test_start)[kept], 0)),
        kind=tree.kind[tests],
        feature=tree.feature[tests],
        parameter_start=starts(sizes[tests]),
        parameters=tree.parameters[np.repeat(tests, sizes)],
    )
