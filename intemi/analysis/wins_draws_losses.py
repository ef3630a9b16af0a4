"""Wins, draws and losses of machines against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intemi.analysis.table import Table
from intemi.analysis.tested_over_data import TestedOverData
from intemi.series import Series


@dataclass(frozen=True, repr=False, kw_only=True)
class WinsDrawsLosses(TestedOverData):
    """On how many data sets a machine is better than another one, not different, and worse.

    One item for each pair of machines, in both orders and with themselves (all draws), or only `against` one machine.

    >>> knn = [0.8, 0.9, 0.85, 0.7, 0.8, 0.75]
    >>> svm = [0.6, 0.72, 0.64, 0.7, 0.7, 0.8]
    >>> names = {"data": (["iris"] * 3 + ["wine"] * 3) * 2, "Fold": [1, 2, 3] * 4}
    >>> results = Series({"Accuracy": knn + svm, "machine": ["knn"] * 6 + ["svm"] * 6, **names})
    >>> [item["W-D-L"] for item in WinsDrawsLosses()(results)]
    ['0-2-0', '1-1-0', '0-1-1', '0-2-0']
    >>> WinsDrawsLosses().matrix(results)
    machine*  knn    svm
    knn       0-2-0  1-1-0
    svm       0-1-1  0-2-0
    2 rows
    """

    against: Any = None

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        opponents = self._opponents(table)
        shown = [(i, j) for i in range(len(table.machines)) for j in opponents]
        compared = sorted({(min(pair), max(pair)) for pair in shown if pair[0] != pair[1]})
        comparisons = len(table.data) * len(compared)
        levels = self._levels(comparisons)
        level = levels.of(self.correction)
        outcome = {(i, i): [0] * len(table.data) for i in opponents}
        for i, j in compared:
            outcome[i, j] = [self._advantage(series, table, data, i, j, level) for data in range(len(table.data))]
            outcome[j, i] = [-each for each in outcome[i, j]]
        wins, draws, losses = ([outcome[pair].count(sign) for pair in shown] for sign in (1, 0, -1))
        return Series(
            {
                self.of: [table.machines[i] for i, _ in shown],
                "against": [table.machines[j] for _, j in shown],
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "W-D-L": [f"{won}-{drawn}-{lost}" for won, drawn, lost in zip(wins, draws, losses, strict=True)],
                "comparisons": [comparisons] * len(shown),
                "level": [level] * len(shown),
                "variant": [self._variant(series, levels)] * len(shown),
            },
            main="wins",
        )

    def matrix(self, series: Series) -> Series:
        """The same to be read: an item for each machine, and a label for each that it is compared with."""
        return self.arranged(self(series))

    def arranged(self, found: Series) -> Series:
        """The matrix of what was found before."""
        machines = list(dict.fromkeys(found[self.of]))
        columns: dict[str, list[Any]] = {self.of: machines}
        for item in found:
            columns.setdefault(str(item["against"]), []).append(item["W-D-L"])
        return Series(columns, main=self.of)

    def _opponents(self, table: Table) -> list[int]:
        if self.against is None:
            return list(range(len(table.machines)))
        if self.against not in table.machines:
            known = ", ".join(map(repr, table.machines))
            self._refuse(f"against must be one of {known}, got {self.against!r}")
        return [table.machines.index(self.against)]

    def _references(self) -> tuple[Any, ...]:
        return (self.against,)
