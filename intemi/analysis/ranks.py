"""Ranks of machines over data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.analysis.table import ManyMachines
from intemi.series import Series


@dataclass(frozen=True, repr=False, kw_only=True)
class Ranks(ManyMachines):
    """The rank of each machine on each data set: 1 is the best, equal ones share the mean of their ranks.

    >>> results = Series({"Accuracy": [0.9, 0.8, 0.8], "machine": ["knn", "svm", "tree"], "data": ["iris"] * 3})
    >>> Ranks()(results).values
    array([1. , 2.5, 2.5])
    """

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        ranks = table.ranks(self.best)
        return Series(
            {
                "rank": ranks.ravel(),
                self.of: list(table.machines) * len(table.data),
                self.over: [data for data in table.data for _ in table.machines],
            },
            main="rank",
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class AverageRanks(ManyMachines):
    """The mean over all data sets of the rank of each machine, and its deviation, the best machine first.

    >>> names = {"machine": ["knn", "svm"] * 2, "data": ["iris", "iris", "wine", "wine"]}
    >>> results = Series({"Accuracy": [0.8, 0.9, 0.8, 0.8], **names})
    >>> AverageRanks()(results)
    average rank*      sd  machine  data sets
             1.25  0.3536  svm              2
             1.75  0.3536  knn              2
    2 rows
    """

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        ranks = table.ranks(self.best)
        average = np.mean(ranks, axis=0)
        deviation = np.std(ranks, axis=0, ddof=1) if len(ranks) > 1 else np.full(len(average), np.nan)
        order = np.argsort(average, kind="stable")
        return Series(
            {
                "average rank": average[order],
                "sd": deviation[order],
                self.of: [table.machines[position] for position in order],
                "data sets": [len(table.data)] * len(order),
            },
            main="average rank",
        )
