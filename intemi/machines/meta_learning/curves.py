"""Curves: how good a search is after each of its tests, on data whose best candidate is known."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.task import Outcome, Task


@dataclass(frozen=True, eq=False)
class Curves:
    """Differences from the best candidate of all, after each test; none is above 0.

    >>> curves = Curves.of([-3.0, -1.0, -2.0, -4.0])
    >>> curves.best.tolist(), curves.best_three.tolist()
    ([-3.0, -1.0, -1.0, -1.0], [-3.0, -2.0, -2.0, -2.0])
    >>> curves.each.tolist(), curves.mean.round(2).tolist(), curves.area
    ([-3.0, -1.0, -2.0, -4.0], [-3.0, -2.0, -2.0, -2.5], -1.5)
    """

    best: Floats
    """Of the best so far (the book's a)."""
    best_three: Floats
    """The mean of the three best so far, or of all if there are fewer (b)."""
    each: Floats
    """Of each test (c)."""
    mean: Floats
    """The mean of all so far (d)."""

    @classmethod
    def of(cls, differences: Sequence[float] | Floats) -> Curves:
        """The curves of tests in their order."""
        each = np.asarray(differences, dtype=np.float64)
        three = np.array([np.sort(each[: t + 1])[-3:].mean() for t in range(len(each))])
        return cls(np.maximum.accumulate(each), three, each, np.cumsum(each) / np.arange(1, len(each) + 1))

    @property
    def area(self) -> float:
        """The mean height of the curve of the best so far: 0 if the first test found the best."""
        return float(self.best.mean())


def rank_correlation(order: Sequence[Hashable], knowledge: KnowledgeBase, data_set: str) -> float:
    """Spearman's correlation of an order with the ranks on a data set: 1 if it was predicted exactly.

    It is for reports. How good a search is depends on the top of the order alone.

    >>> base = KnowledgeBase(("iris",), ("a", "b", "c"), [[[0.9], [0.8], [0.7]]])
    >>> rank_correlation(["a", "b", "c"], base, "iris"), rank_correlation(["b", "a", "c"], base, "iris")
    (1.0, 0.5)
    """
    accuracies = knowledge.accuracies[knowledge.data_sets.index(data_set), knowledge.columns_of(order)]
    ranks = library("scipy.stats").rankdata(-accuracies)
    return round(float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1]), 12)


def differences_of(tasks: Sequence[Task], knowledge: KnowledgeBase, data_set: str) -> Floats:
    """How far each tested candidate is below the best of the data set, in standard deviations of that one."""
    row = knowledge.differences[knowledge.data_sets.index(data_set)]
    done = [task.candidate for task in tasks if task.outcome is Outcome.FINISHED]
    return np.asarray(row[knowledge.columns_of(done)])
