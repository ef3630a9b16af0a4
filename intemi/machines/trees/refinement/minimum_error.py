"""Minimum error pruning: the error rates that are to be expected of leaves, estimated from few cases."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.decisions import MEstimate
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning, rate_deviation
from intemi.machines.trees.refinement.direct import majority_errors
from intemi.machines.trees.tree import Tree


class MinimumError(BottomUpPruning):
    """Make leaves whose error rate, by Laplace's estimate, is no larger than that of what is below (MEP).

    `se` standard errors more are allowed. Errors are those of majorities, whatever the leaves answer.

    >>> MinimumError(se=0.5)
    MinimumError(se=0.5)
    """

    averages: ClassVar[bool] = True

    se: float = parameter(default=0.0, at_least=0, search=(0.0, 0.5, 1.0))

    def costs(self, tree: Tree) -> Floats:
        k = len(tree.labels)
        return np.asarray((majority_errors(tree) + k - 1) / (tree.weights + k))

    def margins(self, costs: Floats, weights: Floats) -> Floats:
        return self.se * rate_deviation(costs, weights)


class MEstimateError(BottomUpPruning):
    """Make leaves whose error rate, by the m-estimate, is no larger than that of what is below (MEP2).

    Leaves answer by the same estimate, which need not be the majority of the node. A larger `m` does not always cut
    more. `se` standard errors more are allowed.

    >>> MEstimateError(m=8).decision()
    MEstimate(m=8.0)
    """

    averages: ClassVar[bool] = True

    m: float = parameter(default=2.0, at_least=0, search=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0))
    se: float = parameter(default=0.0, at_least=0)

    def decision(self) -> MEstimate:
        return MEstimate(m=self.m)

    def costs(self, tree: Tree) -> Floats:
        prior = tree.class_weights[0] / tree.weights[0]
        known = np.where(tree.weights > 0, tree.weights, 1.0) if self.m == 0 else tree.weights + self.m
        right = (tree.class_weights + self.m * prior).max(axis=1) / known
        return np.asarray(1.0 - np.where(tree.weights + self.m > 0, right, prior.max()))

    def margins(self, costs: Floats, weights: Floats) -> Floats:
        return self.se * rate_deviation(costs, weights)
