"""Distributors: machines that give out training and test data, as views of the data that they are given.

Rows may be copies of one row. All copies stay on one side of each split, else a learner would be tested on rows that it
has seen: what is divided is the rows that the copies come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Job, Machine, Model, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.roles import Distributor

Positions = NDArray[np.intp]
Generator = np.random.Generator


class CVDistributor(Distributor):
    """Cross-validation: the rows in so many folds, each of them test data once.

    Folds differ in size by at most one row and, if stratified, by at most one row of each class.

    >>> CVDistributor(folds=1)
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: CVDistributor: folds must be at least 2, got 1
    """

    version = 2

    folds: int = parameter(default=10, at_least=2)
    stratified: bool = True

    def run(self, data: Data, rng: Generator) -> Model:
        rows, copied = _without_copies(data)
        if self.folds > len(rows):
            raise ConfigurationError(f"{self.kind}: folds must be at most the {len(rows)} rows, got {self.folds}")
        numbers = rng.permutation(self.folds)
        fold = np.empty(len(rows), dtype=np.min_scalar_type(self.folds))  # small numbers are sorted faster
        fold[_shuffled(self, rows, self.stratified, rng)] = numbers[np.arange(len(rows)) % self.folds]
        return _folded(data, fold if copied is None else fold[copied], self.folds)


class BootstrapDistributor(Distributor):
    """Bootstrap samples: as many rows as there are, drawn with replacement; test data are the rows never drawn."""

    version = 2

    samples: int = parameter(default=10, at_least=1)

    def run(self, data: Data, rng: Generator) -> Model:
        rows, copied = _without_copies(data)
        _check_size(self, rows)
        drawn = [self._draw(len(rows), rng) for _ in range(self.samples)]
        left = [np.bincount(each, minlength=len(rows)) == 0 for each in drawn]
        if copied is None:
            return Model(
                training=[data.select_rows(each) for each in drawn], test=[data.select_rows(each) for each in left]
            )
        copies = [np.flatnonzero(copied == row) for row in range(len(rows))]
        return Model(
            training=[data.select_rows(np.concatenate([copies[row] for row in each])) for each in drawn],
            test=[data.select_rows(each[copied]) for each in left],
        )

    def _draw(self, size: int, rng: Generator) -> Positions:
        """A sample; one that leaves no row for the test, which happens to very few rows only, is drawn again."""
        while True:
            drawn = rng.integers(size, size=size)
            if len(np.unique(drawn)) < size:
                return drawn


class HoldOutDistributor(Distributor):
    """A share of the rows for training and the others for the test, drawn anew for each sample.

    If stratified, the number of training rows of each class is its share of the class, rounded up or down.
    """

    version = 2

    share: float = parameter(default=2 / 3, above=0, below=1)
    stratified: bool = True
    samples: int = parameter(default=1, at_least=1)

    def run(self, data: Data, rng: Generator) -> Model:
        rows, copied = _without_copies(data)
        _check_size(self, rows)
        drawn = [self._draw(rows, rng) for _ in range(self.samples)]
        if copied is not None:
            drawn = [each[copied] for each in drawn]
        return Model(
            training=[data.select_rows(~each) for each in drawn], test=[data.select_rows(each) for each in drawn]
        )

    def _draw(self, data: Data, rng: Generator) -> Any:
        """Truth values of test rows: every so many of the rows in shuffled order, beginning anywhere."""
        size = len(data)
        count = min(max(round(size * (1 - self.share)), 1), size - 1)
        reached = (np.arange(size + 1) * count + rng.integers(size)) // size
        test = np.zeros(size, dtype=bool)
        test[_shuffled(self, data, self.stratified, rng)] = np.diff(reached) > 0
        return test


class FirstFold(Distributor):
    """The first part that another distributor gives out: a hold-out that has its rows in common with it.

    Trees that are validated by the first fold alone and by all folds of a cross-validation share that fold's tree.

    >>> FirstFold(CVDistributor(folds=5))
    FirstFold(distributor=CVDistributor(folds=5, stratified=True))
    """

    distributor: Machine = parameter(default=CVDistributor(), role=Distributor)

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, data=data, name="parts")
        await parts
        return Model(training=[parts.training[0]], test=[parts.test[0]])


class LeaveOneOutDistributor(Distributor):
    """Each row is test data once, with all others for training.

    The views of n rows name n · (n - 1) of them, four bytes each: 20,000 rows take 1.6 GB.
    """

    version = 2

    def run(self, data: Data) -> Model:
        rows, copied = _without_copies(data)
        _check_size(self, rows)
        return _folded(data, np.arange(len(rows)) if copied is None else copied, len(rows))


class GivenFolds(Distributor):
    """Cross-validation with given folds: the number of a fold for each row."""

    folds: tuple[int, ...]

    def check(self) -> None:
        if len(set(self.folds)) < 2:
            raise ConfigurationError(f"GivenFolds: folds must name at least 2 folds, got {len(set(self.folds))}")

    def run(self, data: Data) -> Model:
        if len(data) != len(self.folds):
            raise ConfigurationError(
                f"GivenFolds: folds must have one number for each of {len(data)} rows, got {len(self.folds)}"
            )
        names, fold = np.unique(self.folds, return_inverse=True)
        return _folded(data, fold, len(names))


class GroupCVDistributor(Distributor):
    """Cross-validation in which all rows of a group, those with one value in a column, are in one fold.

    The largest groups are given out first, each to the smallest fold so far. The column itself is left out: it names
    rows, and nothing is to be learned from it.

    >>> GroupCVDistributor("patient", folds=5)
    GroupCVDistributor(column='patient', folds=5)
    """

    column: str
    folds: int = parameter(default=10, at_least=2)

    def run(self, data: Data, rng: Generator) -> Model:
        values, rest = _taken_out(self, data, self.column)
        _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
        if self.folds > len(sizes):
            raise ConfigurationError(f"{self.kind}: folds must be at most the {len(sizes)} groups, got {self.folds}")
        order = rng.permutation(len(sizes))
        fold, filled = np.empty(len(sizes), dtype=np.intp), np.zeros(self.folds, dtype=np.intp)
        for each in order[np.argsort(-sizes[order], kind="stable")]:
            fold[each] = filled.argmin()
            filled[fold[each]] += sizes[each]
        return _folded(rest, fold[group], self.folds)


class TimeOrderedDistributor(Distributor):
    """Rows in the order of time, in blocks: each but the first is test data once, with all before it for training.

    The time is that of a column, which is left out of the data; without one, rows come in their order. Rows of one
    time are in one block.

    >>> TimeOrderedDistributor("day").folds
    5
    """

    column: str | None = None
    folds: int = parameter(default=5, at_least=1)

    def run(self, data: Data) -> Model:
        time: Any = np.arange(len(data))
        rest = data
        if self.column is not None:
            time, rest = _taken_out(self, data, self.column)
        elif data.has_copies:
            time = data.origins
        _, moment, sizes = np.unique(time, return_inverse=True, return_counts=True)
        if len(sizes) <= self.folds:
            raise ConfigurationError(
                f"{self.kind}: folds must be below the {len(sizes)} different times, got {self.folds}"
            )
        # The rows up to a moment, half of its own counted, decide on its block.
        reached = np.cumsum(sizes) - sizes / 2
        block = np.minimum(reached * (self.folds + 1) // len(data), self.folds).astype(np.intp)
        block = np.minimum(np.unique(block, return_inverse=True)[1], self.folds)[moment]
        last = int(block.max())
        return Model(
            training=[rest.select_rows(block < each) for each in range(1, last + 1)],
            test=[rest.select_rows(block == each) for each in range(1, last + 1)],
        )


class GivenSplit(Distributor):
    """One split that the data bring along: rows are for training or for the test as a nominal column says.

    The column is left out of the data. `JoinedFiles` makes such data of two files.

    >>> GivenSplit()
    GivenSplit(column='part', test_part='test')
    """

    column: str = "part"
    test_part: str = "test"

    def run(self, data: Data) -> Model:
        column = next((each for each in data.columns if each.name == self.column), None)
        categories = None if column is None else column.categories
        if categories is not None and self.test_part not in categories:
            raise ConfigurationError(
                f"{self.kind}: test_part must be one of {', '.join(categories)}, got {self.test_part!r}"
            )
        values, rest = _taken_out(self, data, self.column)
        if categories is None:
            raise ConfigurationError(f"{self.kind}: the column {self.column!r} must be nominal, got numbers")
        is_test = values == categories.index(self.test_part)
        if is_test.all() or not is_test.any():
            raise ConfigurationError(
                f"{self.kind}: both parts need rows, got {is_test.sum()} of {len(data)} for the test"
            )
        return Model(training=[rest.select_rows(~is_test)], test=[rest.select_rows(is_test)])


def _taken_out(machine: Machine, data: Data, name: str) -> tuple[Floats, Data]:
    """The values of a column, and the data without it; an error if there is none, or a value is missing."""
    names = [column.name for column in data.columns]
    if name not in names:
        raise ConfigurationError(f"{machine.kind}: column must be one of {', '.join(names)}, got {name!r}")
    values = data.feature(names.index(name))
    if np.isnan(values).any():
        raise ConfigurationError(f"{machine.kind}: the column {name!r} must have a value in each row, some are missing")
    return values, data.select_columns([each for each in names if each != name])


def _without_copies(data: Data) -> tuple[Data, Positions | None]:
    """The rows to divide, and for each row of the data which of them it is a copy of; None if no row is one.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[7, 8, 9]])).select_rows([0, 2, 2])
    >>> rows, copied = _without_copies(data)
    >>> rows.features.tolist(), copied.tolist()
    ([[7.0, 9.0]], [0, 1, 1])
    """
    if not data.has_copies:
        return data, None
    _, first, copied = np.unique(data.origins, return_index=True, return_inverse=True)
    order = np.argsort(first)  # rows stay in their order
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return data.select_rows(first[order]), places[copied]


def _folded(data: Data, fold: Positions, count: int) -> Model:
    """Test data are the rows of each of so many folds, training data are all others."""
    tests, trainings = data.parts(fold, count)
    return Model(training=trainings, test=tests)


def _shuffled(machine: Machine, data: Data, stratified: bool, rng: Generator) -> Positions:
    """The rows in random order; if stratified, one class after the other."""
    order = rng.permutation(len(data))
    if not stratified:
        return order
    if data.target is None:
        raise ConfigurationError(f"{machine.kind}: data without a target cannot be stratified, set stratified=False")
    small = np.min_scalar_type(-1 - len(data.labels))  # small numbers are sorted faster; -1 is an unknown class
    return order[data.classes.astype(small)[order].argsort(kind="stable")]


def _check_size(machine: Machine, data: Data) -> None:
    if len(data) < 2:
        raise ConfigurationError(f"{machine.kind}: at least 2 rows are needed, got {len(data)}")
