"""What scans read: the values of each feature, replaced by what is needed of them.

A feature with few values is kept as *bins*, row by row: the rank of the value among all of the feature, or the code of
the symbol, in one byte. A node counts its rows by bin and class, and nothing has to be kept in order.

The others are kept as *cells*, in ascending order of their values: the rank, the class and the row in one number,
rank · 2^rank_shift + class · 2^class_shift + row. A scan reads cells one after the other and touches nothing else,
which is what makes it fast on tables that no cache holds.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES_2D,
    CODES,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS_2D,
    WIDE,
    WIDE_2D,
    Bytes,
    Wide,
    compiled,
    inner,
    int64,
)

MISSING_BIN = 255
"""The bin of missing values; it leaves this number of bins for others."""


def shifts(rows: int, classes: int) -> tuple[int, int, int]:
    """Where the rank and the class begin in a cell, and the rank of missing values: the bits left hold any rank."""
    class_shift = max(1, (rows - 1).bit_length())
    rank_shift = class_shift + max(1, (classes - 1).bit_length())
    return rank_shift, class_shift, (1 << (63 - rank_shift)) - 1


@compiled(
    int64(
        GIVEN_FLOATS_2D, GIVEN_CODES_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64,
        BYTES_2D, FLOATS_2D, CODES,
    )
)  # fmt: skip
def fill_bins(
    values: Floats,
    order: Codes,
    columns: Codes,
    first: Codes,
    counts: Codes,
    symbols: Codes,
    most: int,
    bins: Bytes,
    bin_values: Floats,
    place: Codes,
) -> int:
    """Fill `bins` and the values they stand for, for the columns with at most so many values.

    `first` and `counts` say for each row of the table at which position of the view it is, and how many times.
    `symbols` is the number of categories of each column, 0 if it is numeric. `place` becomes -1 for columns that have
    bins, and numbers the others. Returns a column that has an infinite value, -1 if there is none.
    """
    others = 0
    size = order.shape[1]
    infinite = -1
    for f in range(len(columns)):
        column, distinct, current, fits = columns[f], -1, np.nan, symbols[f] <= most
        for i in range(size if fits else 0):
            row = order[column, i]
            if counts[row] == 0:
                continue
            value = values[column, row]
            if np.isnan(value):
                bin_of_value = MISSING_BIN
            elif symbols[f] > 0:
                bin_of_value = int(value)
            else:
                if value != current:
                    distinct += 1
                    current = value
                    if distinct >= most:
                        fits = False
                        break
                    bin_values[f, distinct] = value
                    if np.isinf(value):
                        infinite = f
                bin_of_value = distinct
            for copy in range(counts[row]):
                bins[f, first[row] + copy] = bin_of_value
        place[f] = -1
        if not fits:
            place[f] = others
            others += 1
    return infinite


@compiled(
    int64(
        GIVEN_FLOATS_2D, GIVEN_CODES_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES,
        GIVEN_CODES, WIDE, WIDE_2D,
    )
)  # fmt: skip
def fill_cells(
    values: Floats,
    order: Codes,
    columns: Codes,
    first: Codes,
    counts: Codes,
    symbols: Codes,
    place: Codes,
    classes: Codes,
    layout: Wide,
    cells: Wide,
) -> int:
    """Fill `cells` with the columns that have a place there.

    `layout` is the rank shift, the class shift and the rank of missing values. `classes` are those of the view. Returns
    a column that has an infinite value, -1 if there is none.
    """
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    infinite = -1
    for f in range(len(columns)):
        column, into = columns[f], place[f]
        if into < 0:
            continue
        rank, current, at = (-1), np.nan, 0
        for i in range(order.shape[1]):
            row = order[column, i]
            if counts[row] == 0:
                continue
            value = values[column, row]
            if np.isnan(value):
                rank = missing
            elif symbols[f] > 0:
                rank = int(value)
            elif value != current:
                rank += 1
                current = value
                if np.isinf(value):
                    infinite = f
            for copy in range(counts[row]):
                position = first[row] + copy
                cells[into, at] = (rank << rank_shift) | (int(classes[position]) << class_shift) | position
                at += 1
    return infinite


@inner(int64(WIDE_2D, int64, int64, int64, int64, int64))
def end_of_known(cells: Wide, place: int, start: int, end: int, rank_shift: int, missing: int) -> int:
    """Where the missing values of a stretch of cells begin."""
    if cells[place, end - 1] >> rank_shift != missing:
        return end
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if cells[place, middle] >> rank_shift == missing:
            high = middle
        else:
            low = middle + 1
    return low
