"""Holm's post-hoc test of machines with a control, or of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from intemi.analysis.critical_difference import standard_error
from intemi.analysis.distributions import two_sided_normal
from intemi.analysis.table import ManyMachines, Table
from intemi.series import Series
from intemi.series.display import counted


@dataclass(frozen=True, repr=False, kw_only=True)
class Holm(ManyMachines):
    """Which machines differ in their average ranks from a `control`, or from each other if there is none?

    z is the difference of the average ranks in units of its standard error, p that of the normal distribution, adjusted
    for the number of comparisons by Holm's step-down procedure (Demšar 2006). Meant to follow `Friedman`.

    >>> names = {"machine": ["knn", "svm", "tree"] * 4, "data": [d for d in "abcd" for _ in range(3)]}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5], **names})
    >>> for item in Holm(control="knn")(results):
    ...     print(f"{item['machine']}: z = {item['z']:.3f}, adjusted p = {item['adjusted p']:.4f}")
    svm: z = 1.768, adjusted p = 0.0771
    tree: z = 2.475, adjusted p = 0.0267
    """

    control: Any = None
    alpha: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_alpha(self.alpha)

    def __call__(self, series: Series) -> Series:
        table = self._table(series)
        average = table.ranks(self.best).mean(axis=0)
        pairs = self._compared(table)
        error = standard_error(len(table.machines), len(table.data))
        differences = [float(average[i] - average[j]) for i, j in pairs]
        p = [two_sided_normal(difference / error) for difference in differences]
        adjusted = holm_adjusted(p)
        compared = "all pairs" if self.control is None else f"with {self.control}"
        variant = (
            f"normal z of average ranks, {compared}, {counted(len(pairs), 'comparison')} adjusted by Holm, two-sided"
        )
        return Series(
            {
                "adjusted p": adjusted,
                self.of: [table.machines[i] for i, _ in pairs],
                "against": [table.machines[j] for _, j in pairs],
                "rank difference": differences,
                "z": [difference / error for difference in differences],
                "p": p,
                "different": [each < self.alpha for each in adjusted],
                "alpha": [self.alpha] * len(pairs),
                "variant": [variant] * len(pairs),
            },
            main="adjusted p",
        )

    def _compared(self, table: Table) -> list[tuple[int, int]]:
        if self.control is None:
            return list(combinations(range(len(table.machines)), 2))
        if self.control not in table.machines:
            known = ", ".join(map(repr, table.machines))
            self._refuse(f"the control must be one of {known}, got {self.control!r}")
        against = table.machines.index(self.control)
        return [(i, against) for i in range(len(table.machines)) if i != against]

    def _references(self) -> tuple[Any, ...]:
        return (self.control,)


def holm_adjusted(p: Sequence[float]) -> list[float]:
    """p values adjusted by Holm (1979): the smallest times their number, the next times one less, never decreasing.

    >>> holm_adjusted([0.25, 0.125, 0.5])
    [0.5, 0.375, 0.5]
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, highest = [0.0] * len(p), 0.0
    for done, position in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - done) * p[position]))
        adjusted[position] = highest
    return adjusted
