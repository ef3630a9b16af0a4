"""Scores: how good a configuration was on each data set of a knowledge base; higher is better."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase, paired_p_values

MAX_COMPARED = 200
"""Configurations up to which each is compared with each other one."""
LEAST_DENOMINATOR = 0.1
LEAST_SECONDS = 1e-6


class Score(Component):
    """A number for each data set and each configuration of a knowledge base, NaN where it is not known."""

    @abstractmethod
    def of(self, knowledge: KnowledgeBase) -> Floats:
        """Data sets × configurations; higher is better."""


class AccuracyScore(Score):
    """The accuracy itself. Data sets that are easy for all count no less than others."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.accuracies


class DifferenceScore(Score):
    """The difference from the best accuracy on the data set, in standard deviations of the best."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.differences


class RankScore(Score):
    """The rank among all configurations, negative."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return -knowledge.ranks


class PValueScore(Score):
    """The p-value of a paired t-test against the best: what is clearly worse counts as 0, however bad it is."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.p_values


class PairwiseScore(Score):
    """A score by comparisons of each configuration with all others: quadratic, so their number is bounded."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        count = len(knowledge.configurations)
        if count > MAX_COMPARED:
            raise ConfigurationError(f"{self.kind}: at most {MAX_COMPARED} configurations are compared, got {count}")
        scores = np.full((len(knowledge.data_sets), count), np.nan)
        for row in range(len(scores)):
            for column in np.flatnonzero(~np.isnan(knowledge.accuracies[row])):
                against = self.against_others(knowledge, row, int(column))
                against[column] = np.nan
                known = against[~np.isnan(against)]
                scores[row, column] = known.mean() if len(known) else np.nan
        return scores

    @abstractmethod
    def against_others(self, knowledge: KnowledgeBase, row: int, column: int) -> Floats:
        """How a configuration compares with each of all, on one data set; NaN where that is not known."""


class AccuracyRatioScore(PairwiseScore):
    """The mean ratio of the accuracy to that of others (success rate ratio).

    >>> base = KnowledgeBase(("iris",), ("a", "b", "c"), [[[0.9], [0.6], [0.45]]])
    >>> AccuracyRatioScore().of(base).round(4).tolist()
    [[1.75, 1.0, 0.625]]
    """

    def against_others(self, knowledge: KnowledgeBase, row: int, column: int) -> Floats:
        accuracies = knowledge.accuracies[row]
        return _ratios(accuracies[column], accuracies)


class SignificantWinsScore(PairwiseScore):
    """The share of others that are significantly worse, by paired t-tests."""

    alpha: float = parameter(default=0.05, above=0, below=1)

    def against_others(self, knowledge: KnowledgeBase, row: int, column: int) -> Floats:
        differences = knowledge.results[row, column] - knowledge.results[row]
        is_better = knowledge.accuracies[row, column] > knowledge.accuracies[row]
        wins = is_better & (paired_p_values(differences) < self.alpha)
        return np.where(np.isnan(knowledge.accuracies[row]), np.nan, wins)


class AdjustedRatioScore(PairwiseScore):
    """The mean ratio of accuracies, adjusted by the ratio of times (ARR, and its mean RL, of METAL).

    A configuration that takes a tenth of the time may be less accurate by `trade`, relative to the other, and is as
    good. The denominator is at least 0.1: at extreme ratios of times it would reach 0, or change its sign.
    """

    trade: float = parameter(default=0.01, at_least=0)

    def against_others(self, knowledge: KnowledgeBase, row: int, column: int) -> Floats:
        if knowledge.seconds is None:
            raise ConfigurationError(f"{self.kind}: it needs a knowledge base with seconds")
        accuracies, seconds = knowledge.accuracies[row], np.maximum(knowledge.seconds[row], LEAST_SECONDS)
        slower = np.maximum(1 + self.trade * np.log10(seconds[column] / seconds), LEAST_DENOMINATOR)
        return np.asarray(_ratios(accuracies[column], accuracies) / slower)


def _ratios(value: float, others: Floats) -> Floats:
    return np.asarray(value / np.where(others > 0, others, np.nan))
