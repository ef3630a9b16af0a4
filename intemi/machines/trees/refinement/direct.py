"""Direct pruning by the errors on the training data: as they are, with half an error more a leaf, or along paths."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import PathCombined
from intemi.machines.trees.pruning import cut_at, sums_over_leaves, training_errors
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning, Judgement, at_most, errors_deviation
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.refinement.tables import node_classes
from intemi.machines.trees.tree import Tree


def majority_errors(tree: Tree) -> Floats:
    """The errors of each node if it answers its majority."""
    return training_errors(tree, tree.filled_class_weights.argmax(axis=1))


def errors_of_answers(tree: Tree, decision: DecisionModule) -> Floats:
    """The errors of each node if it answers by a decision module."""
    return training_errors(tree, node_classes(tree, decision))


class Collapse(DirectPruning):
    """Make a leaf of every node whose leaves make hardly fewer errors than it would, as C4.5 does before it prunes.

    Errors are those of majorities: it is a part of growing, which does not depend on what the leaves answer.
    """

    slack: float = parameter(default=1e-3, at_least=0)

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        errors = majority_errors(tree)
        below = sums_over_leaves(tree, errors)
        return cut_at(tree, np.flatnonzero((tree.branch_count > 0) & (below >= errors - self.slack)))


class PessimisticError(DirectPruning):
    """Make leaves, the highest nodes first, that with half an error more each are hardly worse than their subtrees.

    `se` standard errors more are allowed: Quinlan's rule has one (PEP). As a refinement it counts errors of what the
    nodes answer; as the `pruning` of a tree that grows, which does not depend on that, those of majorities.

    >>> PessimisticError()
    PessimisticError(se=1.0)
    """

    version = 2

    se: float = parameter(default=1.0, at_least=0, search=(0.0, 0.5, 1.0))

    def judged(self, tree: Tree, errors: Floats | None = None) -> Judgement:
        """What leaves and whole subtrees cost, and where leaves are better; `errors` of nodes may be given."""
        as_leaf = (majority_errors(tree) if errors is None else errors) + 0.5 * (tree.weights > 0)
        as_subtree = sums_over_leaves(tree, as_leaf)
        allowed = as_subtree + self.se * errors_deviation(as_subtree, tree.weights)
        return Judgement(as_leaf, as_subtree, (tree.branch_count > 0) & at_most(as_leaf, allowed))

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        return cut_at(tree, np.flatnonzero(self.judged(tree).is_cut))

    def pruned_for(self, tree: Tree, data: Data, decision: DecisionModule) -> Tree:
        return cut_at(tree, np.flatnonzero(self.judged(tree, errors_of_answers(tree, decision)).is_cut))


class PathError(BottomUpPruning):
    """Make leaves of nodes that make no more errors than what is below, each answering with those above it (LTree).

    The answers are those of `PathCombined` with the same `w`. With them a subtree may be worse than its root.

    >>> PathError().decision()
    PathCombined(w=1.0)
    """

    version = 2

    w: float = parameter(default=1.0, at_least=0, search=(0.25, 0.5, 1.0, 2.0))

    def decision(self) -> PathCombined:
        return PathCombined(w=self.w)

    def costs(self, tree: Tree) -> Floats:
        return errors_of_answers(tree, self.decision())
