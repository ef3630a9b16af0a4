"""Depth-impurity pruning: pure leaves are good, near ones are better."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning
from intemi.machines.trees.tree import Tree


class DepthImpurity(BottomUpPruning):
    """Make leaves whose purity is no less than the mean of that below, taken times `beta` with each level (DIP).

    The smaller `beta`, the smaller the tree; 1 undoes only splits that do not make anything purer. Purity is 1 less the
    impurity as a share of the largest possible one.

    >>> DepthImpurity(beta=0.5)
    DepthImpurity(beta=0.5, impurity='gini')
    """

    averages: ClassVar[bool] = True

    beta: float = parameter(at_least=0, at_most=1, search=(0.0, 0.25, 0.5, 0.75, 1.0))
    impurity: Literal["gini", "entropy"] = "gini"

    def costs(self, tree: Tree) -> Floats:
        weights = tree.filled_class_weights
        shares, k = weights / weights.sum(axis=1, keepdims=True), len(tree.labels)
        if k == 1:
            return np.full(len(tree), -1.0)
        if self.impurity == "gini":
            return np.asarray(k / (k - 1) * (1.0 - (shares**2).sum(axis=1)) - 1.0)
        logarithms = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
        return np.asarray(-(shares * logarithms).sum(axis=1) / np.log(k) - 1.0)

    def of_subtrees(self, combined: Floats) -> Floats:
        return self.beta * combined
