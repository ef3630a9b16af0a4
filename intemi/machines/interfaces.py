"""What machines give to each other beside data: classifiers, transformations, rankings. Types of ports, not machines.

They answer for any data with the columns they were made for; categories are known by name. Other columns get an error
that says what differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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
        return self._classify(fitted(type(self).__name__, self.columns, data))

    def probabilities(self, data: Data) -> Floats:
        """For each row the probabilities of all classes."""
        return self._probabilities(fitted(type(self).__name__, self.columns, data))

    def answers(self, data: Data) -> tuple[Codes, Floats]:
        """The classes and the probabilities at once, which costs less than one after the other."""
        return self._answers(fitted(type(self).__name__, self.columns, data))

    def supports(self, data: Data) -> Floats | None:
        """For each row the weight of the training rows of each class that the answer is based on, as in the leaf of a
        tree; None if it is based on all of them alike.
        """
        return self._supports(fitted(type(self).__name__, self.columns, data))

    def _supports(self, data: Data) -> Floats | None:
        return None

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
        return self._transform(fitted(type(self).__name__, self.columns, data))

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
    if not _are_expected(who, expected, data):
        differing = next((each, own) for each, own in zip(expected, data.columns, strict=True) if each != own)
        raise ColumnsError(f"{who}: the column {_differing(*differing)}")


def fitted(who: str, expected: Sequence[Column], data: Data) -> Data:
    """Data with exactly the expected columns: those whose categories are others, or in another order, go by name.

    A category that occurs and was not expected is refused, as is anything else that differs.

    >>> from intemi.data import Table
    >>> rows = Data(Table([Column("colour", ("blue", "red"))], [[0, 1]]))
    >>> fitted("doctest", [Column("colour", ("red", "green", "blue"))], rows).features
    array([[2., 0.]])
    """
    if _are_expected(who, expected, data):
        return data
    values = np.empty((len(expected), len(data)))
    for index, column in enumerate(expected):
        values[index] = _translated(who, column, data.columns[index], data.feature(index))
    values.flags.writeable = False  # so the table need not copy them
    return data.with_features(expected, values)


def _are_expected(who: str, expected: Sequence[Column], data: Data) -> bool:
    """Whether the columns of data are exactly the expected ones; refuse those of other names, or in another order."""
    if not isinstance(data, Data):
        raise ColumnsError(
            f"{who}: Data are needed, got {type(data).__name__}; from_numpy and from_pandas of intemi.data make them"
        )
    given = data.columns
    if given is expected or tuple(given) == tuple(expected):
        return True
    names = [column.name for column in given]
    missing = [column.name for column in expected if column.name not in names]
    if missing:
        raise ColumnsError(f"{who}: the column {missing[0]!r} is missing; it was made for {_listed(expected)}")
    extra = [name for name in names if name not in {column.name for column in expected}]
    if extra:
        raise ColumnsError(f"{who}: the column {extra[0]!r} is unknown; it was made for {_listed(expected)}")
    if names != [column.name for column in expected]:
        raise ColumnsError(f"{who}: the columns are in another order; it was made for {_listed(expected)}")
    return False


def _translated(who: str, expected: Column, given: Column, values: Floats) -> Floats:
    """The values of a column in terms of the expected one."""
    if expected == given or np.isnan(values).all():  # a column without a value has any type
        return values
    if expected.categories is None or given.categories is None:
        raise ColumnsError(f"{who}: the column {_differing(expected, given)}")
    return translated_codes(
        expected.categories,
        given.categories,
        values,
        lambda unknown: ColumnsError(
            f"{who}: the column {_differing(expected, Column(expected.name, tuple(unknown)))}; "
            "missing=[...] of a reader has such values read as missing"
        ),
    )


def translated_codes(
    expected: Sequence[str], given: Sequence[str], codes: Floats, refused: Callable[[list[str]], Exception]
) -> Floats:
    """Indices of given categories as indices of the expected ones; what occurs and was not expected is refused."""
    places = {category: float(code) for code, category in enumerate(expected)}
    present = codes[~np.isnan(codes)].astype(np.int64)
    if unknown := [given[code] for code in np.unique(present).tolist() if given[code] not in places]:
        raise refused(unknown)
    by_code = np.array([*(places.get(category, np.nan) for category in given), np.nan])
    found: Floats = by_code[np.where(np.isnan(codes), len(given), codes).astype(np.int64)]
    return found


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
