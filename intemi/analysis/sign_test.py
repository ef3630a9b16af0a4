"""The sign test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.distributions import two_sided_binomial
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.pairing import PairedComparison
from intemi.analysis.samples import refuse_mixed_folds, settled
from intemi.analysis.transformation import one_row
from intemi.series import Series


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class SignTest(PairedComparison):
    """Is the first series as often higher than the second as lower? The exact binomial test.

    Pairs without a difference are dropped, or split between both sides (Demšar 2006), of an odd number one dropped.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.9, 0.7, 0.6], "data": ["a", "b", "c", "d", "e"]})
    >>> svm = Series({"Accuracy": [0.8, 0.7, 0.8, 0.6, 0.6], "data": ["a", "b", "c", "d", "e"]})
    >>> SignTest()(knn, svm).row(0)["p"]
    0.125
    """

    zeros: Literal["dropped", "split"] = "dropped"

    def __post_init__(self) -> None:
        self._check_choice("zeros", "dropped", "split")

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        refuse_mixed_folds(self._refuse, self.over, pairs.first)
        a, b = pairs.values(self._refuse)
        differences = settled(a - b, float(max(np.abs(a).max(), np.abs(b).max())))
        higher, lower = int(np.sum(differences > 0)), int(np.sum(differences < 0))
        equal = len(a) - higher - lower
        half = equal // 2 if self.zeros == "split" else 0
        wins, trials = higher + half, higher + lower + 2 * half
        return one_row(
            "p",
            {
                "higher": higher,
                "lower": lower,
                "equal": equal,
                "p": two_sided_binomial(wins, trials),
                "mean difference": float(np.mean(a - b)),
                "n": trials,
                "paired by": pairs.told_by,
                "variant": described(
                    f"sign test, exact binomial, zeros {self.zeros}, two-sided",
                    pairs.first,
                    pairs.second,
                    by=(self.over,),
                ),
            },
        )
