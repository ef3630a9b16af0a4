"""Cells: what a series may hold, and when two cells are the same.

A cell is a bool, an int, a float, a text, None, a vector or a small table. Vectors and tables are read-only arrays of
one and of two dimensions, of bool, int64 or float64. Everything else is refused, so that what a series holds can be
written anywhere and read again.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.series.errors import SeriesError, shown

Cell = bool | int | float | str | None | NDArray[Any]

DTYPES: dict[str, Any] = {"bool": np.bool_, "int": np.int64, "float": np.float64}
"""What arrays are made of, by the name that files use."""
_BY_KIND = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
_LARGEST = np.iinfo(np.int64).max
_MOST_BITS = 14_000
"""Python itself refuses to write or read an int of more than 4,300 digits."""


def cell(value: object) -> Cell:
    """A value as a cell: numpy's scalars become Python's, lists of numbers become vectors or tables.

    >>> cell(np.float32(0.5)), cell([1, 2])
    (0.5, array([1, 2]))
    """
    kind = type(value)
    if kind is float or kind is bool or value is None:
        return value  # type: ignore[return-value]
    if isinstance(value, np.generic):
        return _of_scalar(value)
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, int):
        return _integer(int.__int__(value))
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, np.ndarray | list | tuple):
        return _array(value)
    raise _refusal(value)


def identity(cell: Cell) -> Hashable:
    """What is equal for the cells that belong together when rows are grouped, paired or selected.

    1 and 1.0 belong together, and so does NaN with NaN; True and 1 do not.

    >>> identity(1) == identity(1.0), identity(True) == identity(1)
    (True, False)
    """
    if isinstance(cell, bool):
        return ("bool", cell)
    if isinstance(cell, float) and cell != cell:
        return ("nan",)
    if isinstance(cell, np.ndarray):
        return (cell.dtype.kind, cell.shape, tuple(identity(each) for each in cell.ravel().tolist()))
    return cell


def same(one: Cell, other: Cell) -> bool:
    """Whether two cells are of one kind and equal; NaN equals NaN.

    >>> same(1, 1.0), same(float("nan"), float("nan"))
    (False, True)
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return same_arrays(one, other)
    return type(one) is type(other) and bool(one == other or (one != one and other != other))


def same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are of one kind and shape, and equal; NaN equals NaN."""
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def frozen(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A read-only array that nobody else can change: a copy, unless it is one already."""
    if array.dtype == dtype and array.flags.owndata and array.flags.c_contiguous and not array.flags.writeable:
        return array
    if array.dtype.kind == "u" and array.size and int(array.max()) > _LARGEST:
        raise SeriesError(f"an array may hold integers up to 2**63 - 1, got {int(array.max())}")
    copy = np.array(array, dtype=dtype, order="C", subok=False)
    copy.flags.writeable = False
    return copy


def dtype_of(array: NDArray[Any]) -> Any:
    """The type that an array has as a column or a cell; None if it does not hold numbers."""
    return _BY_KIND.get(array.dtype.kind)


def name_of(array: NDArray[Any]) -> str:
    """The name of an array's type in files: bool, int or float."""
    return next(name for name, dtype in DTYPES.items() if array.dtype == dtype)


def _of_scalar(value: Any) -> Cell:
    if value.dtype.kind in "biu":
        return value.item()  # type: ignore[no-any-return]
    if value.dtype.kind == "f":
        return float(value)
    if value.dtype.kind == "U":
        return _text(value.item())
    raise _refusal(value)


def _text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise SeriesError(f"a text must be valid Unicode, got {shown(text)}") from None
    return text


def _integer(number: int) -> int:
    if number.bit_length() > _MOST_BITS:
        raise SeriesError(f"an int must have at most {_MOST_BITS} bits, got one of {number.bit_length()}")
    return number


def _array(value: Any) -> Cell:
    try:
        array = np.asarray(value)
    except ValueError:
        raise _refusal(value) from None
    dtype = dtype_of(array)
    if array.ndim == 0:
        return cell(array[()])
    if dtype is None or array.ndim > 2:
        raise _refusal(value)
    return frozen(array, dtype)


def _refusal(value: object) -> SeriesError:
    return SeriesError(
        "a cell must be a bool, an int, a float, a text, None, or a vector or table of numbers, "
        f"got {type(value).__name__} {shown(value)}"
    )
