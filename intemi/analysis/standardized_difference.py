"""How far machines are from a reference, in standard deviations of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.analysis.samples import Floats, all_equal, numbers
from intemi.analysis.table import ManyMachines, Table
from intemi.series import Series


@dataclass(frozen=True, repr=False, kw_only=True)
class StandardizedDifference(ManyMachines):
    """The difference of each machine from a reference in standard deviations of the reference, averaged over data sets.

    (mean(m) − mean(r)) / sd(r) makes data sets comparable whose values are on different scales. The reference r is the
    machine `against`, or on each data set the one with the best mean. Where its values are all equal there is no
    such unit: these data sets are left out, and named. `sd` is the deviation of the differences over data sets.

    >>> names = {"machine": ["knn"] * 3 + ["svm"] * 3, "data": ["iris"] * 6, "Fold": [1, 2, 3] * 2}
    >>> results = Series({"Accuracy": [0.6, 0.7, 0.8, 0.9, 0.8, 0.7], **names})
    >>> StandardizedDifference(against="knn")(results).values.round(3)
    array([0., 1.])
    """

    against: Any = None

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        rows, left_out = self._differences(series, table)
        if not rows:
            self._refuse("the reference has no spread on any data set, so there is no unit")
        machines = len(table.machines)
        name = "the best machine" if self.against is None else repr(self.against)
        return Series(
            {
                "difference": np.mean(rows, axis=0),
                "sd": np.std(rows, axis=0, ddof=1) if len(rows) > 1 else [math.nan] * machines,
                self.of: list(table.machines),
                "data sets": [len(rows)] * machines,
                "left out": [", ".join(map(str, left_out))] * machines,
                "variant": [f"(mean − mean of {name}) / sd of {name}, mean over data sets"] * machines,
            },
            main="difference",
        )

    def of_each(self, series: Series) -> Series:
        """The same before it is averaged: an item for each machine on each data set that is not left out."""
        table = self._table(series, data=1)
        rows, left_out = self._differences(series, table)
        data = [each for each in table.data if each not in left_out]
        return Series(
            {
                "difference": np.array(rows).ravel(),
                self.of: list(table.machines) * len(data),
                self.over: [each for each in data for _ in table.machines],
            },
            main="difference",
        )

    def _differences(self, series: Series, table: Table) -> tuple[list[Floats], list[Any]]:
        """A row for each data set, and the data sets that have none."""
        values, rows, left_out = numbers(series, self._refuse), [], []
        for data, means in zip(table.data, table.values, strict=True):
            place = self._place(table, means)
            of_reference = values[table.positions[table.machines[place], data]]
            if all_equal(of_reference, float(np.abs(of_reference).max())):
                left_out.append(data)
            else:
                rows.append((means - means[place]) / float(np.std(of_reference, ddof=1)))
        return rows, left_out

    def _place(self, table: Table, means: Floats) -> int:
        if self.against is None:
            return int(means.argmax() if self.best == "highest" else means.argmin())
        if self.against not in table.machines:
            known = ", ".join(map(repr, table.machines))
            self._refuse(f"against must be one of {known}, got {self.against!r}")
        return table.machines.index(self.against)

    def _references(self) -> tuple[Any, ...]:
        return (self.against,)
