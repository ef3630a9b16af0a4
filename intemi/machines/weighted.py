"""Weighted statistics of the values of one column. Weights count relative to each other: twice all of them is the same.

Values that are missing, and rows that weigh nothing, take no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

TINY = np.finfo(np.float64).tiny
EPSILON = np.finfo(np.float64).eps
SMALLER = 2.0**-64
"""Times this, sums and differences of the greatest numbers are finite; a power of two changes no digit."""
AT_ONCE = 2**16
"""Values that are worked on together: many enough to be quick, few enough to take little memory beside a table."""


@dataclass(frozen=True, slots=True)
class Known:
    """The known values of a column, with the weights and (if there is a target) the classes of their rows."""

    values: Floats
    weights: Floats
    classes: Codes | None


def known(data: Data, index: int) -> Known:
    """What is known of one column."""
    values = data.feature(index)
    weights = data.weights
    classes = None if data.target is None else data.classes
    taken = ~np.isnan(values) & (weights > 0)
    if np.isinf(values[taken]).any():
        raise ConfigurationError(f"the column {data.columns[index].name!r} has infinite values")
    return Known(values[taken], weights[taken], None if classes is None else classes[taken])


def known_of_each(data: Data, indices: Sequence[int]) -> Iterator[tuple[list[int], Floats, Floats | None]]:
    """What is known of some columns, values and weights: first of those that are complete, several at once, a row of
    values for each, then of each other. Without weights all count the same. Indices are in ascending order.
    """
    weights = data.weights if data.is_weighted else None
    left = np.asarray(indices, dtype=np.intp)
    if weights is None or bool((weights > 0).all()):
        is_complete = np.zeros(len(left), dtype=bool)
        for start, values in in_parts(data):
            first, last = np.searchsorted(left, (start, start + len(values)))
            places = left[first:last] - start
            finite = np.asarray(np.isfinite(values[places]).all(axis=1))
            is_complete[first:last] = finite
            if finite.any():
                whole = np.count_nonzero(finite) == len(values)
                yield (places[finite] + start).tolist(), values if whole else values[places[finite]], weights
            if last == len(left):
                break
        left = left[~is_complete]
    for index in left.tolist():
        found = known(data, index)
        yield [index], found.values, found.weights


def in_parts(data: Data) -> Iterator[tuple[int, Floats]]:
    """All values, a row for each column, a few columns at a time: where they begin, and their values."""
    size, width = len(data.columns), max(1, AT_ONCE // max(1, len(data)))
    if size <= width:
        yield 0, data.features
    else:
        for start in range(0, size, width):
            yield start, data.features_between(start, min(start + width, size))


def made_in_parts(data: Data, make: Callable[[Floats, slice], Floats]) -> Floats:
    """Values made of all values, a few columns at a time; `make` gets values and which rows they are."""
    if len(data.columns) * len(data) <= AT_ONCE:
        return make(data.features, slice(None))
    made = np.empty((len(data.columns), len(data)))
    for start, values in in_parts(data):
        rows = slice(start, start + len(values))
        made[rows] = make(values, rows)
    return made


def mean(values: Floats, weights: Floats | None) -> Floats:
    """The mean (of each row, if there are several); of equal values exactly that value. Values are finite."""
    try:
        with np.errstate(over="raise"):
            return _mean(values, weights)
    except FloatingPointError:
        return np.asarray(_mean(values * SMALLER, weights) / SMALLER)


def mean_and_deviation(values: Floats, weights: Floats | None, ddof: int) -> tuple[Floats, Floats]:
    """The mean and the standard deviation (of each row), with `ddof` degrees of freedom taken off the number of values.

    The deviation is 0 if that leaves none, if it is nothing but the rounding errors of the mean, or too small to divide
    by, and infinite if it exceeds the greatest number. Values are finite.
    """
    try:
        with np.errstate(over="raise"):
            average = _mean(values, weights)
            return average, _deviation(values, weights, ddof, average)
    except FloatingPointError:
        values = values * SMALLER
        average = _mean(values, weights)
        with np.errstate(over="ignore"):
            return average / SMALLER, _deviation(values, weights, ddof, average) / SMALLER


def _mean(values: Floats, weights: Floats | None) -> Floats:
    first = values[..., :1]
    return np.asarray(first[..., 0] + _average(values - first, weights))


def _deviation(values: Floats, weights: Floats | None, ddof: int, average: Floats) -> Floats:
    size = values.shape[-1]
    differences = values - average[..., None]
    greatest = np.maximum(differences.max(axis=-1), -differences.min(axis=-1))
    if size <= ddof:
        return np.zeros_like(greatest)
    differences /= np.maximum(greatest, TINY)[..., None]  # so that squares do not overflow
    differences *= differences
    found = greatest * np.sqrt(_average(differences, weights) * size / (size - ddof))
    rounding = np.maximum(size * EPSILON * np.abs(average), TINY)
    return np.where(found > rounding, found, 0.0)


def within_one(values: Floats) -> Floats:
    """Values divided by such a power of two that they are between -1 and 1: no digit changes, and squares are finite.

    >>> within_one(np.array([3.0, -1.5]))
    array([ 0.75 , -0.375])
    """
    exponent = np.frexp(np.abs(values).max(initial=0.0))[1]
    return np.asarray(np.ldexp(values, -exponent))


def _average(values: Floats, weights: Floats | None) -> Floats:
    """The weighted average of each row; values are changed in place."""
    if weights is None:
        return np.asarray(values.sum(axis=-1) / values.shape[-1])
    values *= weights
    return np.asarray(values.sum(axis=-1) / weights.sum())


def quantiles(values: Floats, weights: Floats, parts: int) -> Floats:
    """The values that divide all of them into parts of equal weight, from the least to the greatest.

    Where the division falls exactly between two values it is halfway (the "averaged inverted cdf").

    >>> quantiles(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), 2)
    array([1. , 2.5, 4. ])
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    reached = np.cumsum(weights[order]) * parts
    wanted = np.arange(parts + 1) * (reached[-1] / parts)
    rounding = 1e-12 * reached[-1]
    below = np.searchsorted(reached, wanted - rounding, side="left")
    above = np.searchsorted(reached, wanted + rounding, side="right")
    last = len(ordered) - 1
    middle: Floats = ordered[np.minimum(below, last)] / 2 + ordered[np.minimum(above, last)] / 2
    return middle


def most_frequent(values: Floats, weights: Floats) -> float:
    """The value of the greatest total weight, the least of several."""
    distinct, place = np.unique(values, return_inverse=True)
    totals = np.bincount(place, weights)
    return float(distinct[np.argmax(totals >= totals.max() * (1 - 1e-12))])  # sums that are equal but for rounding
