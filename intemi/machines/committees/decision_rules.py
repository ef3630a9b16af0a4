"""Decision rules: what a committee makes of the answers of its members. A rule gives each class a score.

A rule works on arrays (`Answers`), and gives the scores of all members, or of the first 1, 2, … of them in one pass.
Members that abstain are skipped. Names are those of the literature on combining classifiers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import reduce
from itertools import accumulate
from typing import Literal

import numpy as np

from intemi.kernel import Component, ConfigurationError
from intemi.machines.committees.answers import LABELS, PROBABILITIES, SUPPORTS, Answers
from intemi.machines.interfaces import Floats
from intemi.machines.trees.costs import Costs, check_costs, costs_of

EQUAL = 1e-12
"""Probabilities that differ by less are equal."""


class DecisionRule(Component):
    """Gives each class a score, for each row. A subclass writes `running`, and says what it `needs`."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Which fields of `Answers` it reads."""
        return (PROBABILITIES,)

    @abstractmethod
    def running(self, answers: Answers) -> Iterator[Floats]:
        """Scores (rows × classes, none below 0) of the first member, of the first two, and so on."""

    def scores(self, answers: Answers) -> Floats:
        """Scores (rows × classes) of all members."""
        *_, last = self.running(answers)
        return last

    def shares(self, scores: Floats, priors: Floats) -> Floats:
        """The probabilities that scores stand for: they add up to 1; where there is no score, they are the priors."""
        total = scores.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, scores / np.where(total > 0, total, 1.0), priors))

    def preferences(self, shares: Floats) -> Floats:
        """What is highest for the class to be answered; nearly always that is its probability."""
        return shares


class _Sum(DecisionRule, abstract=True):
    """Adds up what each member gives to the classes."""

    @abstractmethod
    def given(self, answers: Answers, member: int) -> Floats:
        """What a member gives to the classes, rows × classes."""

    def running(self, answers: Answers) -> Iterator[Floats]:
        total = np.zeros((len(answers.rows), len(answers.priors)))
        for member in range(answers.size):
            total = total + self.given(answers, member)
            yield total

    def scores(self, answers: Answers) -> Floats:
        total = np.zeros((len(answers.rows), len(answers.priors)))
        for member in range(answers.size):
            total += self.given(answers, member)
        return total


class WeightedVote(_Sum):
    """Each member votes for the class that it answers, with its vote weight.

    A member whose probabilities are equal for several classes votes for the one that it answers, or, with
    `inner="split"`, for each of them.

    >>> answers = Answers(np.array([1.0, 3.0, 1.0]), np.ones(2) / 2, np.arange(1), labels=np.array([[0], [1], [0]]))
    >>> WeightedVote().scores(answers)
    array([[2., 3.]])
    """

    inner: Literal["lowest", "split"] = "lowest"

    @property
    def needs(self) -> tuple[str, ...]:
        return (LABELS,) if self.inner == "lowest" else (PROBABILITIES,)

    def weights(self, answers: Answers) -> Floats:
        """What the vote of each member counts."""
        return answers.weights

    def given(self, answers: Answers, member: int) -> Floats:
        weight = self.weights(answers)[member]
        if self.inner == "split":
            assert answers.probabilities is not None
            shares = answers.probabilities[member]
            highest = shares.max(axis=1, keepdims=True)
            return np.asarray(weight * ((shares >= highest - EQUAL) & (highest > 0)))
        assert answers.labels is not None
        return np.asarray(weight * (answers.labels[member][:, None] == np.arange(len(answers.priors))))

    def scores(self, answers: Answers) -> Floats:
        if self.inner == "split":
            return super().scores(answers)
        assert answers.labels is not None
        rows, classes = len(answers.rows), len(answers.priors)
        cells = answers.labels + np.arange(rows) * classes  # in the order of members, as one by one
        weights = np.repeat(self.weights(answers), rows)
        taking_part = answers.labels.ravel() >= 0
        if not taking_part.all():
            cells, weights = cells.ravel()[taking_part], weights[taking_part]
        return np.asarray(np.bincount(cells.ravel(), weights, rows * classes).reshape(rows, classes), dtype=np.float64)


class Vote(WeightedVote):
    """Each member votes for the class that it answers (plurality).

    >>> answers = Answers(np.ones(3), np.ones(2) / 2, np.arange(2), labels=np.array([[0, 1], [1, 1], [0, 1]]))
    >>> [scores.tolist() for scores in Vote().running(answers)]
    [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 2.0]], [[2.0, 1.0], [0.0, 3.0]]]
    """

    def weights(self, answers: Answers) -> Floats:
        return np.ones(answers.size)


class WeightedAverage(_Sum):
    """The mean of the members' probabilities, each with its vote weight.

    >>> answers = Answers(np.array([1.0, 3.0]), np.ones(2) / 2, np.arange(1), probabilities=np.eye(2)[:, None, :])
    >>> WeightedAverage().shares(WeightedAverage().scores(answers), answers.priors)
    array([[0.25, 0.75]])
    """

    def given(self, answers: Answers, member: int) -> Floats:
        assert answers.probabilities is not None
        return np.asarray(answers.weights[member] * answers.probabilities[member])


class Average(_Sum):
    """The mean of the members' probabilities.

    >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(1), probabilities=np.eye(2)[:, None, :])
    >>> Average().scores(answers)
    array([[1., 1.]])
    """

    def given(self, answers: Answers, member: int) -> Floats:
        assert answers.probabilities is not None
        return np.asarray(answers.probabilities[member])


class Support(_Sum):
    """The training rows of each class in the leaves that a row reaches: large leaves count more.

    >>> Support().needs
    ('supports',)
    """

    @property
    def needs(self) -> tuple[str, ...]:
        return (SUPPORTS,)

    def given(self, answers: Answers, member: int) -> Floats:
        assert answers.supports is not None
        return np.asarray(answers.supports[member])


class _Elementwise(DecisionRule, abstract=True):
    """A function of the members' probabilities of each class; where it is 0 for all classes, the average decides."""

    @abstractmethod
    def of(self, told: Floats) -> Floats:
        """Scores, of probabilities of members × rows × classes; NaN where a member abstains."""

    def running(self, answers: Answers) -> Iterator[Floats]:
        for size in range(1, answers.size + 1):
            yield self.scores(answers.first(size))

    def scores(self, answers: Answers) -> Floats:
        told, given = self._told(answers)
        someone = np.flatnonzero(~np.isnan(told).all(axis=(0, 2)))
        found = np.zeros(told.shape[1:])
        found[someone] = self.of(told[:, someone])
        return _or_sum(found, given)

    def _told(self, answers: Answers) -> tuple[Floats, Floats]:
        """The members' probabilities with NaN where a member abstains, and as they are."""
        given = answers.probabilities
        assert given is not None
        return np.where(given.sum(axis=2, keepdims=True) <= 0, np.nan, given), given


def _or_sum(scores: Floats, given: Floats) -> Floats:
    """Scores; where they are 0 for all classes, the sum of what members have given to each."""
    nothing = scores.sum(axis=1) <= 0
    if nothing.any():
        scores[nothing] = given[:, nothing].sum(axis=0)
    return scores


class _Extreme(_Elementwise, abstract=True):
    """The greatest or the least of the members' probabilities, which one more member changes or not."""

    @abstractmethod
    def of_two(self, first: Floats, second: Floats) -> Floats:
        """The greater or the lesser of two arrays; where one has NaN, the other."""

    def of(self, told: Floats) -> Floats:
        return reduce(self.of_two, told)

    def running(self, answers: Answers) -> Iterator[Floats]:
        told, given = self._told(answers)
        for size, found in enumerate(accumulate(told, self.of_two), 1):
            yield _or_sum(np.nan_to_num(found), given[:size])


class ProductRule(_Elementwise):
    """The product of the members' probabilities, in proportion to that of the best class.

    >>> told = np.array([[[0.8, 0.2]], [[0.5, 0.5]]])  # two members, one row, two classes
    >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(1), probabilities=told)
    >>> ProductRule().scores(answers)
    array([[1.  , 0.25]])
    """

    def of(self, told: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logarithms = np.nansum(np.log(told), axis=0)
        highest = logarithms.max(axis=1, keepdims=True)
        return np.asarray(np.exp(logarithms - np.where(np.isfinite(highest), highest, 0.0)))


class MinimumRule(_Extreme):
    """The least of the members' probabilities.

    >>> told = np.array([[[0.8, 0.2]], [[0.5, 0.5]]])  # two members, one row, two classes
    >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(1), probabilities=told)
    >>> MinimumRule().scores(answers)
    array([[0.5, 0.2]])
    """

    def of_two(self, first: Floats, second: Floats) -> Floats:
        return np.asarray(np.fmin(first, second))


class MaximumRule(_Extreme):
    """The greatest of the members' probabilities.

    >>> told = np.array([[[0.8, 0.2]], [[0.5, 0.5]]])  # two members, one row, two classes
    >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(1), probabilities=told)
    >>> MaximumRule().scores(answers)
    array([[0.8, 0.5]])
    """

    def of_two(self, first: Floats, second: Floats) -> Floats:
        return np.asarray(np.fmax(first, second))


class MedianRule(_Elementwise):
    """The median of the members' probabilities.

    >>> told = np.array([[[0.8, 0.2]], [[0.5, 0.5]]])  # two members, one row, two classes
    >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(1), probabilities=told)
    >>> MedianRule().scores(answers)
    array([[0.65, 0.35]])
    """

    def of(self, told: Floats) -> Floats:
        return np.asarray(np.nanmedian(told, axis=0))


class LeastCostRule(DecisionRule):
    """The class of the least expected cost, by the probabilities of another rule.

    `cost[i][j]` is what it costs to answer class i where class j is right; nothing, where they are the same.

    >>> rule = LeastCostRule(cost=((0, 1), (5, 0)))
    >>> rule.preferences(np.array([[0.3, 0.7]])).argmax()
    np.int64(0)
    """

    cost: Costs
    rule: DecisionRule = WeightedVote()

    def check(self) -> None:
        check_costs_of_errors(self.kind, self.cost)

    @property
    def needs(self) -> tuple[str, ...]:
        return self.rule.needs

    def running(self, answers: Answers) -> Iterator[Floats]:
        return self.rule.running(answers)

    def scores(self, answers: Answers) -> Floats:
        return self.rule.scores(answers)

    def preferences(self, shares: Floats) -> Floats:
        return np.asarray(-shares @ costs_of(self.kind, self.cost, shares.shape[1]).T)


def check_costs_of_errors(kind: str, costs: Costs) -> None:
    """Refuse what is not a square of numbers, and costs of right answers."""
    check_costs(kind, costs)
    if any(costs[each][each] for each in range(len(costs))):
        raise ConfigurationError(f"{kind}: cost must be 0 where the answer is right, got {costs!r}")
