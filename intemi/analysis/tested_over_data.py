"""Tests of two machines, run on every data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from intemi.analysis.caveats import described
from intemi.analysis.levels import Correction, Levels
from intemi.analysis.paired_t_test import PairedTTest
from intemi.analysis.stamps import without_stamps
from intemi.analysis.table import ManyMachines, Table
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series

Comparison = Callable[[Series, Series], Series]
PAIRED_T_TEST: Comparison = PairedTTest()


@dataclass(frozen=True, repr=False, kw_only=True)
class TestedOverData(ManyMachines):
    """The options of transformations that run a test of two machines on every data set.

    `test` compares the items of two machines on one data set; its `p` below `alpha` is a difference. None compares the
    means only. `correction` shares alpha among all comparisons that are made: "none", "bonferroni" or "sidak". Their
    number, and the levels that it leads to, are part of the variant, whatever the correction is. If several items of a
    machine are of one split, results of several configurations are pooled, and the variant calls them descriptive.
    """

    test: Comparison | None = PAIRED_T_TEST
    alpha: float = 0.01
    correction: Correction = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_alpha(self.alpha)
        self._check_choice("correction", "none", "bonferroni", "sidak")

    def _levels(self, comparisons: int) -> Levels:
        """The level of each of several comparisons, and those at which all together keep alpha."""
        return Levels(self.alpha, max(1, comparisons))

    def _advantage(self, series: Series, table: Table, data: int, one: int, other: int, level: float) -> int:
        """1, 0 or −1: one machine is better than, not different from, or worse than the other on a data set."""
        difference = float(table.values[data, one] - table.values[data, other])
        if difference == 0 or self._p(series, table, data, one, other) >= level:
            return 0
        return 1 if (difference > 0) == (self.best == "highest") else -1

    def _p(self, series: Series, table: Table, data: int, one: int, other: int) -> float:
        if self.test is None:
            return 0.0
        machines, where = (table.machines[one], table.machines[other]), table.data[data]
        fair = without_stamps(series).without(self.of, self.over)
        first, second = (fair[table.positions[each, where]] for each in machines)
        found = self.test(first, second)
        if not isinstance(found, Series) or "p" not in found.labels or len(found) != 1:
            shown = (
                f"a series of {len(found)} with {', '.join(found.labels)}" if isinstance(found, Series) else repr(found)
            )
            raise ConfigurationError(
                f"{self.test!r}: a test must give a series of one item with the label p, got {shown}"
            )
        return float(np.asarray(found["p"])[0])

    def _variant(self, series: Series, levels: Levels) -> str:
        if self.test is None:
            return "by the means alone"
        test = described(repr(self.test), series, by=(self.of, self.over))
        return f"{test} on each data set, {levels}, correction: {self.correction}"
