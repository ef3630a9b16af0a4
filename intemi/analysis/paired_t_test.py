"""The t-test of the differences of paired items, plain and corrected for training samples that overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.distributions import two_sided_t
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.pairing import PairedComparison, Pairs
from intemi.analysis.samples import all_equal, refuse_several_data_sets
from intemi.analysis.t_test import t_ratio
from intemi.analysis.transformation import one_row
from intemi.series import Series


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class PairedTTest(PairedComparison):
    """Is the mean of the differences of paired items zero?

    It takes the differences as independent. Those of cross-validation are not, and p is too small then: see
    `CorrectedTTest`. Differences that are all zero give p = 1; equal ones that are not, p = 0.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.85], "Fold": [1, 2, 3]})
    >>> svm = Series({"Accuracy": [0.8, 0.75, 0.7], "Fold": [3, 1, 2]})
    >>> found = PairedTTest()(knn, svm)
    >>> print(f"t = {found['t'][0]:.3f}, p = {found['p'][0]:.4f}, paired by {found['paired by'][0]}")
    t = 3.464, p = 0.0742, paired by Fold

    Items that have no partner are refused:

    >>> PairedTTest()(knn, svm[:2])
    Traceback (most recent call last):
    ...
    intemi.analysis.errors.InvalidComparison: PairedTTest: Fold 2 is in the first series only; on= names the labels \
that tell items apart, where not all of them do
    """

    def __call__(self, first: Series, second: Series) -> Series:
        variant = "paired t-test, two-sided, differences taken as independent"
        return self._tested(self._pairs(first, second), 0.0, variant)

    def _tested(self, pairs: Pairs, overlap: float, variant: str) -> Series:
        """t = mean(D) / sqrt((1/n + overlap) s²), n − 1 degrees of freedom."""
        refuse_several_data_sets(self._refuse, self.over, pairs.first, pairs.second)
        a, b = pairs.values(self._refuse)
        n = len(a)
        if n < 2:
            self._refuse(f"there must be at least 2 pairs, got {n}")
        differences, size = a - b, float(max(np.abs(a).max(), np.abs(b).max()))
        spread = 0.0 if all_equal(differences, size) else float(np.std(differences, ddof=1))
        t = t_ratio(float(np.mean(differences)), spread * math.sqrt(1 / n + overlap), size)
        return one_row(
            "p",
            {
                "t": t,
                "df": float(n - 1),
                "p": two_sided_t(t, n - 1),
                "mean difference": float(np.mean(differences)),
                "n": n,
                "paired by": pairs.told_by,
                "variant": described(variant, pairs.first, pairs.second, by=(self.over,)),
            },
        )
