"""Cost-complexity pruning to a cost that is given, rpart's: nothing is validated."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import parameter
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.cost_complexity import SAME, CostComplexity
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.tree import Tree


class FixedCostComplexity(DirectPruning):
    """Cut the links that save, for each of their leaves, no more than the share `cp` of the errors of the root.

    It is what `cp` means in rpart, which undoes such splits while it grows the tree.

    >>> FixedCostComplexity().cp
    0.01
    """

    cp: float = parameter(default=0.01, at_least=0, search=(0.0, 0.001, 0.003, 0.01, 0.03, 0.1))

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        return self._cut(tree, Proportions())

    def pruned_for(self, tree: Tree, data: Data, decision: DecisionModule) -> Tree:
        return self._cut(tree, decision)

    def _cut(self, tree: Tree, decision: DecisionModule) -> Tree:
        links = CostComplexity(passes=None)
        root = float(links.risks(tree, decision)[0]) / float(tree.weights[0])
        critical = links.path(tree, decision).critical
        return cut_at(tree, np.flatnonzero((tree.branch_count > 0) & (critical <= self.cp * root * (1 + SAME))))
