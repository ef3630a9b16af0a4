"""How often each machine is among the best."""

from __future__ import annotations

from dataclasses import dataclass

from intemi.analysis.tested_over_data import TestedOverData
from intemi.series import Series


@dataclass(frozen=True, repr=False, kw_only=True)
class Wins(TestedOverData):
    """On how many data sets a machine has the best mean, or is not different from the machine that has.

    >>> names = {"machine": ["knn", "svm"] * 2, "data": ["iris", "iris", "wine", "wine"]}
    >>> results = Series({"Accuracy": [0.8, 0.9, 0.8, 0.8], **names})
    >>> Wins(test=None)(results).values
    array([1, 2])
    """

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        k, n = len(table.machines), len(table.data)
        comparisons = n * (k - 1)
        levels = self._levels(comparisons)
        level = levels.of(self.correction)
        wins = [0] * k
        for data, values in enumerate(table.values.tolist()):
            best = values.index(max(values) if self.best == "highest" else min(values))
            for i in range(k):
                wins[i] += i == best or self._advantage(series, table, data, i, best, level) == 0
        return Series(
            {
                "wins": wins,
                self.of: list(table.machines),
                "data sets": [n] * k,
                "comparisons": [comparisons] * k,
                "level": [level] * k,
                "variant": [self._variant(series, levels)] * k,
            },
            main="wins",
        )
