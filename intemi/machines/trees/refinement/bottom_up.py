"""Direct pruning from the leaves up: a node becomes a leaf where that costs no more than what is left below it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.machines.interfaces import Floats
from intemi.machines.trees.pruning import cut_at, inner_levels, sums_over_children
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.tree import Tree

ROUNDING = 1e-12
"""Costs that differ by less, relative to the larger one or to 1, are the same."""


def at_most(a: Floats | float, b: Floats | float) -> NDArray[np.bool_]:
    """Whether `a` is not above `b`, rounding apart."""
    return np.asarray(a <= b + ROUNDING * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b))))


def errors_deviation(errors: Floats, weights: Floats) -> Floats:
    """The standard error of so many errors among cases of that weight."""
    errors = np.clip(errors, 0.0, weights)
    return np.sqrt(errors * (weights - errors) / np.where(weights > 0, weights, 1.0))


def rate_deviation(rates: Floats, weights: Floats) -> Floats:
    """The standard error of such an error rate among cases of that weight."""
    rates = np.clip(rates, 0.0, 1.0)
    return np.sqrt(rates * (1.0 - rates) / np.where(weights > 0, weights, np.inf))


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a pruning thinks of the nodes of a tree."""

    as_leaf: Floats
    """What each node costs as a leaf."""
    as_subtree: Floats
    """What it costs with what is left below it; for a leaf that is the same."""
    is_cut: NDArray[np.bool_]
    """Whether it is to be a leaf. Below such nodes there may be others, which no longer matter."""


class BottomUpPruning(DirectPruning):
    """Makes leaves of nodes, the lowest ones first; a pruning of your own has to say what a leaf costs.

    >>> from intemi.machines.trees import DecisionTree
    >>> class FewerLeaves(BottomUpPruning):
    ...     def costs(self, tree: Tree) -> Floats:
    ...         return tree.weights - tree.class_weights.max(axis=1) + 1.5
    >>> DecisionTree(pruning=FewerLeaves()).pruning
    FewerLeaves()
    """

    averages: ClassVar[bool] = False
    """Whether a subtree costs what its children cost on average, by weight, and not all together."""

    @abstractmethod
    def costs(self, tree: Tree) -> Floats:
        """What each node costs as a leaf."""

    def of_subtrees(self, combined: Floats) -> Floats:
        """What subtrees cost whose children cost so much, together or on average."""
        return combined

    def margins(self, costs: Floats, weights: Floats) -> Floats | float:
        """How much more than subtrees of such costs and weights leaves may cost."""
        return 0.0

    def prefers_leaves(self, leaves: Floats, subtrees: Floats, weights: Floats) -> NDArray[np.bool_]:
        """Where a leaf is better than a subtree, by what both cost."""
        return at_most(leaves, subtrees + self.margins(subtrees, weights))

    def judged(self, tree: Tree, costs: Floats | None = None) -> Judgement:
        """What leaves and subtrees cost, and where leaves are better; `costs` of leaves may be given."""
        as_leaf = self.costs(tree) if costs is None else costs
        as_subtree, costs, is_cut = as_leaf.copy(), as_leaf.copy(), np.zeros(len(tree), dtype=bool)
        shares = _shares(tree) if self.averages else np.ones(len(tree))
        for nodes, children in reversed(inner_levels(tree)):
            combined = sums_over_children(tree, nodes, costs[children] * shares[children])
            as_subtree[nodes] = self.of_subtrees(combined)
            is_cut[nodes] = self.prefers_leaves(as_leaf[nodes], as_subtree[nodes], tree.weights[nodes])
            costs[nodes] = np.where(is_cut[nodes], as_leaf[nodes], as_subtree[nodes])
        return Judgement(as_leaf, as_subtree, is_cut)

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        return cut_at(tree, np.flatnonzero(self.judged(tree).is_cut))


def _shares(tree: Tree) -> Floats:
    """The part of the weight of its parent that each node has; the children of an empty one have equal parts."""
    above = tree.weights[tree.parent]
    equal = 1.0 / np.maximum(tree.branch_count[tree.parent], 1)
    return np.where(above > 0, tree.weights / np.where(above > 0, above, 1.0), equal)
