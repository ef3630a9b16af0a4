"""The t-test of two independent samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.distributions import two_sided_t
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.samples import Floats, all_equal, numbers, refuse_several_data_sets
from intemi.analysis.transformation import Transformation, one_row
from intemi.series import Series

VARIANTS = {
    "equal": "Student's t-test of independent samples, pooled variance, two-sided",
    "unequal": "Welch's t-test of independent samples, two-sided",
}


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class TTest(Transformation):
    """Do two independent samples have the same mean? With `variances` taken as equal (Student) or not (Welch).

    Results on the same folds are not independent: `PairedTTest` knows more about them. `over` is the label of the data
    set: samples from different ones are refused.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.85]})
    >>> svm = Series({"Accuracy": [0.7, 0.75, 0.8]})
    >>> found = TTest()(knn, svm)
    >>> print(f"t = {found['t'][0]:.3f}, p = {found['p'][0]:.4f}")
    t = 2.449, p = 0.0705
    """

    variances: Literal["equal", "unequal"] = "equal"
    over: str = "data"

    def __post_init__(self) -> None:
        self._check_choice("variances", *VARIANTS)

    def __call__(self, first: Series, second: Series) -> Series:
        self._check_measures(first, second)
        refuse_several_data_sets(self._refuse, self.over, first, second)
        a, b = numbers(first, self._refuse), numbers(second, self._refuse)
        if min(len(a), len(b)) < 2:
            self._refuse(f"both series must have at least 2 items, got {len(a)} and {len(b)}")
        t, df = t_statistic(a, b, pooled=self.variances == "equal")
        return one_row(
            "p",
            {
                "t": t,
                "df": df,
                "p": two_sided_t(t, df),
                "mean difference": float(np.mean(a) - np.mean(b)),
                "n": len(a),
                "n of second": len(b),
                "variant": described(VARIANTS[self.variances], first, second),
            },
        )


def t_statistic(a: Floats, b: Floats, pooled: bool) -> tuple[float, float]:
    """t and its degrees of freedom; samples without any spread are infinitely far apart, or equal."""
    n, m = len(a), len(b)
    difference = float(np.mean(a) - np.mean(b))
    size = float(max(np.abs(a).max(), np.abs(b).max()))
    if all_equal(a, size) and all_equal(b, size):
        return t_ratio(difference, 0.0, size), float(n + m - 2)
    own, other = float(np.var(a, ddof=1)), float(np.var(b, ddof=1))
    if pooled:
        variance = ((n - 1) * own + (m - 1) * other) / (n + m - 2)
        return difference / math.sqrt(variance / n + variance / m), float(n + m - 2)
    share, rest = own / n, other / m
    df = (share + rest) ** 2 / (share**2 / (n - 1) + rest**2 / (m - 1))
    return difference / math.sqrt(share + rest), df


def t_ratio(mean: float, error: float, size: float) -> float:
    """A mean in units of its standard error; without any error it is 0 or infinite.

    >>> t_ratio(0.1, 0.0, size=1.0), t_ratio(1e-16, 0.0, size=1.0)
    (inf, 0.0)
    """
    if error > 0:
        return mean / error
    return 0.0 if all_equal(np.array([0.0, mean]), size) else math.copysign(math.inf, mean)
