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
    """A number for each data set and each configuration of a knowledge base, NaN where it is not known.

    What it says of a data set must depend on the results on that one alone: a part of a knowledge base has the same
    scores.
    """

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
            compared = self.compared(knowledge, row)
            np.fill_diagonal(compared, np.nan)
            known = ~np.isnan(compared)
            sums, counts = np.where(known, compared, 0.0).sum(axis=1), known.sum(axis=1)
            scores[row] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return scores

    @abstractmethod
    def compared(self, knowledge: KnowledgeBase, row: int) -> Floats:
        """How each configuration compares with each other one on one data set; NaN where that is not known."""


class AccuracyRatioScore(PairwiseScore):
    """The mean ratio of the accuracy to that of others (success rate ratio).

    >>> base = KnowledgeBase(("iris",), ("a", "b", "c"), [[[0.9], [0.6], [0.45]]])
    >>> AccuracyRatioScore().of(base).round(4).tolist()
    [[1.75, 1.0, 0.625]]
    """

    def compared(self, knowledge: KnowledgeBase, row: int) -> Floats:
        return _ratios(knowledge.accuracies[row])


class SignificantWinsScore(PairwiseScore):
    """The share of others that are significantly worse, by paired t-tests."""

    alpha: float = parameter(default=0.05, above=0, below=1)

    def compared(self, knowledge: KnowledgeBase, row: int) -> Floats:
        results, accuracies = knowledge.results[row], knowledge.accuracies[row]
        is_better = accuracies[:, None] > accuracies
        wins = is_better & (paired_p_values(results[:, None] - results) < self.alpha)
        return np.where(np.isnan(accuracies[:, None] + accuracies), np.nan, wins)


class AdjustedRatioScore(PairwiseScore):
    """The mean ratio of accuracies, adjusted by the ratio of times (ARR, and its mean RL, of METAL).

    A configuration that takes a tenth of the time may be less accurate by `trade`, relative to the other, and is as
    good. The denominator is at least 0.1: at extreme ratios of times it would reach 0, or change its sign.
    """

    trade: float = parameter(default=0.01, at_least=0)

    def compared(self, knowledge: KnowledgeBase, row: int) -> Floats:
        if knowledge.seconds is None:
            raise ConfigurationError(f"{self.kind}: it needs a knowledge base with seconds")
        seconds = np.log10(np.maximum(knowledge.seconds[row], LEAST_SECONDS))
        slower = np.maximum(1 + self.trade * (seconds[:, None] - seconds), LEAST_DENOMINATOR)
        return np.asarray(_ratios(knowledge.accuracies[row]) / slower)


def _ratios(values: Floats) -> Floats:
    """Of each value to each other one."""
    return np.asarray(values[:, None] / np.where(values > 0, values, np.nan))
