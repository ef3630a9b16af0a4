"""Nemenyi's post-hoc test of all pairs of machines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from intemi.analysis.critical_difference import standard_error
from intemi.analysis.distributions import upper_range
from intemi.analysis.table import ManyMachines
from intemi.series import Series
from intemi.series.display import counted


@dataclass(frozen=True, repr=False, kw_only=True)
class Nemenyi(ManyMachines):
    """Which machines differ in their average ranks? All pairs, one item each; meant to follow `Friedman`.

    p is that of the Studentized range, so that it holds for all pairs together and needs no further correction.

    >>> names = {"machine": ["knn", "svm", "tree"] * 4, "data": [d for d in "abcd" for _ in range(3)]}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5], **names})
    >>> found = Nemenyi()(results)
    >>> for item in found:
    ...     print(f"{item['machine']} − {item['against']}: p = {item['p']:.4f}, different: {item['different']}")
    knn − svm: p = 0.1805, different: False
    knn − tree: p = 0.0356, different: True
    svm − tree: p = 0.7593, different: False
    """

    alpha: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_alpha(self.alpha)

    def __call__(self, series: Series) -> Series:
        table = self._table(series)
        k, n = len(table.machines), len(table.data)
        average = table.ranks(self.best).mean(axis=0)
        pairs = list(combinations(range(k), 2))
        differences = [float(average[i] - average[j]) for i, j in pairs]
        ranges = [abs(difference) / standard_error(k, n) * math.sqrt(2) for difference in differences]
        p = [upper_range(each, k) for each in ranges]
        variant = f"Nemenyi's test of average ranks, Studentized range, {counted(len(pairs), 'comparison')}"
        return Series(
            {
                "p": p,
                self.of: [table.machines[i] for i, _ in pairs],
                "against": [table.machines[j] for _, j in pairs],
                "rank difference": differences,
                "different": [each < self.alpha for each in p],
                "alpha": [self.alpha] * len(pairs),
                "variant": [variant] * len(pairs),
            },
            main="p",
        )
