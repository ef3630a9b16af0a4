"""The Wilcoxon signed-rank test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.distributions import mean_ranks, two_sided_normal
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.pairing import PairedComparison
from intemi.analysis.samples import Floats, refuse_mixed_folds, settled
from intemi.analysis.transformation import one_row
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series

EXACT_UP_TO = 50

VARIANTS = {
    "exact": "exact distribution of the ranks at hand",
    "normal": "normal approximation, variance corrected for ties, no continuity correction",
    "plain normal": "normal approximation, z = (|W| − 0.5) / sqrt(n(n + 1)(2n + 1)/6), not corrected for ties",
}


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class Wilcoxon(PairedComparison):
    """Are the differences of paired items spread evenly around zero? Wilcoxon's signed-rank test.

    W is the sum of the signed ranks, R+ and R− are the sums of those of either sign. Zero differences are dropped, or
    their ranks split between both signs (Demšar 2006). The distribution of W is

    * "exact": of all 2ⁿ ways to sign the ranks at hand, mean ranks of ties included;
    * "normal", with the variance corrected for ties;
    * "plain normal", not corrected for ties, with a continuity correction of 0.5, as in textbooks;
    * "automatic": exact up to 50 differences that are not zero, if zeros are dropped, and normal otherwise.

    The result says which it was.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.9, 0.7, 0.6], "data": ["a", "b", "c", "d", "e"]})
    >>> svm = Series({"Accuracy": [0.8, 0.7, 0.8, 0.6, 0.8], "data": ["a", "b", "c", "d", "e"]})
    >>> found = Wilcoxon()(knn, svm).row(0)
    >>> found["R+"], found["R-"], found["p"]
    (10.0, 5.0, 0.75)
    """

    distribution: Literal["automatic", "exact", "normal", "plain normal"] = "automatic"
    zeros: Literal["dropped", "split"] = "dropped"

    def __post_init__(self) -> None:
        self._check_choice("distribution", "automatic", *VARIANTS)
        self._check_choice("zeros", "dropped", "split")
        if self.zeros == "split" and self.distribution == "exact":
            raise ConfigurationError("Wilcoxon: the exact distribution is that of differences without zeros; drop them")

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        refuse_mixed_folds(self._refuse, self.over, pairs.first)
        a, b = pairs.values(self._refuse)
        differences = settled(a - b, float(max(np.abs(a).max(), np.abs(b).max())))
        if self.zeros == "dropped":
            differences = differences[differences != 0]
        ranks, signs = mean_ranks(np.abs(differences)), np.sign(differences)
        zeros = float(np.sum(ranks[signs == 0]))
        positive, negative = (float(np.sum(ranks[signs == sign])) + zeros / 2 for sign in (1, -1))
        used = self._distribution(len(ranks))
        return one_row(
            "p",
            {
                "W": positive - negative,
                "R+": positive,
                "R-": negative,
                "p": _PROBABILITIES[used](ranks, abs(positive - negative)) if np.any(signs) else 1.0,
                "mean difference": float(np.mean(a - b)),
                "n": len(ranks),
                "paired by": pairs.told_by,
                "variant": described(
                    f"Wilcoxon signed-rank test, {VARIANTS[used]}, zeros {self.zeros}, two-sided",
                    pairs.first,
                    by=(self.over,),
                ),
            },
        )

    def _distribution(self, n: int) -> str:
        if self.distribution != "automatic":
            return self.distribution
        return "exact" if n <= EXACT_UP_TO and self.zeros == "dropped" else "normal"


def exact_probability(ranks: Floats, w: float) -> float:
    """The share of the 2ⁿ ways to sign the ranks whose sum is at least as far from 0 as w.

    Mean ranks are multiples of a half: ways are counted by twice the sum of the positive ranks, one rank at a time.

    >>> exact_probability(np.array([1.0, 2.0, 3.0]), w=6.0)
    0.25
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    total = int(doubled.sum())
    share = np.zeros(total + 1)
    share[0] = 1.0
    for rank in doubled:
        share[rank:] = (share[rank:] + share[: total + 1 - rank]) / 2
        share[:rank] /= 2
    away = np.abs(2 * np.arange(total + 1) - total)  # twice |W|, for twice the positive sum
    return float(min(1.0, math.fsum(share[away >= round(2 * w)])))


def normal_probability(ranks: Floats, w: float) -> float:
    """By W's variance, Σ rank², which is n(n + 1)(2n + 1)/6 less what ties take away."""
    return two_sided_normal(w / math.sqrt(np.sum(ranks**2)))


def plain_normal_probability(ranks: Floats, w: float) -> float:
    """z = (|W| − 0.5) / sqrt(n(n + 1)(2n + 1)/6)."""
    n = len(ranks)
    return two_sided_normal(max(w - 0.5, 0.0) / math.sqrt(n * (n + 1) * (2 * n + 1) / 6))


_PROBABILITIES = {"exact": exact_probability, "normal": normal_probability, "plain normal": plain_normal_probability}
