"""Critical value pruning: splits stay whose gain, or that of one below them, is large enough."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.cost_complexity import SAME, between
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.refinement.tables import ErrorTable, NestedPath, steps_of
from intemi.machines.trees.tree import Tree


class CriticalValue(NestedValidator):
    """Cut a node unless its split, or some split below it, has a quality above the critical value.

    Qualities are those by which the tree was grown. A candidate of the tree that is cut stands for the values between
    its own and the next one's: for their geometric mean, in the trees of the passes.

    >>> CriticalValue(se=1).growth_key() == CriticalValue().growth_key()
    True
    """

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        inner, parent = tree.branch_count > 0, tree.parent
        critical = np.where(inner, np.maximum(tree.quality, 0.0), -np.inf)
        for node in range(len(tree) - 1, 0, -1):
            if critical[node] > critical[parent[node]]:
                critical[parent[node]] = critical[node]
        return NestedPath(tree, steps_of(critical, inner), critical)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        return last_up_to(table, between(keys) * (1 + SAME))

    def keys_of(self, strengths: Floats) -> Floats:
        return strengths * (1 + SAME)
