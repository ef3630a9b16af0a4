"""Decision modules: what the nodes of a tree answer."""

from __future__ import annotations

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.tree import Tree


class Proportions(DecisionModule):
    """The shares of the classes in the node."""

    def probabilities(self, tree: Tree) -> Floats:
        weights = tree.filled_class_weights
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class Laplace(DecisionModule):
    """The shares of the classes in the node with one more row of each."""

    def probabilities(self, tree: Tree) -> Floats:
        weights = tree.filled_class_weights + 1.0
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class MEstimate(DecisionModule):
    """The shares of the classes in the node with `m` more rows, distributed as those of the root."""

    m: float = parameter(default=2.0, at_least=0)

    def probabilities(self, tree: Tree) -> Floats:
        prior = tree.class_weights[0] / tree.class_weights[0].sum()
        weights = tree.filled_class_weights + self.m * prior
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class PathCombined(DecisionModule):
    """The shares of the classes in the node, weighted `w`, with what its parent answers, weighted 1."""

    w: float = parameter(default=1.0, at_least=0)

    def probabilities(self, tree: Tree) -> Floats:
        answers = Proportions().probabilities(tree)
        for node in range(1, len(tree)):
            answers[node] = (answers[tree.parent[node]] + self.w * answers[node]) / (1 + self.w)
        return answers
