"""Update rules of boosting: how the weights of rows change with what a member gets wrong, and what its vote counts.

Formulas: p are the weights before, e the weighted error of the member, r = e / (1 - e), i the number of the step.
"Right factor" and "wrong factor" are what weights of rows are multiplied by that the member got right and wrong.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from intemi.kernel import Component
from intemi.machines.committees.decision_rules import (
    DecisionRule,
    LeastCostRule,
    Vote,
    WeightedAverage,
    WeightedVote,
    check_costs_of_errors,
)
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.costs import Costs, costs_of


@dataclass(frozen=True, eq=False)
class Round:
    """One step of boosting: what the member that learned from the weights answers for all rows."""

    shares: Floats
    """The weights of the rows, which add up to 1."""
    true: Codes
    answers: Codes
    classes: int
    """How many classes there are."""
    step: int = 1
    """From 1."""
    memory: Floats | None = None
    """What the rule has remembered from the step before."""
    probabilities: Floats | None = None
    """Rows × classes, if the rule needs them."""

    @cached_property
    def wrong(self) -> Floats:
        """1 for each row that the member gets wrong, else 0."""
        return np.asarray(self.answers != self.true, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Updated:
    """The weights for the next step, and what the rule remembers."""

    shares: Floats
    memory: Floats | None = None


class UpdateRule(Component):
    """How boosting goes on after a step. A subclass writes `updated`."""

    needs_probabilities = False
    """Whether the probabilities of members count, not only their answers."""
    judges = True
    """Whether errors that are high, or 0, are treated by the policies of boosting."""

    @property
    def rule(self) -> DecisionRule:
        """How the members decide together."""
        return WeightedVote()

    def error(self, given: Round) -> float:
        """The weighted error of the member, on all rows."""
        return float(given.shares @ given.wrong)

    def limit(self, classes: int) -> float:
        """The error from which on a member is of no use."""
        return 0.5

    def vote(self, error: float, classes: int) -> float:
        """The vote weight of a member with an error: ln((1 - e) / e)."""
        return float(np.log((1 - error) / error))

    @abstractmethod
    def updated(self, given: Round, error: float) -> Updated:
        """The weights for the next step; the error is above 0 and below the limit."""


class AdaBoost(UpdateRule):
    """AdaBoost.M1: right factor r / 2e, wrong factor 1 / 2e; half of all weight is then on the rows that were wrong.

    >>> given = Round(np.full(4, 0.25), np.array([0, 0, 1, 1]), np.array([1, 0, 1, 1]), classes=2)
    >>> AdaBoost().updated(given, AdaBoost().error(given)).shares.round(4).tolist()
    [0.5, 0.1667, 0.1667, 0.1667]
    """

    def updated(self, given: Round, error: float) -> Updated:
        # r / 2e = 1 / 2(1 - e)
        return Updated(given.shares * np.where(given.wrong > 0, 0.5 / error, 0.5 / (1 - error)))


class AdaBoostAlpha(AdaBoost):
    """AdaBoost in the form with a = ½ ln((1 - e) / e): factors exp(-a), exp(a), vote a. The same weights, half votes.

    >>> AdaBoostAlpha().vote(0.4, classes=2)
    0.2027325540540821
    """

    def vote(self, error: float, classes: int) -> float:
        return super().vote(error, classes) / 2

    def updated(self, given: Round, error: float) -> Updated:
        alpha = self.vote(error, given.classes)
        return Updated(_to_one(given.shares * np.exp(np.where(given.wrong > 0, alpha, -alpha))))


class Conservative(UpdateRule):
    """Conservative boosting: right factor √r, wrong factor 1; the vote is ln(1 / √r). Weights change more slowly.

    >>> given = Round(np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 0, 0]), classes=2)
    >>> Conservative().updated(given, 0.2).shares.round(4).tolist()
    [0.3333, 0.1667, 0.1667, 0.1667, 0.1667]
    """

    def vote(self, error: float, classes: int) -> float:
        return super().vote(error, classes) / 2

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_to_one(given.shares * _root(error) ** (1 - given.wrong)))


class Inverse(Conservative):
    """Inverse boosting: right factor 1, wrong factor √r: rows that are right gain weight.

    >>> given = Round(np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 0, 0]), classes=2)
    >>> Inverse().updated(given, 0.2).shares.round(4).tolist()
    [0.1111, 0.2222, 0.2222, 0.2222, 0.2222]
    """

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_to_one(given.shares * _root(error) ** given.wrong))


class Averaged(AdaBoost):
    """Averaged boosting: the mean of the weights of all steps, (i p + AdaBoost's) / (i + 1).

    >>> given = Round(np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 0, 0]), classes=2)
    >>> Averaged().updated(given, 0.2).shares.round(4).tolist()
    [0.35, 0.1625, 0.1625, 0.1625, 0.1625]
    """

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_averaged(given, super().updated(given, error).shares))


class AveragedConservative(Conservative):
    """Averaged conservative boosting as it was printed: (i p + p √r^(right)) / (i + 1), then made to add up to 1.

    >>> given = Round(np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 0, 0]), classes=2)
    >>> AveragedConservative().updated(given, 0.2).shares.round(4).tolist()
    [0.25, 0.1875, 0.1875, 0.1875, 0.1875]
    """

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_to_one(_averaged(given, given.shares * _root(error) ** (1 - given.wrong))))


class AveragedConservativeNormalized(Conservative):
    """Averaged conservative boosting of weights that add up to 1: (i p + conservative's) / (i + 1).

    >>> given = Round(np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 0, 0]), classes=2)
    >>> AveragedConservativeNormalized().updated(given, 0.2).shares.round(4).tolist()
    [0.2667, 0.1833, 0.1833, 0.1833, 0.1833]
    """

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_averaged(given, super().updated(given, error).shares))


class SAMME(UpdateRule):
    """SAMME, AdaBoost for K classes: wrong factor exp(vote), vote ln((1 - e) / e) + ln(K - 1); errors up to 1 - 1 / K.

    >>> round(SAMME().vote(0.3, classes=3), 6)
    1.540445
    """

    def limit(self, classes: int) -> float:
        return 1 - 1 / classes

    def vote(self, error: float, classes: int) -> float:
        return super().vote(error, classes) + float(np.log(max(classes - 1, 1)))

    def updated(self, given: Round, error: float) -> Updated:
        return Updated(_to_one(given.shares * np.exp(self.vote(error, given.classes) * given.wrong)))


class ArcX4(UpdateRule):
    """Arc-x4: weights in proportion to 1 + m⁴, where m members so far were wrong; a plain vote, whatever the errors.

    >>> given = Round(np.full(2, 0.5), np.zeros(2), np.array([1, 0]), classes=2, memory=np.array([1.0, 0.0]))
    >>> ArcX4().updated(given, 0.5).shares.round(4).tolist()
    [0.9444, 0.0556]
    """

    judges = False

    @property
    def rule(self) -> DecisionRule:
        return Vote()

    def vote(self, error: float, classes: int) -> float:
        return 1.0

    def updated(self, given: Round, error: float) -> Updated:
        times = given.wrong if given.memory is None else given.memory + given.wrong
        return Updated(_to_one(1 + times**4), times)


class AdaBoostM2(UpdateRule):
    """AdaBoost.M2: weights of pairs of a row and a wrong class, by the probabilities that members give to them.

    The error is the pseudo-loss, half the weighted sum of 1 - h(right) + h(wrong); members vote with probabilities.

    >>> AdaBoostM2().rule
    WeightedAverage()
    """

    needs_probabilities = True

    @property
    def rule(self) -> DecisionRule:
        return WeightedAverage()

    def error(self, given: Round) -> float:
        return float((_pairs(given) * (1 - _margins(given))).sum() / 2)

    def updated(self, given: Round, error: float) -> Updated:
        odds = error / (1 - error)
        pairs = _to_one(_pairs(given) * odds ** ((1 + _margins(given)) / 2))
        return Updated(pairs.sum(axis=1), pairs)


class CostBoosting(AdaBoostAlpha):
    """Boosting by costs: a wrong row gets the cost of its error, a right one n p; the answer is what costs least.

    `cost[i][j]` is what it costs to answer class i where class j is right.

    >>> CostBoosting(cost=((0, 2), (1, 0))).rule
    LeastCostRule(cost=((0.0, 2.0), (1.0, 0.0)), rule=WeightedVote(inner='lowest'))
    """

    cost: Costs

    def check(self) -> None:
        check_costs_of_errors(self.kind, self.cost)

    @property
    def rule(self) -> DecisionRule:
        return LeastCostRule(self.cost)

    def updated(self, given: Round, error: float) -> Updated:
        costs = costs_of(self.kind, self.cost, given.classes)[given.answers, given.true]
        return Updated(_to_one(np.where(given.wrong > 0, costs, len(given.shares) * given.shares)))


def _to_one(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())


def _root(error: float) -> float:
    return float(np.sqrt(error / (1 - error)))


def _averaged(given: Round, new: Floats) -> Floats:
    return np.asarray((given.step * given.shares + new) / (given.step + 1))


def _pairs(given: Round) -> Floats:
    """The weights of pairs of a row and a class that is not its own, rows × classes."""
    if given.memory is not None:
        return given.memory
    pairs = np.repeat(given.shares[:, None] / max(given.classes - 1, 1), given.classes, axis=1)
    pairs[np.arange(len(pairs)), given.true] = 0.0
    return pairs


def _margins(given: Round) -> Floats:
    """By how much the probability of the right class exceeds that of each class."""
    assert given.probabilities is not None
    right = np.take_along_axis(given.probabilities, given.true[:, None].astype(np.intp), axis=1)
    return np.asarray(right - given.probabilities)
