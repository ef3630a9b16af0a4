"""Searches on a knowledge base, each data set left out in turn: what is the best so far, by tests and by seconds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import (
    AccuracyRatioScore,
    AccuracyScore,
    ActiveTesting,
    AdjustedRatioScore,
    BestOnAverage,
    ClusteringTree,
    Complexity,
    ComplexitySearch,
    DifferenceScore,
    KnowledgeBase,
    LandmarkSearch,
    Nearest,
    NearestDescriptions,
    PassiveSearch,
    ProfileSearch,
    RandomOrder,
    RankScore,
    Regressed,
    Score,
    SignificantWinsScore,
    Strategy,
    replay,
)
from scripts.profile_curves_bases import Part

RANDOM, AP, PROFILES, TIMED, CHEAPEST = "random", "AP", "PBML", "PBML, ARR 0.1", "the cheapest first"
STRATEGIES: Mapping[str, Strategy] = {
    RANDOM: PassiveSearch(RandomOrder()),
    "AA": PassiveSearch(BestOnAverage(AccuracyScore())),
    "AD": PassiveSearch(BestOnAverage(DifferenceScore())),
    "AR": PassiveSearch(BestOnAverage(RankScore())),
    AP: PassiveSearch(),
    "SRR": PassiveSearch(BestOnAverage(AccuracyRatioScore())),
    "SW": PassiveSearch(BestOnAverage(SignificantWinsScore())),
    "ARR 0.1": PassiveSearch(BestOnAverage(AdjustedRatioScore(0.1))),
    "3 nearest descriptions": PassiveSearch(NearestDescriptions()),
    "regression on descriptions": PassiveSearch(Regressed()),
    "tree of descriptions": PassiveSearch(ClusteringTree()),
    "5NN by 5 random landmarks": LandmarkSearch(),
    "active testing": ActiveTesting(),
    "PBML, accuracy": ProfileSearch(AccuracyScore()),
    "PBML, difference": ProfileSearch(DifferenceScore()),
    "PBML, rank": ProfileSearch(RankScore()),
    PROFILES: ProfileSearch(),
    "PBML, packages of 2": ProfileSearch(package=2),
    "PBML, random start": ProfileSearch(start=RandomOrder()),
    TIMED: ProfileSearch(AdjustedRatioScore(0.1), start=BestOnAverage(AdjustedRatioScore(0.1))),
    "active 5NN, accuracy": ProfileSearch(AccuracyScore(), Nearest()),
    "active 5NN, difference": ProfileSearch(DifferenceScore(), Nearest()),
    "active 5NN, rank": ProfileSearch(RankScore(), Nearest()),
    "active 5NN": ProfileSearch(similarity=Nearest()),
    "active 5NN, not standardized": ProfileSearch(similarity=Nearest(standardize=False)),
    CHEAPEST: ComplexitySearch(forbearance=1e9, window=1),  # no test is stopped
}
"""Scores are p-values against the best, and starts are in the order of AP, where nothing else is said."""
SEEDS = 10
"""How often a search is replayed that makes random choices."""
SHARES = np.logspace(-4, 0, 81)
"""Times at which curves are compared: shares of what it takes to test all candidates."""


@dataclass(frozen=True, eq=False)
class Searched:
    """The tests of one strategy on all data sets: data sets × runs × tests, the columns of the candidates."""

    base: KnowledgeBase
    tests: np.ndarray

    def best(self, differences: Floats, tests: int) -> Floats:
        """The best so far, by differences (data sets × candidates): data sets × tests, means over runs."""
        rows = np.arange(len(self.tests))[:, None, None]
        found = np.maximum.accumulate(differences[rows, self.tests[:, :, :tests]], axis=2)
        return np.asarray(found.mean(axis=1))

    @cached_property
    def deviations(self) -> Floats:
        """Differences from the best candidate in its standard deviations."""
        return self.base.differences

    @cached_property
    def points(self) -> Floats:
        """Differences from the best candidate in percentage points of accuracy."""
        return 100 * (self.base.accuracies - self.base.best_accuracies[:, None])

    def best_by_time(self, differences: Floats) -> Floats:
        """The best so far at each of the shares of time: data sets × shares; before the first test, the mean of all."""
        assert self.base.seconds is not None
        found = np.empty((len(self.tests), len(SHARES)))
        for row, runs in enumerate(self.tests):
            total = self.base.seconds[row].sum()
            lines = []
            for run in runs:
                ended = np.cumsum(self.base.seconds[row][run]) / total
                so_far = np.concatenate([[differences[row].mean()], np.maximum.accumulate(differences[row][run])])
                lines.append(so_far[np.searchsorted(ended, SHARES * (1 + 1e-9), side="right")])
            found[row] = np.mean(lines, axis=0)
        return found


def scores_in(component: Component) -> Iterator[Score]:
    """The scores that a strategy uses."""
    for part in component.components():
        if isinstance(part, Score):
            yield part
        yield from scores_in(part)


def searched(strategy: Strategy, part: Part, by_family: bool = False) -> Searched:
    """Test all candidates of all data sets in the order of a strategy; it knows the others, or other families only."""
    base = part.base
    for score in scores_in(strategy):
        base.scored(score)  # once for all data sets
    found = []
    for name in base.data_sets:
        unknown = part.relatives[name] if by_family else ()
        expected = _expectation(base.without(name, *unknown))
        runs = []
        for seed in range(SEEDS if strategy.is_random else 1):
            course, _ = replay(strategy, base, name, unknown=unknown, seed=seed, expected=expected)
            runs.append([base.columns[task.candidate] for task in course.finished if task.results is not None])
        found.append(runs)
    return Searched(base, np.array(found))


def _expectation(known: KnowledgeBase) -> Callable[[Hashable], Complexity]:
    """What tests took on other data sets."""
    assert known.seconds is not None
    seconds = dict(zip(known.configurations, map(float, known.seconds.mean(axis=0)), strict=True))
    return lambda candidate: Complexity(seconds[candidate])
