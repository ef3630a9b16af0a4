"""A profile: results on the present data, by which other data sets are found that resemble it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.orders import by_weighted_score
from intemi.machines.meta_learning.scores import Score
from intemi.machines.meta_learning.similarities import Similarity

MIN_PROFILE = 2
"""Fewer results say nothing about relations."""


class Eviction(Component):
    """Which result leaves a profile that has become too large."""

    @abstractmethod
    def evicted(self, results: Floats, known: Floats) -> int:
        """The place of the one that leaves, by the results and those of the same machines on other data sets."""


class KeepDiverse(Eviction):
    """The results that are kept should differ as much as they can, above all those of machines that tell data apart.

    What leaves is the result without which the sum of |z_i - z_j| v_i v_j over all pairs is the largest: z are results
    in standard units, v the standard deviation of the results of a machine over the data sets, in the same units.
    """

    def evicted(self, results: Floats, known: Floats) -> int:
        z = _standard_units(results)
        v = np.nanstd(np.apply_along_axis(_standard_units, 1, known), axis=0)
        worth = np.abs(z[:, None] - z) * v[:, None] * v
        return int(worth.sum(axis=1).argmin())


def _standard_units(values: Floats) -> Floats:
    deviation = np.nanstd(values)
    return np.asarray((values - np.nanmean(values)) / (deviation if deviation > 0 else 1.0))


class Profile:
    """Results on the present data, and the order of candidates that follows from them.

    `max_size` bounds how many results are compared. What leaves is decided by `eviction`; a profile of the best results
    alone would be stuck with whatever it began with.
    """

    def __init__(
        self,
        knowledge: KnowledgeBase,
        similarity: Similarity,
        score: Score,
        max_size: int | None = None,
        eviction: Eviction | None = None,
    ) -> None:
        self._knowledge, self._similarity, self._score = knowledge, similarity, score
        self._max_size, self._eviction = max_size, eviction or KeepDiverse()
        self._results: dict[Hashable, float] = {}
        self.has_changed = False

    @property
    def results(self) -> Mapping[Hashable, float]:
        """The results that it compares."""
        return self._results

    def register(self, candidate: Hashable, result: float) -> None:
        """Take in a result. What the knowledge base does not know cannot be compared, and is left out."""
        if candidate not in self._knowledge.columns:
            return
        before = set(self._results)
        self._results[candidate] = result
        if self._max_size is not None and len(self._results) > self._max_size:
            self._evict()
        self.has_changed |= set(self._results) != before

    def force(self, candidate: Hashable, result: float) -> None:
        """Take in a result, whatever the eviction thinks of it: another one leaves."""
        if candidate not in self._knowledge.columns or candidate in self._results:
            return
        if self._max_size is not None and len(self._results) >= self._max_size:
            self._evict()
        self._results[candidate] = result
        self.has_changed = True

    def restore(self, results: Mapping[Hashable, float], kept: Collection[Hashable] = ()) -> Hashable:
        """Take the results of an earlier profile but for one, which is none of those to be kept, and is returned."""
        self._results = dict(results)
        self.has_changed = True
        return self._evict(kept)

    def _evict(self, kept: Collection[Hashable] = ()) -> Hashable:
        """Let a result leave that need not be kept, and say whose."""
        places = [place for place, member in enumerate(self._results) if member not in kept]
        members = list(self._results)
        evicted = members[places[self._eviction.evicted(self._values()[places], self._known()[:, places])]]
        del self._results[evicted]
        return evicted

    def ranking(self, candidates: Sequence[Hashable]) -> list[Hashable] | None:
        """Candidates by the mean of their scores on similar data sets; of equal ones, the first of those given.

        None if there are too few results, or no data set is similar.
        """
        self.has_changed = False
        if len(self._results) < MIN_PROFILE:
            return None
        weights = self._similarity.weights(self._values(), self._known())
        if not weights.any():
            return None
        return by_weighted_score(candidates, self._knowledge, self._score, weights)

    def _values(self) -> Floats:
        return np.array(list(self._results.values()))

    def _known(self) -> Floats:
        """Accuracies of the same machines: data sets × results."""
        known: Floats = self._knowledge.accuracies[:, self._knowledge.columns_of(list(self._results))]
        return known
