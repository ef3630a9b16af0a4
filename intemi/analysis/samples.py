"""Numbers out of series, and what must hold before a test may use them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from intemi.series import Series

Floats = NDArray[np.float64]
Refuse = Callable[[str], NoReturn]

# Differences that are smaller, relative to the values they are of, are errors of rounding.
PRECISION = 1e-12


def numbers(series: Series, refuse: Refuse) -> Floats:
    """The values of the main label, all of them finite numbers."""
    given = column(series, series.main)
    known = np.array([float(each) if isinstance(each, int | float) else math.nan for each in given])
    odd = np.flatnonzero(~np.isfinite(known))
    if len(odd):
        refuse(f"{series.main!r} must be a finite number, got {given[odd[0]]!r} at item {odd[0]}")
    return known


def column(series: Series, label: str) -> list[Any]:
    """The values of a label as plain Python values, which print and hash as a reader expects."""
    values = series[label]
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def require(series: Series, label: str, refuse: Refuse) -> None:
    """Refuse a series without the label."""
    if label not in series.labels:
        refuse(f"the series must have the label {label!r}, its labels are {', '.join(map(repr, series.labels))}")


def settled(values: Floats, scale: float) -> Floats:
    """Values rounded to multiples of the precision of `scale`, so that errors of rounding do not break ties.

    0.9 − 0.8 and 0.8 − 0.7 differ in the last bit, which would give them different ranks.

    >>> first, second = settled(np.array([0.9 - 0.8, 0.8 - 0.7]), scale=0.9)
    >>> bool(first == second)
    True
    """
    unit = PRECISION * scale
    return np.rint(values / unit) * unit if unit else values


def all_equal(values: Floats, scale: float) -> bool:
    """Whether all values are equal but for errors of rounding, where `scale` is the size of what they come from."""
    return bool(np.ptp(values) <= PRECISION * scale)


def data_sets(series: Series, over: str) -> list[Any]:
    """The data sets that the items come from, in order of appearance; none if the series does not say."""
    return list(dict.fromkeys(column(series, over))) if over in series.labels else []


def refuse_several_data_sets(refuse: Refuse, over: str, *given: Series) -> None:
    """Refuse items of several data sets: their values are on different scales, and their means say nothing."""
    found = list(dict.fromkeys(each for series in given for each in data_sets(series, over)))
    if len(found) > 1:
        refuse(
            f"the items are of {len(found)} data sets ({', '.join(map(str, found[:3]))}{', …' * (len(found) > 3)}), "
            f"whose values must not be averaged; take one data set at a time, as with group_by({over!r})"
        )


def refuse_mixed_folds(refuse: Refuse, over: str, series: Series) -> None:
    """Refuse several items from each of several data sets; one item a data set is fine, and so is one data set."""
    found = data_sets(series, over)
    if 1 < len(found) < len(series):
        refuse(
            f"{len(series)} items are of {len(found)} data sets; take the mean of each, as with "
            f"group_by({over!r}).map(Series.mean).ungroup(), or one data set at a time"
        )
