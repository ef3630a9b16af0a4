"""Weighted statistics of the values of one column. Weights count relative to each other: twice all of them is the same.

Values that are missing, and rows that weigh nothing, take no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

TINY = np.finfo(np.float64).tiny
EPSILON = np.finfo(np.float64).eps


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
    """What is known of some columns, values and weights: first of all that are complete, a row of values for each, then
    of each other. Without weights all count the same.
    """
    values = data.features
    weights = data.weights if data.is_weighted else None
    finite = np.asarray(np.isfinite(values).all(axis=1))
    complete = [index for index in indices if finite[index]] if weights is None or (weights > 0).all() else []
    if complete:
        yield complete, values if len(complete) == len(values) else values[complete], weights
    taken = set(complete)
    for index in indices:
        if index not in taken:
            found = known(data, index)
            yield [index], found.values, found.weights


def mean(values: Floats, weights: Floats | None) -> Floats:
    """The mean (of each row, if there are several); of equal values exactly that value."""
    first = values[..., :1]
    return np.asarray(first[..., 0] + _average(values - first, weights))


def deviation(values: Floats, weights: Floats | None, ddof: int, average: Floats | None = None) -> Floats:
    """The standard deviation (of each row), with `ddof` degrees of freedom taken off the number of values.

    It is 0 if that leaves none, if it is nothing but the rounding errors of the mean, or too small to divide by. The
    `average` is the mean, for those who have it already.
    """
    size = values.shape[-1]
    if average is None:
        average = mean(values, weights)
    differences = values - average[..., None]
    greatest = np.maximum(differences.max(axis=-1), -differences.min(axis=-1))
    if size <= ddof:
        return np.zeros_like(greatest)
    differences /= np.maximum(greatest, TINY)[..., None]  # so that squares do not overflow
    differences *= differences
    found = greatest * np.sqrt(_average(differences, weights) * size / (size - ddof))
    rounding = np.maximum(size * EPSILON * np.abs(average), TINY)
    return np.where(found > rounding, found, 0.0)


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
