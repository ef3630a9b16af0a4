"""Error-based pruning, that of C4.5."""

from __future__ import annotations

from typing import Literal

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning, errors_deviation
from intemi.machines.trees.refinement.direct import errors_of_answers, majority_errors
from intemi.machines.trees.refinement.error_limits import ERROR_LIMITS
from intemi.machines.trees.tree import Tree


class ErrorBased(BottomUpPruning):
    """Make leaves of which no more errors are to be expected than of what is below (EBP).

    What is to be expected is an upper confidence limit, for the probability `cf` that it is exceeded, by one of five
    estimators. Leaves may be worse by `slack` errors (C4.5 and J48: 0.1) and `se` standard errors. With `raising`, a
    node may also be replaced by its largest branch, where that gets all its rows: then the training data are needed.
    As a refinement it counts errors of what the nodes answer. With `raising`, or as the `pruning` of a tree that grows,
    it counts those of majorities: what a node answers may depend on those above it, and these are not settled then.

    >>> from intemi.machines.trees import C45
    >>> C45(refinement=ErrorBased(cf=0.1)).refinement.estimator
    'c45'
    """

    version = 2

    cf: float = parameter(default=0.25, above=0, below=1, search=(0.05, 0.1, 0.25, 0.5))
    estimator: Literal["c45", "j48", "wilson", "wilson two-sided", "exact"] = "c45"
    slack: float = parameter(default=0.0, at_least=0)
    raising: bool = False
    se: float = parameter(default=0.0, at_least=0)

    def expected_errors(self, weights: Floats, errors: Floats) -> Floats:
        """How many errors are to be expected of leaves of such weights that make so many."""
        return ERROR_LIMITS[self.estimator](weights, errors, self.cf)

    def costs(self, tree: Tree) -> Floats:
        return self.expected_errors(tree.weights, majority_errors(tree))

    def pruned_for(self, tree: Tree, data: Data, decision: DecisionModule) -> Tree:
        if self.raising:
            return self.pruned(tree, data)
        costs = self.expected_errors(tree.weights, errors_of_answers(tree, decision))
        return cut_at(tree, np.flatnonzero(self.judged(tree, costs).is_cut))

    def margins(self, costs: Floats, weights: Floats) -> Floats:
        return self.slack + self.se * errors_deviation(costs, weights)

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        if not self.raising:
            return super().pruned(tree)
        from intemi.machines.trees.refinement.raising import raised

        if data is None:
            raise ConfigurationError("ErrorBased: raising needs the data that the tree was grown on, got none")
        return raised(tree, data, self)
