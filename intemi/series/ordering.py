"""The order of cells: bools, then numbers, texts, vectors and tables; None and NaN come last, in either direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.series.cells import Cell
from intemi.series.columns import Column, cells_of


def ordered(column: Column, descending: bool = False) -> NDArray[np.int64]:
    """The positions of a column's cells in their order; cells that are equal stay in theirs.

    >>> ordered(("b", None, "a"))
    array([2, 0, 1])
    """
    cells = cells_of(column)
    present = [position for position, cell in enumerate(cells) if not _is_missing(cell)]
    missing = [position for position, cell in enumerate(cells) if _is_missing(cell)]
    present.sort(key=lambda position: _rank(cells[position]), reverse=descending)
    return np.array(present + missing, dtype=np.int64)


def _is_missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _rank(cell: Any) -> tuple[Any, ...]:
    if isinstance(cell, bool):
        return (0, cell)
    if isinstance(cell, int | float):
        return (1, cell)
    if isinstance(cell, str):
        return (2, cell)
    return (3, cell.ndim, cell.tolist())
