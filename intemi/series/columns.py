"""Columns: the cells of one label, in the form that follows from the cells alone.

Cells that are all bool, all int (of 64 bits) or all float are a read-only array; an empty column is one of floats. All
others are a tuple. In a column with floats, ints that a float can hold exactly become floats. As the form does not
depend on where the cells came from, equal cells make equal columns, however rows were selected and put together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.series.cells import Cell, cell, dtype_of, frozen, same, same_arrays
from intemi.series.errors import SeriesError, shown

Column = NDArray[Any] | tuple[Cell, ...]

_EMPTY = frozen(np.zeros(0), np.float64)
_BITS_OF_THE_LARGEST_FLOAT = 1024


def column(values: Iterable[Any]) -> Column:
    """Values as a column.

    >>> column([0.5, 1]), column(["a", 1])
    (array([0.5, 1. ]), ('a', 1))
    """
    if isinstance(values, np.ndarray) and values.ndim == 1 and dtype_of(values) is not None:
        return frozen(values, dtype_of(values)) if len(values) else _EMPTY
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SeriesError(f"a column must be a sequence of cells, got {type(values).__name__} {shown(values)}")
    return settled([cell(value) for value in values])


def settled(cells: list[Cell]) -> Column:
    """Cells as a column."""
    kinds = set(map(type, cells))
    if float in kinds and int in kinds:
        cells = [_as_float(each) if type(each) is int else each for each in cells]
        kinds = set(map(type, cells))
    if not kinds:
        return _EMPTY
    if len(kinds) == 1:
        try:
            if float in kinds:
                return frozen_new(np.array(cells, dtype=np.float64))
            if int in kinds:
                return frozen_new(np.array(cells, dtype=np.int64))
            if bool in kinds:
                return frozen_new(np.array(cells, dtype=np.bool_))
        except OverflowError:  # an int of more than 64 bits
            pass
    return tuple(cells)


def cells_of(column: Column) -> list[Any]:
    """The cells of a column, as Python's own values."""
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def cell_at(column: Column, position: int) -> Cell:
    """One cell of a column, as Python's own value."""
    return column[position].item() if isinstance(column, np.ndarray) else column[position]


def taken(column: Column, positions: NDArray[np.int64]) -> Column:
    """The cells at positions, in their order."""
    if isinstance(column, np.ndarray):
        return frozen_new(column[positions]) if len(positions) else _EMPTY
    return settled([column[position] for position in positions.tolist()])


def chained(columns: Sequence[Column]) -> Column:
    """Columns, one after the other."""
    filled = [each for each in columns if len(each)]
    arrays = [each for each in filled if isinstance(each, np.ndarray)]
    if filled and len(arrays) == len(filled) and len({each.dtype for each in arrays}) == 1:
        return frozen_new(np.concatenate(arrays))
    return settled([cell for each in filled for cell in cells_of(each)])


def same_columns(one: Column, other: Column) -> bool:
    """Whether two columns hold the same cells."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return same_arrays(one, other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    return len(one) == len(other) and all(map(same, one, other))


def frozen_new(array: NDArray[Any]) -> NDArray[Any]:
    """An array that was just made, made read-only."""
    array.flags.writeable = False
    return array


def _as_float(number: Any) -> Cell:
    if number.bit_length() < _BITS_OF_THE_LARGEST_FLOAT and float(number) == number:
        return float(number)
    return number  # type: ignore[no-any-return]
