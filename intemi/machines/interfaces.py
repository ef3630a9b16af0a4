"""What machines give to each other beside data: classifiers, transformations, rankings. Types of ports, not machines.

They answer for any data with the columns they were made for; other columns get an error that says what differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.data import Column, Data
from intemi.kernel import IntemiError, storable
from intemi.machines.decoded import expect, expect_columns, expect_labels

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class ColumnsError(IntemiError, ValueError):
    """Data do not have the columns that something was made for."""


class Classifier(ABC):
    """Tells the class of rows. Subclasses are storable dataclasses with fields `columns` and `labels`."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together, after it was read."""
        expect_columns(self.columns)
        expect_labels(self.labels)

    def classify(self, data: Data) -> Codes:
        """For each row the index of a class."""
        check_columns(type(self).__name__, self.columns, data)
        return self._classify(data)

    def probabilities(self, data: Data) -> Floats:
        """For each row the probabilities of all classes."""
        check_columns(type(self).__name__, self.columns, data)
        return self._probabilities(data)

    def answers(self, data: Data) -> tuple[Codes, Floats]:
        """The classes and the probabilities at once, which costs less than one after the other."""
        check_columns(type(self).__name__, self.columns, data)
        return self._answers(data)

    def _classify(self, data: Data) -> Codes:
        return self._answers(data)[0]

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        probabilities = self._probabilities(data)
        return np.asarray(probabilities.argmax(axis=1), dtype=np.int32), probabilities

    @abstractmethod
    def _probabilities(self, data: Data) -> Floats: ...


class Transformation(ABC):
    """Makes other data of data. Subclasses are storable dataclasses with a field `columns`."""

    columns: tuple[Column, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together, after it was read."""
        expect_columns(self.columns)

    def transform(self, data: Data) -> Data:
        """The transformed data, row by row."""
        check_columns(type(self).__name__, self.columns, data)
        return self._transform(data)

    @abstractmethod
    def _transform(self, data: Data) -> Data: ...


@storable
@dataclass(frozen=True)
class FeatureRanking:
    """Features from the most to the least useful: indices into `columns`, and a value for each (greater is better)."""

    columns: tuple[Column, ...]
    order: tuple[int, ...]
    values: tuple[float, ...]
    """One for each column, in the order of the columns."""

    is_immutable: ClassVar[bool] = True

    def state(self) -> tuple[Any, ...]:
        """For the store: two arrays cost less than many numbers."""
        return self.columns, np.array(self.order, dtype=np.int32), np.array(self.values, dtype=np.float64)

    @classmethod
    def from_state(cls, state: tuple[Any, ...]) -> FeatureRanking:
        """The ranking that was taken apart."""
        columns, order, values = state
        return cls(columns, tuple(order.tolist()), tuple(values.tolist()))

    def check_decoded(self) -> None:
        """Refuse an order of other features than there are."""
        expect_columns(self.columns)
        count = len(self.columns)
        expect(len(self.values) == count, "a ranking has a value for each column")
        expect(len(set(self.order)) == len(self.order), "a ranking names a column once")
        expect(all(type(each) is int and 0 <= each < count for each in self.order), "a ranking is of its columns")

    @property
    def nbytes(self) -> int:
        """Roughly how much memory it takes."""
        return 64 * len(self.order)


def check_columns(who: str, expected: Sequence[Column], data: Data) -> None:
    """Refuse data whose columns are not exactly the expected ones, saying what differs."""
    if not isinstance(data, Data):
        raise ColumnsError(
            f"{who}: Data are needed, got {type(data).__name__}; from_numpy and from_pandas of intemi.data make them"
        )
    given = data.columns
    if given is expected or tuple(given) == tuple(expected):
        return
    names = [column.name for column in given]
    missing = [column.name for column in expected if column.name not in names]
    if missing:
        raise ColumnsError(f"{who}: the column {missing[0]!r} is missing; it was made for {_listed(expected)}")
    extra = [name for name in names if name not in {column.name for column in expected}]
    if extra:
        raise ColumnsError(f"{who}: the column {extra[0]!r} is unknown; it was made for {_listed(expected)}")
    by_name = {column.name: column for column in given}
    for column in expected:
        if by_name[column.name] != column:
            raise ColumnsError(f"{who}: the column {_differing(column, by_name[column.name])}")
    raise ColumnsError(f"{who}: the columns are in another order; it was made for {_listed(expected)}")


def _differing(expected: Column, given: Column) -> str:
    if expected.categories is None or given.categories is None:
        return f"{expected} was expected, got {given}"
    words = f"{expected.name!r} was expected with the categories {_joined(expected.categories)}, got "
    unknown = [name for name in given.categories if name not in expected.categories]
    if unknown:
        return f"{words}{_joined(unknown)} as well"
    missing = [name for name in expected.categories if name not in given.categories]
    if missing:
        return f"{words}none called {_joined(missing)}"
    return f"{words}them in another order, {_joined(given.categories)}"


def _listed(columns: Sequence[Column]) -> str:
    return _joined([column.name for column in columns])


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
