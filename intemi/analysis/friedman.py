"""Friedman's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.analysis.distributions import upper_chi_squared, upper_f
from intemi.analysis.samples import Floats
from intemi.analysis.table import ManyMachines
from intemi.analysis.transformation import one_row
from intemi.series import Series

VARIANTS = {"corrected": "corrected for ties", "ignored": "not corrected for ties (Demšar's formula)"}


@dataclass(frozen=True, repr=False, kw_only=True)
class Friedman(ManyMachines):
    """Do at least three machines have the same average rank over data sets?

    χ² = 12 N / (k (k + 1)) (Σ R² − k (k + 1)² / 4) for k machines of average ranks R over N data sets; `ties` are
    "corrected" for (it is divided by 1 − Σ (t³ − t) / (N k (k² − 1)) for groups of t equal values), or "ignored" as by
    Demšar (2006). F = (N − 1) χ² / (N (k − 1) − χ²) is less conservative (Iman and Davenport 1980).

    >>> names = {"machine": ["knn", "svm", "tree"] * 4, "data": [d for d in "abcd" for _ in range(3)]}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5], **names})
    >>> found = Friedman()(results)
    >>> print(f"chi2 = {found['chi2'][0]:.2f}, p = {found['p'][0]:.4f}; F = {found['F'][0]:.2f}")
    chi2 = 6.50, p = 0.0388; F = 13.00
    """

    ties: Literal["corrected", "ignored"] = "corrected"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("ties", *VARIANTS)

    def __call__(self, series: Series) -> Series:
        ranks = self._table(series, machines=3).ranks(self.best)
        n, k = ranks.shape
        chi2 = chi_squared(ranks, corrected=self.ties == "corrected")
        rest = n * (k - 1) - chi2
        f = (n - 1) * chi2 / rest if rest > 1e-9 else math.inf  # all data sets rank the machines alike
        return one_row(
            "p",
            {
                "chi2": chi2,
                "df": k - 1,
                "p": upper_chi_squared(chi2, k - 1),
                "F": f,
                "df of F": k - 1,
                "df of denominator": (k - 1) * (n - 1),
                "p of F": upper_f(f, k - 1, (k - 1) * (n - 1)),
                "machines": k,
                "data sets": n,
                "variant": f"Friedman's χ², {VARIANTS[self.ties]}; F of Iman and Davenport from this χ²",
            },
        )


def chi_squared(ranks: Floats, corrected: bool) -> float:
    """Friedman's χ² of ranks, a row for each data set; 0 if all machines are equal everywhere.

    >>> chi_squared(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), corrected=False)
    4.0
    """
    n, k = ranks.shape
    average = ranks.mean(axis=0)
    chi2: float = 12 * n / (k * (k + 1)) * float(np.sum((average - (k + 1) / 2) ** 2))
    if not corrected:
        return chi2
    sizes = [np.unique(row, return_counts=True)[1] for row in ranks]
    untied = 1 - sum(int(np.sum(t**3 - t)) for t in sizes) / (n * k * (k**2 - 1))
    return float(chi2 / untied) if untied else 0.0
