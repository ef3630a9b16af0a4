"""Numbers as categories, by one rule for all readers: whole numbers can be classes, fractions are measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.data.cells import Floats
from intemi.data.column import Column


def numbered(name: str, numbers: Any, absent: Any) -> tuple[Column, Floats]:
    """The column of the different numbers, in their order, and the code of each; NaN where one is absent.

    >>> column, codes = numbered("size", np.array([3, 1, 3, 0]), np.array([False, False, False, True]))
    >>> column.categories, codes.tolist()
    (('1', '3'), [1.0, 0.0, 1.0, nan])
    """
    present, places = np.unique(numbers[~absent], return_inverse=True)
    codes = np.full(len(numbers), np.nan)
    codes[~absent] = places
    return Column(name, tuple(map(_text, present.tolist()))), codes


def _text(number: Any) -> str:
    """A number, a whole one without a fraction."""
    return str(int(number)) if isinstance(number, int) or float(number).is_integer() else repr(float(number))


def measurement(numbers: Any) -> float | None:
    """The first number that is not whole, if there is one; NaN is missing, not a number."""
    array = np.asarray(numbers)
    if array.dtype.kind in "biu":
        return None
    if array.dtype.kind == "O":
        return next((float(each) for each in array.tolist() if not float(each).is_integer()), None)
    fractions = array[~np.isnan(array) & ~(np.isfinite(array) & (array == np.floor(array)))]
    return float(fractions[0]) if len(fractions) else None
