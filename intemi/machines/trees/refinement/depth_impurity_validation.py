"""Depth-impurity pruning with the β that is best for other rows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.cost_complexity import impurities
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.refinement.tables import ErrorTable, NestedPath
from intemi.machines.trees.tree import Tree

LEAST = 2.0**-24
"""What 0 counts as in a geometric mean."""
SAME = 1e-10
"""Values of β that differ by less are the same."""


class DepthImpurityValidation(NestedValidator):
    """Cut a node unless its branches, their purity times β, are purer than it is itself; β is validated.

    With `candidates="grid"` β is a power of the root of ½, up to that of `largest`, or 0; by 0 alone nodes are cut in
    which all classes are equally frequent. "exact" are all prunings of the tree: each stands for the β from its own to
    the next one's, for their geometric mean in the trees of the passes.

    >>> DepthImpurityValidation().named(2)
    0.5
    """

    impurity: Literal["gini", "entropy"] = "gini"
    candidates: Literal["grid", "exact"] = "grid"
    largest: int = parameter(default=24, at_least=0, at_most=100)

    @property
    def grid(self) -> Floats:
        """The values of β that are tried, from no pruning to a single leaf."""
        return np.append(2.0 ** (-np.arange(self.largest + 1) / 2), 0.0)

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        pure = purities(tree, self.impurity)
        if self.candidates == "exact":
            return _exact_path(tree, pure)
        from intemi.machines.trees.kernels.grids import depth_impurity_keys

        grid = self.grid
        critical = depth_impurity_keys(pure, tree.weights, tree.parent, tree.first_child, grid)
        return NestedPath(tree, np.arange(len(grid), dtype=np.float64), critical)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        if self.candidates == "grid":
            return np.arange(len(keys), dtype=np.int32)
        betas = np.maximum(-keys, LEAST)
        probes = np.append(np.sqrt(betas[:-1] * betas[1:]), 0.0)
        return last_up_to(table, SAME - probes)

    def named(self, key: float) -> float:
        return abs(key) if self.candidates == "exact" else float(self.grid[int(key)])


def _exact_path(tree: Tree, pure: Floats) -> NestedPath:
    """All prunings, from β = 1 on; a key is minus the largest β that cuts so much."""
    from intemi.machines.trees.refinement.thresholds import depth_impurity_thresholds

    betas = depth_impurity_thresholds(pure, tree.weights, tree.parent, tree.first_child, tree.branch_count)
    inner = tree.branch_count > 0
    keys = np.unique(np.append(-betas[inner], -1.0))
    is_new = np.append(True, np.diff(keys) > SAME)
    kept = keys[is_new]
    critical = np.full(len(tree), -np.inf)
    critical[inner] = kept[np.cumsum(is_new)[np.searchsorted(keys, -betas[inner])] - 1]
    return NestedPath(tree, kept, critical)


def purities(tree: Tree, impurity: Literal["gini", "entropy"]) -> Floats:
    """1 minus the impurity of each node, which is scaled so that 1 is the largest for so many classes."""
    k = tree.class_weights.shape[1]
    if k == 1:
        return np.ones(len(tree))
    largest = 1 - 1 / k if impurity == "gini" else np.log2(k)
    return np.asarray(1 - impurities(tree.class_weights, impurity) / largest)
