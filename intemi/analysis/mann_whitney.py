"""The Mann–Whitney test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.distributions import mean_ranks, two_sided_normal
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.samples import Floats, numbers, refuse_several_data_sets, settled
from intemi.analysis.transformation import Transformation, one_row
from intemi.series import Series

EXACT_UP_TO = 20
"""Items of either series for which "automatic" counts all arrangements."""

VARIANTS = {
    "exact": "exact distribution of the ranks that occur",
    "normal": "normal approximation, variance corrected for ties, continuity correction 0.5",
}


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class MannWhitney(Transformation):
    """Are the values of two independent samples as often higher as lower? The rank-sum test of Wilcoxon, Mann, Whitney.

    U counts the pairs of which the first is higher, and half of the equal ones. Its distribution is

    * "exact": of all ways to give the ranks, mean ranks of ties included, to the two samples;
    * "normal", with the variance corrected for ties and a continuity correction;
    * "automatic": exact up to 20 items in each series, and normal otherwise.

    Results on the same folds are not independent: `Wilcoxon` knows more about them.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.85]})
    >>> svm = Series({"Accuracy": [0.7, 0.75, 0.8]})
    >>> found = MannWhitney()(knn, svm).row(0)
    >>> found["U"], found["p"]
    (8.5, 0.2)
    """

    distribution: Literal["automatic", "exact", "normal"] = "automatic"
    over: str = "data"

    def __post_init__(self) -> None:
        self._check_choice("distribution", "automatic", *VARIANTS)

    def __call__(self, first: Series, second: Series) -> Series:
        self._check_measures(first, second)
        refuse_several_data_sets(self._refuse, self.over, first, second)
        a, b = numbers(first, self._refuse), numbers(second, self._refuse)
        if not len(a) or not len(b):
            self._refuse("both series must have items, one of them is empty")
        both = np.concatenate([a, b])
        ranks = mean_ranks(settled(both, float(np.abs(both).max())))
        used = self.distribution
        if used == "automatic":
            used = "exact" if max(len(a), len(b)) <= EXACT_UP_TO else "normal"
        probability = exact_probability if used == "exact" else normal_probability
        return one_row(
            "p",
            {
                "U": float(ranks[: len(a)].sum()) - len(a) * (len(a) + 1) / 2,
                "p": probability(ranks, len(a)),
                "mean difference": float(np.mean(a) - np.mean(b)),
                "n": len(a),
                "n of second": len(b),
                "variant": described(f"Mann–Whitney test, {VARIANTS[used]}, two-sided", first, second),
            },
        )


def exact_probability(ranks: Floats, n: int) -> float:
    """The share of the ways to choose n ranks whose sum is as far from its mean as that of the first n, or farther.

    Mean ranks are multiples of a half: ways are counted by the number of ranks and twice their sum, a rank at a time.

    >>> exact_probability(np.array([1.0, 2.0, 3.0, 4.0]), n=2)
    0.3333333333333333
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    total = int(doubled.sum())
    ways = np.zeros((n + 1, total + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : total + 1 - rank].copy()
    # Twice the sum, times the number of ranks, is an integer, as is its mean: no rounding tells equal distances apart.
    distances = np.abs(np.arange(total + 1) * len(ranks) - n * total)
    observed = abs(int(doubled[:n].sum()) * len(ranks) - n * total)
    return float(math.fsum(ways[n][distances >= observed]) / math.comb(len(ranks), n))


def normal_probability(ranks: Floats, n: int) -> float:
    """By the variance of U, nm/12 · (N + 1 − Σ (t³ − t) / (N(N − 1))) for ties of t items, and half a step less."""
    total = len(ranks)
    m = total - n
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * m / 12 * (total + 1 - float(np.sum(ties**3.0 - ties)) / (total * (total - 1)))
    distance = abs(float(ranks[:n].sum()) - n * (total + 1) / 2) - 0.5
    return min(1.0, two_sided_normal(max(distance, 0.0) / math.sqrt(variance))) if variance > 0 else 1.0
