"""Decision modules: what the nodes of a tree answer."""

from __future__ import annotations

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.costs import check_costs, costs_of
from intemi.machines.trees.priors import check_priors, factors, priors_of
from intemi.machines.trees.tree import Tree


class Proportions(DecisionModule):
    """The shares of the classes in the node."""

    version = 2

    def probabilities(self, tree: Tree) -> Floats:
        weights = tree.filled_class_weights
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class Laplace(DecisionModule):
    """The shares of the classes in the node with one more row of each."""

    version = 2

    def probabilities(self, tree: Tree) -> Floats:
        weights = tree.filled_class_weights + 1.0
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class MEstimate(DecisionModule):
    """The shares of the classes in the node with `m` more rows, distributed as those of the root."""

    version = 2

    m: float = parameter(default=2.0, at_least=0, search=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0))

    def probabilities(self, tree: Tree) -> Floats:
        prior = tree.class_weights[0] / tree.class_weights[0].sum()
        weights = tree.filled_class_weights + self.m * prior
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class PathCombined(DecisionModule):
    """The shares of the classes in the node, weighted `w`, with what its parent answers, weighted 1."""

    version = 2

    w: float = parameter(default=1.0, at_least=0, search=(0.25, 0.5, 1.0, 2.0))

    def probabilities(self, tree: Tree) -> Floats:
        answers = Proportions().probabilities(tree)
        for node in range(1, len(tree)):
            answers[node] = (answers[tree.parent[node]] + self.w * answers[node]) / (1 + self.w)
        return answers


class WithPriors(DecisionModule):
    """The shares of the classes in the node as they would be if all rows were distributed as `priors` say.

    >>> WithPriors(priors=(1, 1))
    WithPriors(priors=(1.0, 1.0))
    """

    version = 2

    priors: tuple[float, ...] = parameter()

    def check(self) -> None:
        check_priors(self.kind, self.priors)

    def probabilities(self, tree: Tree) -> Floats:
        priors = priors_of(self.kind, self.priors, tree.class_weights.shape[1])
        weights = tree.filled_class_weights * factors(priors, tree.class_weights[0])
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class LeastCost(DecisionModule):
    """The class that costs least, by the probabilities of another decision module, which stay as they are.

    `cost[i][j]` is what it costs to answer class i where j is right.

    >>> LeastCost(cost=((0, 1), (5, 0))).classes(np.array([[0.2, 0.8], [0.1, 0.9]])).tolist()
    [0, 1]
    """

    cost: tuple[tuple[float, ...], ...] = parameter()
    decision: DecisionModule = Proportions()

    def check(self) -> None:
        check_costs(self.kind, self.cost)

    def probabilities(self, tree: Tree) -> Floats:
        return self.decision.probabilities(tree)

    def classes(self, probabilities: Floats) -> Codes:
        costs = probabilities @ costs_of(self.kind, self.cost, probabilities.shape[1]).T
        least = costs.min(axis=1, keepdims=True)
        return np.asarray((costs <= least + 1e-12 * np.maximum(least, 1.0)).argmax(axis=1), dtype=np.int32)
