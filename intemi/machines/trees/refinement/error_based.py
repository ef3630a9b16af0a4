"""Error-based pruning, that of C4.5."""

from __future__ import annotations

from typing import Literal

from intemi.data import Data
from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning, errors_deviation
from intemi.machines.trees.refinement.direct import majority_errors
from intemi.machines.trees.refinement.error_limits import ERROR_LIMITS
from intemi.machines.trees.tree import Tree


class ErrorBased(BottomUpPruning):
    """Make leaves of which no more errors are to be expected than of what is below (EBP).

    What is to be expected is an upper confidence limit, for the probability `cf` that it is exceeded, by one of five
    estimators. Leaves may be worse by `slack` errors (C4.5 and J48: 0.1) and `se` standard errors. With `raising`, a
    node may also be replaced by its largest branch, where that gets all its rows: then the training data are needed.
    Errors are those of majorities, whatever the leaves answer.

    >>> from intemi.machines.trees import C45
    >>> C45(refinement=ErrorBased(cf=0.1)).refinement.estimator
    'c45'
    """

    cf: float = parameter(default=0.25, above=0, below=1)
    estimator: Literal["c45", "j48", "wilson", "wilson two-sided", "exact"] = "c45"
    slack: float = parameter(default=0.0, at_least=0)
    raising: bool = False
    se: float = parameter(default=0.0, at_least=0)

    def expected_errors(self, weights: Floats, errors: Floats) -> Floats:
        """How many errors are to be expected of leaves of such weights that make so many."""
        return ERROR_LIMITS[self.estimator](weights, errors, self.cf)

    def costs(self, tree: Tree) -> Floats:
        return self.expected_errors(tree.weights, majority_errors(tree))

    def margins(self, costs: Floats, weights: Floats) -> Floats:
        return self.slack + self.se * errors_deviation(costs, weights)

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        if not self.raising:
            return super().pruned(tree)
        from intemi.machines.trees.refinement.raising import raised

        if data is None:
            raise ConfigurationError("ErrorBased: raising needs the data that the tree was grown on, got none")
        return raised(tree, data, self)
