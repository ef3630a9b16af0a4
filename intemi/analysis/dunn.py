"""Dunn's post-hoc test of all pairs of machines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from intemi.analysis.critical_difference import standard_error
from intemi.analysis.distributions import two_sided_normal
from intemi.analysis.table import ManyMachines
from intemi.series import Series
from intemi.series.display import counted


@dataclass(frozen=True, repr=False, kw_only=True)
class Dunn(ManyMachines):
    """Which machines differ in their average ranks? All pairs, one item each, corrected as by Bonferroni.

    z = |R − R'| / √(k (k + 1) / (6 N)) for k machines over N data sets; p is that of a normal distribution, times the
    number of pairs. `Nemenyi` is less conservative.

    >>> names = {"machine": ["knn", "svm", "tree"] * 4, "data": [d for d in "abcd" for _ in range(3)]}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5], **names})
    >>> for item in Dunn()(results):
    ...     print(f"{item['machine']} − {item['against']}: z = {item['z']:.3f}, p = {item['p']:.4f}")
    knn − svm: z = 1.768, p = 0.2313
    knn − tree: z = 2.475, p = 0.0400
    svm − tree: z = 0.707, p = 1.0000
    """

    alpha: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_alpha(self.alpha)

    def __call__(self, series: Series) -> Series:
        table = self._table(series)
        average = table.ranks(self.best).mean(axis=0)
        pairs = list(combinations(range(len(table.machines)), 2))
        differences = [float(average[i] - average[j]) for i, j in pairs]
        error = standard_error(len(table.machines), len(table.data))
        z = [abs(difference) / error for difference in differences]
        p = [min(1.0, two_sided_normal(each) * len(pairs)) for each in z]
        variant = f"Dunn's test of average ranks, Bonferroni, {counted(len(pairs), 'comparison')}"
        return Series(
            {
                "p": p,
                self.of: [table.machines[i] for i, _ in pairs],
                "against": [table.machines[j] for _, j in pairs],
                "rank difference": differences,
                "z": z,
                "different": [each < self.alpha for each in p],
                "alpha": [self.alpha] * len(pairs),
                "variant": [variant] * len(pairs),
            },
            main="p",
        )
