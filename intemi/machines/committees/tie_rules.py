"""Tie rules: which class a committee answers where several have the best score, and how a decision is made of both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from intemi.kernel import Component, parameter
from intemi.machines.committees.answers import PROBABILITIES, Answers
from intemi.machines.committees.decision_rules import EQUAL, DecisionRule
from intemi.machines.interfaces import Codes, Floats


class TieRule(Component):
    """Chooses among classes of equal score. A subclass writes `chosen`, and says what it `needs`."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Which fields of `Answers` it reads."""
        return ()

    @abstractmethod
    def chosen(self, tied: Any, answers: Answers) -> Codes:
        """A class for each row: one of those that are tied (truth values, rows × classes)."""


class LowestClass(TieRule):
    """The class that comes first in the data.

    >>> LowestClass().chosen(np.array([[False, True, True]]), None).tolist()
    [1]
    """

    def chosen(self, tied: Any, answers: Answers) -> Codes:
        return np.asarray(tied.argmax(axis=1), dtype=np.int32)


class LargestMeanProbability(TieRule):
    """The class to which members give the largest probability in the mean, then the first.

    >>> LargestMeanProbability().needs
    ('probabilities',)
    """

    @property
    def needs(self) -> tuple[str, ...]:
        return (PROBABILITIES,)

    def chosen(self, tied: Any, answers: Answers) -> Codes:
        assert answers.probabilities is not None
        return _largest(tied, answers.probabilities.mean(axis=0))


class LargestPrior(TieRule):
    """The most frequent class of the training data, then the first.

    >>> answers = Answers(np.ones(1), np.array([0.2, 0.3, 0.5]), np.arange(1))
    >>> LargestPrior().chosen(np.array([[True, True, False]]), answers).tolist()
    [1]
    """

    def chosen(self, tied: Any, answers: Answers) -> Codes:
        return _largest(tied, np.broadcast_to(answers.priors, tied.shape))


class RandomClass(TieRule):
    """Any of them by chance; the same for the same row and seed, whatever other rows are asked about.

    >>> answers = Answers(np.ones(1), np.ones(3) / 3, np.arange(8))
    >>> RandomClass(seed=1).chosen(np.array([[True, False, True]] * 8), answers).tolist()
    [2, 0, 0, 0, 0, 0, 0, 0]
    """

    seed: int = parameter(default=0, at_least=0)

    def chosen(self, tied: Any, answers: Answers) -> Codes:
        drawn = [np.random.default_rng((self.seed, row)).random() for row in answers.rows.tolist()]
        wanted = np.floor(np.array(drawn) * tied.sum(axis=1)) + 1  # the first, the second, … of those that are tied
        return np.asarray((tied.cumsum(axis=1) >= wanted[:, None]).argmax(axis=1), dtype=np.int32)


def _largest(tied: Any, values: Floats) -> Codes:
    """The tied class of the largest value, the first of equal ones."""
    among = np.where(tied, values, -np.inf)
    return np.asarray((among >= among.max(axis=1, keepdims=True) - EQUAL).argmax(axis=1), dtype=np.int32)


def decision(rule: DecisionRule, tie: TieRule, answers: Answers) -> tuple[Codes, Floats]:
    """What all members decide together: for each row a class, and the probabilities of all classes.

    >>> from intemi.machines.committees.decision_rules import Vote
    >>> answers = Answers(np.ones(2), np.array([0.4, 0.6]), np.arange(1), labels=np.array([[0], [1]]))
    >>> decision(Vote(), LargestPrior(), answers)
    (array([1], dtype=int32), array([[0.5, 0.5]]))
    """
    return _decided(rule, tie, rule.scores(answers), answers, answers.size)


def decisions(rule: DecisionRule, tie: TieRule, answers: Answers) -> Iterator[tuple[Codes, Floats]]:
    """What the first member decides, the first two together, and so on: committees of all sizes in one pass.

    >>> from intemi.machines.committees.decision_rules import Vote
    >>> answers = Answers(np.ones(3), np.ones(2) / 2, np.arange(1), labels=np.array([[0], [1], [1]]))
    >>> [labels.tolist() for labels, _ in decisions(Vote(), LowestClass(), answers)]
    [[0], [0], [1]]
    """
    for size, scores in enumerate(rule.running(answers), 1):
        yield _decided(rule, tie, scores, answers, size)


def _decided(rule: DecisionRule, tie: TieRule, scores: Floats, answers: Answers, size: int) -> tuple[Codes, Floats]:
    """What the first members decide by their scores."""
    shares = rule.shares(scores, answers.priors)
    preferences = rule.preferences(shares)
    best = preferences.max(axis=1, keepdims=True)
    tied = preferences >= best - EQUAL * np.maximum(1.0, np.abs(best))
    labels = np.asarray(tied.argmax(axis=1), dtype=np.int32)
    several = np.flatnonzero(tied.sum(axis=1) > 1)
    if len(several):
        labels[several] = tie.chosen(tied[several], answers.first(size).at(several))
    return labels, shares
