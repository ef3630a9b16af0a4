"""Cost-complexity pruning, CART's: what a split must save for each leaf that it adds."""

from __future__ import annotations

from typing import Literal

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.refinement.tables import ErrorTable, NestedPath, errors_as_leaves, node_classes
from intemi.machines.trees.tree import Tree

SAME = 1e-10
"""Costs that differ by less, relatively, are the same."""
TINY = float(np.finfo(float).tiny)
"""Instead of the weight of an empty node, by which 0 is divided."""


class CostComplexity(NestedValidator):
    """Cut the weakest links, those that save least for each of their leaves; how many is found by validation.

    What is saved are training errors, or with `risk` impurity. A candidate of the tree that is cut stands for the
    costs between its own and the next one's: for their geometric mean, in the trees of the passes.

    >>> CostComplexity(se=1).se
    1.0
    """

    version = 2

    risk: Literal["error", "gini", "entropy"] = "error"

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        risks, weight = self.risks(tree, decision), float(tree.weights[0])
        links = kernels.pruning.weakest_links(risks, weight, tree.parent, tree.first_child, tree.branch_count)
        return NestedPath(tree, *links)

    def risks(self, tree: Tree, decision: DecisionModule) -> Floats:
        """What each node costs as a leaf: its errors, or its impurity times its weight."""
        if self.risk == "error":
            return errors_as_leaves(tree.class_weights, node_classes(tree, decision))
        if self.risk == "gini":
            squares = np.einsum("nc,nc->n", tree.class_weights, tree.class_weights)
            return np.asarray(tree.weights - squares / np.maximum(tree.weights, TINY))
        return np.asarray(tree.weights * impurities(tree.class_weights, self.risk))

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        return last_up_to(table, between(keys) * (1 + SAME))

    def keys_of(self, strengths: Floats) -> Floats:
        return strengths * (1 + SAME)


def between(keys: Floats) -> Floats:
    """The geometric mean of each key and the next one; of the last and infinity."""
    return np.append(np.sqrt(keys[:-1] * keys[1:]), np.inf)


def impurities(class_weights: Floats, kind: Literal["gini", "entropy"]) -> Floats:
    """The impurity of each node: Gini's, or the entropy in bits; 0 of empty nodes."""
    shares = class_weights / np.maximum(class_weights.sum(axis=1, keepdims=True), TINY)
    if kind == "gini":
        return np.asarray((shares * (1 - shares)).sum(axis=1))
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))
