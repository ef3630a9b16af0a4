"""A synthetic knowledge base: data sets in groups, on which configurations of six factors do alike.

    python -m scripts.synthetic_knowledge

prints how far strategies are from the best candidate on average over 100 tests, leaving out one data set after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import (
    AccuracyScore,
    ActiveTesting,
    BestOnAverage,
    Curves,
    DifferenceScore,
    KnowledgeBase,
    MaxTests,
    Nearest,
    PassiveSearch,
    ProfileSearch,
    RandomOrder,
    RankScore,
    Strategy,
    differences_of,
    replay,
)

LEVELS = (4, 6, 2, 3, 3, 10)
"""How many values each factor of a configuration has."""
SETTINGS = ((5, 0.5), (7, 0.7), (10, 0.8))
"""How many groups of data sets there are, and how much is a data set's own."""
STRATEGIES: Mapping[str, Strategy] = {
    "random": PassiveSearch(RandomOrder()),
    "mean accuracy": PassiveSearch(BestOnAverage(AccuracyScore())),
    "mean difference": PassiveSearch(BestOnAverage(DifferenceScore())),
    "mean rank": PassiveSearch(BestOnAverage(RankScore())),
    "mean p-value": PassiveSearch(),
    "profile, p-values": ProfileSearch(),
    "profile, p-values, random start": ProfileSearch(start=RandomOrder()),
    "profile, differences": ProfileSearch(DifferenceScore()),
    "profile of 5 nearest, p-values": ProfileSearch(similarity=Nearest()),
    "profile of 5 nearest, not standardized": ProfileSearch(similarity=Nearest(standardize=False)),
    "active testing": ActiveTesting(),
}


def synthetic_knowledge(
    groups: int, own: float, seed: int, data_sets: int = 21, configurations: int = 1500, splits: int = 30
) -> KnowledgeBase:
    """Results that depend on what all data sets have in common, on the group of a data set, and on itself."""
    rng = np.random.default_rng(seed)
    every = np.array(list(product(*map(range, LEVELS))))
    chosen = every[np.sort(rng.choice(len(every), configurations, replace=False))]
    of_groups = [_effect(rng, chosen) for _ in range(groups)]
    common = _effect(rng, chosen)
    results = np.empty((data_sets, configurations, splits), dtype=np.float32)
    for place in range(data_sets):
        means = 0.3 * common + np.sqrt(1 - own**2) * of_groups[place % groups] + own * _effect(rng, chosen)
        noise = rng.uniform(0.02, 0.06)
        level, spread = rng.uniform(0.6, 0.95), rng.uniform(0.005, 0.02)
        shared, each = rng.normal(0, noise, splits), rng.normal(0, 1, (configurations, splits))
        results[place] = level + spread * means[:, None] + shared + 0.4 * noise * each
    names = tuple(f"data {place + 1}" for place in range(data_sets))
    return KnowledgeBase(names, tuple(map(tuple, chosen.tolist())), results)


def _effect(rng: np.random.Generator, configurations: Floats) -> Floats:
    """What the levels of factors, and of pairs of factors, contribute; in standard units."""
    total = np.zeros(len(configurations))
    for factor, levels in enumerate(LEVELS):
        total += rng.normal(size=levels)[configurations[:, factor]]
    for one, other in combinations(range(len(LEVELS)), 2):
        table = rng.normal(size=(LEVELS[one], LEVELS[other]))
        total += 0.35 * table[configurations[:, one], configurations[:, other]]
    return np.asarray((total - total.mean()) / total.std())


def mean_area(strategy: Strategy, knowledge: KnowledgeBase, tests: int = 100) -> float:
    """How far the best of so many tests is from the best of all, on average over tests and left out data sets."""
    limited = strategy.replace("stop", (MaxTests(tests),))
    areas = []
    for place, data_set in enumerate(knowledge.data_sets):
        course, _ = replay(limited, knowledge, data_set, seed=place)
        areas.append(Curves.of(differences_of(course.finished, knowledge, data_set)).area)
    return float(np.mean(areas))


def main() -> None:
    """Print a table: strategies × settings, means over four seeds."""
    print("strategy".ljust(40) + "".join(f"{groups} groups, {own} own".rjust(20) for groups, own in SETTINGS))
    bases = {setting: [synthetic_knowledge(*setting, seed) for seed in range(4)] for setting in SETTINGS}
    for name, strategy in STRATEGIES.items():
        areas = [np.mean([mean_area(strategy, base) for base in bases[setting]]) for setting in SETTINGS]
        print(name.ljust(40) + "".join(f"{area:20.3f}" for area in areas))


if __name__ == "__main__":
    main()
