"""Orders: in which order to test configurations before anything is known of the present data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence

import numpy as np

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.scores import PValueScore, Score
from intemi.machines.meta_learning.strategy import Setting


class Order(Component):
    """Puts candidates into an order, the most promising first."""

    @abstractmethod
    def ordered(self, setting: Setting) -> list[Hashable]:
        """All candidates of a search."""


class GivenOrder(Order):
    """The order in which they were given."""

    def ordered(self, setting: Setting) -> list[Hashable]:
        return setting.every_candidate()


class RandomOrder(Order):
    """A random order, from the seed of the search."""

    random = True

    def ordered(self, setting: Setting) -> list[Hashable]:
        candidates = setting.every_candidate()
        return [candidates[place] for place in setting.rng.permutation(len(candidates))]


class BestOnAverage(Order):
    """By the mean of a score over all data sets of the knowledge base; candidates that it does not know come last.

    >>> base = KnowledgeBase(("iris", "wine"), ("knn", "tree"), [[[0.9, 1.0], [0.8, 0.9]], [[0.7, 0.8], [0.6, 0.9]]])
    >>> BestOnAverage().ordered(Setting(["new", "tree", "knn"], base))
    ['knn', 'tree', 'new']
    """

    score: Score = PValueScore()

    def ordered(self, setting: Setting) -> list[Hashable]:
        knowledge = setting.known_to(self)
        return by_weighted_score(setting.every_candidate(), knowledge, self.score, np.ones(len(knowledge.data_sets)))


def by_weighted_score(
    candidates: Sequence[Hashable], knowledge: KnowledgeBase, score: Score, weights: Floats
) -> list[Hashable]:
    """Candidates by the weighted mean of their scores; equal ones keep their order, unknown ones come last."""
    scores = knowledge.scored(score)
    usable = np.isfinite(scores)
    # Data sets whose best result does not vary give infinite differences: they say nothing.
    sums = (np.where(usable, scores, 0.0) * weights[:, None]).sum(axis=0)
    shares = (usable * weights[:, None]).sum(axis=0)
    means = np.where(shares > 0, sums / np.where(shares > 0, shares, 1.0), -np.inf)
    columns = knowledge.columns
    value = {each: means[columns[each]] if each in columns else -np.inf for each in candidates}
    return sorted(candidates, key=lambda each: -value[each])
