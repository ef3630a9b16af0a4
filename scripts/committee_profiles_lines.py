"""Searches that are compared on a knowledge base, and the curves of what they find.

One data set after another is left out: a search on it knows the results on all others. The curves are those of the
book: how far below the best candidate of all are (a) the best so far, (b) the mean of the best three so far, (c) the
present test, (d) the mean of all tests so far; in standard deviations of the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import (
    AccuracyScore,
    BestOnAverage,
    Curves,
    DifferenceScore,
    KnowledgeBase,
    LandmarkSearch,
    MaxTests,
    Nearest,
    PassiveSearch,
    ProfileSearch,
    PValueScore,
    RandomOrder,
    RankScore,
    Score,
    Strategy,
    differences_of,
    replay,
)
from intemi.machines.meta_learning.knowledge_base import paired_p_values

TESTS = 50
SEEDS = 20
"""How often a search is replayed that makes random choices; its curves are the means."""
LEVEL = 0.1
"""Differences with a larger p-value are no claims."""
SCORES: Mapping[str, Score] = {
    "accuracy": AccuracyScore(),
    "difference": DifferenceScore(),
    "rank": RankScore(),
    "p-value": PValueScore(),
}
RANDOM, PROFILES = "random", "PBML"
BY_MEANS: Mapping[str, Strategy] = {
    RANDOM: PassiveSearch(RandomOrder()),
    "AR": PassiveSearch(BestOnAverage(RankScore())),
    "AA": PassiveSearch(BestOnAverage(AccuracyScore())),
    "AP": PassiveSearch(BestOnAverage(PValueScore())),
    "AD": PassiveSearch(BestOnAverage(DifferenceScore())),
    PROFILES: ProfileSearch(),
}
"""The book's first comparison: profiles with correlations and p-values, which begin as AP does."""
KINDS = ("passive", "5NN", "active")
BY_NEIGHBOURS: Mapping[str, Strategy] = {
    RANDOM: PassiveSearch(RandomOrder()),
    **{f"{name}, passive": PassiveSearch(BestOnAverage(score)) for name, score in SCORES.items()},
    **{f"{name}, 5NN": LandmarkSearch(score) for name, score in SCORES.items()},
    **{f"{name}, active": ProfileSearch(score, Nearest(), RandomOrder()) for name, score in SCORES.items()},
}
"""The second one: passive orders, the same on the 5 data sets nearest by 5 random landmarks, and active profiles."""
CURVES = {"a": "best so far", "b": "mean of the best three", "c": "present test", "d": "mean so far"}


@dataclass(frozen=True, eq=False)
class Line:
    """The curves of one strategy, each data sets × tests."""

    curves: Mapping[str, Floats]

    def height(self, curve: str = "a") -> Floats:
        """The mean height of a curve, for each data set."""
        return np.asarray(self.curves[curve].mean(axis=1))

    def last(self, curve: str) -> Floats:
        """The last value of a curve, for each data set."""
        return np.asarray(self.curves[curve][:, -1])

    def mean(self, curve: str) -> Floats:
        """A curve as the mean over data sets."""
        return np.asarray(self.curves[curve].mean(axis=0))


def line_of(strategy: Strategy, base: KnowledgeBase, tests: int = TESTS, seeds: int = SEEDS) -> Line:
    """Replay a strategy on all data sets, leaving out each in turn; several times if it makes random choices."""
    limited = strategy.replace("stop", (MaxTests(tests),))
    runs = seeds if strategy.is_random else 1
    found = np.array(
        [
            np.mean([_replayed(limited, base, name, seed=place * runs + run) for run in range(runs)], axis=0)
            for place, name in enumerate(base.data_sets)
        ]
    )
    return Line({curve: found[:, place, :tests] for place, curve in enumerate(CURVES)})


def _replayed(strategy: Strategy, base: KnowledgeBase, data_set: str, seed: int) -> Floats:
    """The four curves of one search."""
    course, _ = replay(strategy, base, data_set, seed=seed)
    curves = Curves.of(differences_of(course.finished, base, data_set))
    return np.array([curves.best, curves.best_three, curves.each, curves.mean])


@dataclass(frozen=True)
class Difference:
    """By how much one line is above another, as a mean over data sets, and the p-value of a paired t-test."""

    mean: float
    p: float

    @classmethod
    def of(cls, one: Floats, other: Floats) -> Difference:
        """Of two heights for each data set."""
        return cls(float(np.mean(one - other)), float(paired_p_values(one - other)))

    @property
    def verdict(self) -> str:
        """Whether that the one is above the other can be claimed."""
        if self.p > LEVEL:
            return "no claim"
        return "confirmed" if self.mean > 0 else "**refuted**"

    def __str__(self) -> str:
        return f"{self.mean:+.3f} (p {'< 0.001' if self.p < 0.001 else f'= {self.p:.3f}'})"
