"""Cutting at a depth: a tree that was grown down to a depth is the full one, cut there."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.refinement.tables import ErrorTable, NestedPath
from intemi.machines.trees.tree import Tree


class Depth(NestedValidator):
    """Cut everything below a depth, the root's being 1; which depth is found by validation.

    >>> Depth(se=1).growth_key() == Depth().growth_key()
    True
    """

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        levels = tree.levels
        depths = np.repeat(np.arange(1.0, len(levels) + 1), levels)
        critical = np.where(tree.branch_count > 0, -depths, -np.inf)
        return NestedPath(tree, -np.arange(len(levels), 0.0, -1.0), critical)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        return last_up_to(table, keys)

    def named(self, key: float) -> float:
        return -key

    def keys_of(self, strengths: Floats) -> Floats:
        return -strengths
