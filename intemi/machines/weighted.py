"""Weighted statistics of the values of one column. Weights count relative to each other: twice all of them is the same.

Values that are missing, and rows that weigh nothing, take no part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


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


def mean(values: Floats, weights: Floats) -> float:
    """The mean; of equal values exactly that value."""
    return float(values[0] + np.average(values - values[0], weights=weights))


def deviation(values: Floats, weights: Floats, ddof: int) -> float:
    """The standard deviation, with `ddof` degrees of freedom taken off the number of values; 0 if that leaves none.

    It is 0, too, if it is nothing but the rounding errors of the mean, or too small to divide by.
    """
    average = mean(values, weights)
    differences = values - average
    greatest = float(np.abs(differences).max())
    if len(values) <= ddof or greatest < np.finfo(np.float64).tiny:
        return 0.0
    size = len(values)
    squares = (differences / greatest) ** 2  # of what is at most 1, so they do not overflow
    found = greatest * math.sqrt(float(np.average(squares, weights=weights)) * size / (size - ddof))
    rounding = size * float(np.finfo(np.float64).eps) * abs(average)
    return found if found > rounding else 0.0


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
