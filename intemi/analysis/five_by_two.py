"""The combined F-test of five times two-fold cross-validation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from intemi.analysis.distributions import upper_f
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.pairing import PairedComparison, Pairs
from intemi.analysis.samples import Floats, all_equal, refuse_several_data_sets
from intemi.analysis.transformation import one_row
from intemi.series import Series


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class FiveByTwoFTest(PairedComparison):
    """The combined 5 × 2 cv F-test of Alpaydın (1999), for five repetitions of two-fold cross-validation and no other.

    >>> folds = {"Repetition": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "Fold": [1, 2] * 5}
    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.9, 0.9, 0.8, 0.9, 0.7, 0.8, 0.9, 0.9], **folds})
    >>> svm = Series({"Accuracy": [0.7, 0.7, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.8, 0.7], **folds})
    >>> found = FiveByTwoFTest()(knn, svm)
    >>> print(f"F = {found['F'][0]:.3f}, p = {found['p'][0]:.4f}")
    F = 3.000, p = 0.1185
    """

    repetition: str = "Repetition"
    fold: str = "Fold"

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        refuse_several_data_sets(self._refuse, self.over, pairs.first, pairs.second)
        a, b = pairs.values(self._refuse)
        differences = (a - b)[self._order(pairs)].reshape(5, 2)
        f = f_statistic(differences, float(max(np.abs(a).max(), np.abs(b).max())))
        return one_row(
            "p",
            {
                "F": f,
                "df": 10,
                "df of denominator": 5,
                "p": upper_f(f, 10, 5),
                "mean difference": float(np.mean(differences)),
                "n": 10,
                "paired by": pairs.told_by,
                "variant": "combined 5 × 2 cv F-test (Alpaydın)",
            },
        )

    def _order(self, pairs: Pairs) -> list[int]:
        """The positions of the items, repetition after repetition."""
        seen: dict[object, dict[object, int]] = {}
        repetitions, folds = pairs.column(self.repetition, self._refuse), pairs.column(self.fold, self._refuse)
        for position, (repetition, fold) in enumerate(zip(repetitions, folds, strict=True)):
            seen.setdefault(repetition, {})[fold] = position
        if len(pairs.first) != 10 or [len(each) for each in seen.values()] != [2] * 5:
            found = " + ".join(str(len(each)) for each in seen.values())
            self._refuse(f"there must be 5 repetitions of 2 folds, got {len(pairs.first)} items, folds {found}")
        return [position for each in seen.values() for position in each.values()]


def f_statistic(differences: Floats, size: float) -> float:
    """F = Σ p² / (2 Σ s²), where s² = Σ (p − mean)² within a repetition."""
    if all(all_equal(pair, size) for pair in differences):
        return 0.0 if all_equal(np.append(differences, 0.0), size) else math.inf
    means = differences.mean(axis=1, keepdims=True)
    return float(np.sum(differences**2) / (2 * np.sum((differences - means) ** 2)))
