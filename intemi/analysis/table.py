"""The table of machines over data sets that tests of many machines stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from intemi.analysis.distributions import mean_ranks
from intemi.analysis.pairing import HINT, On, Unpaired, listed_labels, partners
from intemi.analysis.samples import Floats, column, numbers, require, settled
from intemi.analysis.stamps import UNASKED, refuse_unfair
from intemi.analysis.transformation import Transformation
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series

Cells = dict[tuple[Any, Any], list[int]]


@dataclass(frozen=True)
class Table:
    """The mean of each machine (a column) on each data set (a row), and where its items are in the series.

    Means that differ by errors of rounding only are equal.
    """

    machines: tuple[Any, ...]
    data: tuple[Any, ...]
    values: Floats
    positions: Cells

    def ranks(self, best: str) -> Floats:
        """The rank of each machine on each data set: 1 is the best, equal ones share the mean of their ranks."""
        return np.array([mean_ranks(-row if best == "highest" else row) for row in self.values])


@dataclass(frozen=True, repr=False, kw_only=True)
class ManyMachines(Transformation):
    """The options of all transformations of one series with the results of many machines on many data sets.

    `of` is the label of the machines and `over` that of the data sets. If there are several items of a machine on a
    data set, such as folds, they must be the same ones for each machine, told by the other labels or by the labels
    `on`; their mean counts. `best` tells whether "highest" or "lowest" values are best. Machines that were not fair
    (labels "Leak", "Oracle" and "Unverified") do not compete.
    """

    of: str = "machine"
    over: str = "data"
    on: On = None
    best: Literal["highest", "lowest"] = "highest"

    def __post_init__(self) -> None:
        self._check_choice("best", "highest", "lowest")
        if self.of == self.over:
            raise ConfigurationError(f"{type(self).__name__}: of and over must be different labels, got {self.of!r}")

    def _table(self, series: Series, machines: int = 2, data: int = 2) -> Table:
        """The table of at least so many machines and data sets, all of its cells filled with the same items."""
        for label in (self.of, self.over):
            require(series, label, self._refuse)
        refuse_unfair(self._refuse, series, self.of, self._references())
        values = numbers(series, self._refuse)
        cells: Cells = {}
        for position, cell in enumerate(zip(column(series, self.of), column(series, self.over), strict=True)):
            cells.setdefault(cell, []).append(position)
        columns, rows = (tuple(dict.fromkeys(cell[side] for cell in cells)) for side in (0, 1))
        for label, found, least in ((self.of, columns, machines), (self.over, rows, data)):
            if len(found) < least:
                self._refuse(f"there must be at least {least} values of {label!r}, got {len(found)}")
        for machine, row in product(columns, rows):
            self._check_cell(series, cells, (machine, row), (columns[0], row))
        means = np.array([[math.fsum(values[cells[m, row]]) / len(cells[m, row]) for m in columns] for row in rows])
        return Table(columns, rows, np.array([settled(row, float(np.abs(row).max())) for row in means]), cells)

    def _check_cell(self, series: Series, cells: Cells, cell: tuple[Any, Any], first: tuple[Any, Any]) -> None:
        """Refuse a machine that was not tested on a data set, or on other items than the first machine was."""
        labels = self._identifying(series)
        if cell not in cells:
            self._refuse(f"there is no item of {self._named(cell)}")
        if not labels and len(cells[cell]) > 1:
            self._refuse(f"{len(cells[cell])} items of {self._named(cell)} have no labels to tell them apart")
        if labels:
            names = (self._named(first), self._named(cell))
            try:
                partners(series[cells[first]], series[cells[cell]], labels, names)
            except Unpaired as error:
                self._refuse(f"{error}; {HINT}" if self.on is None else str(error))

    def _references(self) -> tuple[Any, ...]:
        """Machines that the others are compared with, and that need not be fair for that."""
        return ()

    def _named(self, cell: tuple[Any, Any]) -> str:
        return f"{self.of} {cell[0]} on {self.over} {cell[1]}"

    def _identifying(self, series: Series) -> tuple[str, ...]:
        if self.on is None:
            return tuple(label for label in series.labels if label not in (series.main, self.of, self.over, *UNASKED))
        for label in (labels := listed_labels(self.on)):
            require(series, label, self._refuse)
        return labels
