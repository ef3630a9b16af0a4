"""The critical difference of average ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from intemi.analysis.distributions import range_quantile
from intemi.analysis.table import ManyMachines
from intemi.analysis.transformation import one_row
from intemi.kernel.libraries import library
from intemi.series import Series

VARIANTS = {
    "all pairs": "Nemenyi: all machines with each other, Studentized range / √2",
    "control": "Bonferroni–Dunn: all machines with a control, normal quantile of alpha / (2 (k − 1))",
}


@dataclass(frozen=True, repr=False, kw_only=True)
class CriticalDifference(ManyMachines):
    """How far apart the average ranks of two machines must be to differ at the level `alpha` (Demšar 2006).

    CD = q sqrt(k (k + 1) / (6 N)) for k machines and N data sets. The critical value q is Nemenyi's if all pairs are
    compared, and Bonferroni's and Dunn's if machines are compared with one `control` only.

    >>> names = {"machine": ["knn", "svm"] * 2, "data": ["iris", "iris", "wine", "wine"]}
    >>> results = Series({"Accuracy": [0.8, 0.9, 0.8, 0.8], **names})
    >>> print(f"{CriticalDifference()(results).values[0]:.3f}")
    1.386
    """

    alpha: float = 0.05
    compared: Literal["all pairs", "control"] = "all pairs"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_alpha(self.alpha)
        self._check_choice("compared", *VARIANTS)

    def __call__(self, series: Series) -> Series:
        table = self._table(series)
        k, n = len(table.machines), len(table.data)
        q = nemenyi_quantile(self.alpha, k) if self.compared == "all pairs" else dunn_quantile(self.alpha, k)
        return one_row(
            "critical difference",
            {
                "critical difference": q * standard_error(k, n),
                "q": q,
                "alpha": self.alpha,
                "machines": k,
                "data sets": n,
                "variant": VARIANTS[self.compared],
            },
        )


def standard_error(machines: int, data: int) -> float:
    """The standard error of the difference of two average ranks, sqrt(k (k + 1) / (6 N))."""
    return math.sqrt(machines * (machines + 1) / (6 * data))


def nemenyi_quantile(alpha: float, machines: int) -> float:
    """The upper quantile of the Studentized range with infinite degrees of freedom, divided by √2."""
    return range_quantile(alpha, machines) / math.sqrt(2)


def dunn_quantile(alpha: float, machines: int) -> float:
    """The two-sided normal quantile of alpha, shared among k − 1 comparisons."""
    special = library("scipy.special")

    return float(-special.ndtri(alpha / (2 * (machines - 1))))
