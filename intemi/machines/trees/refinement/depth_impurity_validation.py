"""Depth-impurity pruning with the β that is best for other rows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.cost_complexity import impurities
from intemi.machines.trees.refinement.path_validator import NestedValidator
from intemi.machines.trees.refinement.tables import ErrorTable, NestedPath
from intemi.machines.trees.tree import Tree

BETAS = np.append(2.0 ** (-np.arange(25) / 2), 0.0)
"""From no pruning to a single leaf; nodes in which all classes are equally frequent are cut by 0 only."""


class DepthImpurityValidation(NestedValidator):
    """Cut a node unless its branches, their purity times β, are purer than it is itself; β is validated.

    >>> DepthImpurityValidation().named(2)
    0.5
    """

    impurity: Literal["gini", "entropy"] = "gini"

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        from intemi.machines.trees.kernels.grids import depth_impurity_keys

        critical = depth_impurity_keys(
            purities(tree, self.impurity), tree.weights, tree.parent, tree.first_child, BETAS
        )
        return NestedPath(tree, np.arange(len(BETAS), dtype=np.float64), critical)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        return np.arange(len(keys), dtype=np.int32)

    def named(self, key: float) -> float:
        return float(BETAS[int(key)])


def purities(tree: Tree, impurity: Literal["gini", "entropy"]) -> Floats:
    """1 minus the impurity of each node, which is scaled so that 1 is the largest for so many classes."""
    k = tree.class_weights.shape[1]
    if k == 1:
        return np.ones(len(tree))
    largest = 1 - 1 / k if impurity == "gini" else np.log2(k)
    return np.asarray(1 - impurities(tree.class_weights, impurity) / largest)
