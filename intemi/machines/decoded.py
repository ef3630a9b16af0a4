"""Checks of values that were read from a store: sizes, types and indices, before numpy or compiled code uses them.

A storable type names what it must be in `check_decoded`, which `decode` calls; what fails there counts as absent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.data import Column, Data
from intemi.kernel.errors import MalformedError


def expect(holds: Any, what: str) -> None:
    """Refuse a value of which something does not hold.

    >>> expect(1 > 0, "one is more than nothing")
    """
    if not holds:
        raise MalformedError(f"not a value that was written: {what}")


def expect_columns(columns: Any) -> None:
    """Refuse what is not a tuple of columns."""
    expect(type(columns) is tuple and all(type(each) is Column for each in columns), "columns must be columns")


def expect_labels(labels: Any) -> None:
    """Refuse what is not a tuple of texts."""
    expect(type(labels) is tuple and all(type(each) is str for each in labels), "labels must be texts")


def expect_floats(values: Any, *shape: int | None) -> None:
    """Refuse what is not an array of numbers of a shape; None stands for any length."""
    expect(type(values) is np.ndarray and values.dtype == np.float64, "numbers must be an array of floats")
    fits = len(values.shape) == len(shape) and all(
        wanted in (None, size) for size, wanted in zip(values.shape, shape, strict=True)
    )
    expect(fits, f"an array has the shape {values.shape}, not {shape}")


def expect_indices(values: Any, end: int) -> None:
    """Refuse what is not an array of whole numbers from 0 to below `end`."""
    expect(type(values) is np.ndarray and values.dtype.kind in "iu" and values.ndim == 1, "indices are whole numbers")
    expect(not len(values) or (values.min() >= 0 and values.max() < end), f"indices must be below {end}")


def expect_data(data: Any, columns: tuple[Column, ...]) -> None:
    """Refuse what is not data of these columns."""
    expect(type(data) is Data and data.columns == columns, "data must have the columns of what they belong to")
