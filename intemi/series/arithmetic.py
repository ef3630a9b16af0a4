"""Arithmetic and statistics of the main label."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intemi.series.columns import column
from intemi.series.errors import SeriesError, shown
from intemi.series.mixing import mixed_data
from intemi.series.pairing import partners, shared_labels
from intemi.series.rows import Rows

_SAFE = 2**31
"""Sums and products of smaller ints fit into 64 bits."""


class Arithmetic(Rows):
    """What can be calculated with the main label.

    Two series are paired by the other labels that both have: these must tell the rows of each apart, and every row must
    have a partner. What remains is the main label and those other labels, in the order of the series on the left.
    Series that share no other label are paired by position and must be equally long.

    >>> from intemi.series import Series
    >>> knn = Series({"Hits": [9, 8], "Fold": [0, 1]})
    >>> svm = Series({"Hits": [5, 7], "Fold": [1, 0]})
    >>> knn - svm
    Hits*  Fold
        2     0
        3     1
    2 rows
    >>> (knn / 10).values
    array([0.9, 0.8])
    """

    __slots__ = ()

    __array_ufunc__ = None
    """Let numpy's numbers leave arithmetic with a series to the series."""

    def __add__(self, other: object) -> Self:
        return self._calculated(other, operator.add, "+")

    def __radd__(self, other: object) -> Self:
        return self._calculated(other, lambda mine, given: given + mine, "+")

    def __sub__(self, other: object) -> Self:
        return self._calculated(other, operator.sub, "-")

    def __rsub__(self, other: object) -> Self:
        return self._calculated(other, lambda mine, given: given - mine, "-")

    def __mul__(self, other: object) -> Self:
        return self._calculated(other, operator.mul, "*")

    def __rmul__(self, other: object) -> Self:
        return self._calculated(other, lambda mine, given: given * mine, "*")

    def __truediv__(self, other: object) -> Self:
        return self._calculated(other, _divided, "/")

    def __rtruediv__(self, other: object) -> Self:
        return self._calculated(other, lambda mine, given: _divided(given, mine), "/")

    def __neg__(self) -> Self:
        return self._replaced(-_roomy(self._numbers("-")))

    def __abs__(self) -> Self:
        return self._replaced(abs(_roomy(self._numbers("abs"))))

    def mean(self, *, unsafe: bool = False) -> float:
        """The mean of the main label. Values of several data sets are averaged only with `unsafe`.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7], "Fold": [0, 1]}).mean()
        5.5
        """
        return float(np.mean(self._unmixed("mean", unsafe)))

    def sd(self, *, unsafe: bool = False) -> float:
        """The standard deviation of the main label, as estimated from a sample (n - 1); NaN for one row.

        Of values of several data sets it is taken only with `unsafe`.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7, 10]}).sd()
        3.0
        """
        numbers = self._unmixed("sd", unsafe)
        return float(np.std(numbers, ddof=1)) if len(numbers) > 1 else float("nan")

    def median(self, *, unsafe: bool = False) -> float:
        """The median of the main label. That of several data sets is taken only with `unsafe`.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7, 100]}).median()
        7.0
        """
        return float(np.median(self._unmixed("median", unsafe)))

    def sum(self) -> int | float:
        """The sum of the main label, exact for ints; 0 of no rows.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7]}).sum()
        11
        """
        numbers = self._numbers("sum")
        return float(np.sum(numbers)) if numbers.dtype.kind == "f" else sum(numbers.tolist())

    def min(self) -> int | float:
        """The least value of the main label.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7]}).min()
        4
        """
        return self._extreme("min", min)

    def max(self) -> int | float:
        """The greatest value of the main label.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7]}).max()
        7
        """
        return self._extreme("max", max)

    def count(self) -> int:
        """The number of rows.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7]}).count()
        2
        """
        return len(self)

    def aggregate(self, **functions: Callable[[Any], Any]) -> Self:
        """A series of one row: what each function makes of the values of the main label.

        >>> from intemi.series import Series
        >>> Series({"Hits": [4, 7], "Fold": [0, 1]}).aggregate(Mean=np.mean, Most=np.max)
        Mean*  Most
          5.5     7
        1 row
        """
        return type(self)({label: [function(self.values)] for label, function in functions.items()})

    def _calculated(self, other: object, function: Callable[[Any, Any], Any], sign: str) -> Self:
        if isinstance(other, Arithmetic):
            return self._paired(other, function, sign)
        if isinstance(other, bool | np.bool_) or not isinstance(other, int | float | np.integer | np.floating):
            return NotImplemented  # type: ignore[no-any-return]
        number = np.asarray(other if isinstance(other, int | float) else other.item())
        return self._replaced(_exact(function, self._numbers(sign), number))

    def _paired(self, other: Arithmetic, function: Callable[[Any, Any], Any], sign: str) -> Self:
        mine, given = self._numbers(sign), other._numbers(sign)
        labels = shared_labels(self, other)
        if labels:
            given = given[partners(self, other, labels, sign, "without(…) leaves out labels that say something else")]
        elif len(mine) != len(given):
            raise SeriesError(
                f"{sign}: series that share no label but the main one must be equally long, "
                f"got {len(mine)} and {len(given)} rows"
            )
        result = column(_exact(function, mine, given))
        kept = [label for label in self.labels if label == self.main or label in labels]
        return self._of({label: result if label == self.main else self[label] for label in kept}, self.main)

    def _replaced(self, numbers: NDArray[Any]) -> Self:
        """The same series with another main column."""
        result = column(numbers)
        return self._of({label: result if label == self.main else self[label] for label in self.labels}, self.main)

    def _numbers(self, who: str) -> NDArray[Any]:
        """The main column as an array of int64 or float64; of Python's numbers, if these do not hold them."""
        values = self.values
        if isinstance(values, np.ndarray):
            return values.astype(np.int64) if values.dtype.kind == "b" else values
        for position, value in enumerate(values):
            if not isinstance(value, int | float):
                raise SeriesError(f"{who}: {self.main} must hold numbers, got {shown(value)} in row {position}")
        return np.array([int(value) if isinstance(value, bool) else value for value in values], dtype=object)

    def _unmixed(self, who: str, unsafe: bool) -> NDArray[np.float64]:
        """The values, which must not be of several data sets."""
        if not unsafe and (why := mixed_data(self)) is not None:
            raise SeriesError(f"{who}: {why}")
        return self._floats(who)

    def _floats(self, who: str) -> NDArray[np.float64]:
        numbers = self._numbers(who)
        if not len(numbers):
            raise SeriesError(f"{who}: the series must have rows, got none")
        return _as_floats(numbers)

    def _extreme(self, who: str, function: Callable[[Any], Any]) -> int | float:
        numbers = self._numbers(who)
        if not len(numbers):
            raise SeriesError(f"{who}: the series must have rows, got none")
        every = numbers.tolist()
        if any(number != number for number in every):
            return float("nan")
        found: int | float = function(every)
        return found


def _exact(function: Callable[[Any, Any], Any], mine: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """Ints that may outgrow 64 bits are calculated as Python's; floats follow IEEE 754, without a warning."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(_roomy(mine), _roomy(given)))
    except OverflowError as error:
        raise SeriesError(f"arithmetic: {error}") from None


def _roomy(numbers: NDArray[Any]) -> NDArray[Any]:
    if numbers.dtype.kind == "i" and numbers.size and (numbers.min() <= -_SAFE or numbers.max() >= _SAFE):
        return numbers.astype(object)
    return numbers


def _divided(one: NDArray[Any], other: NDArray[Any]) -> Any:
    return _as_floats(one) / _as_floats(other)


def _as_floats(numbers: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return numbers.astype(np.float64)
    except OverflowError as error:
        raise SeriesError(f"an int is too large for a float: {error}") from None
