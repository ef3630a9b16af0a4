"""What scans read: the values of each feature, replaced by what is needed of them.

A feature with few values is kept as *bins*, row by row: the rank of the value among all of the feature, or the code of
the symbol, in one byte. A node counts its rows by bin and class, and nothing has to be kept in order. Those of all
features of a row are together, so that counting many features does not wait for one of them.

The others are kept as *cells*, in ascending order of their values: the rank, the class and the row in one number,
rank · 2^rank_shift + class · 2^class_shift + row. A scan reads cells one after the other and touches nothing else,
which is what makes it fast on tables that no cache holds.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS_2D,
    WIDE,
    WIDE_2D,
    Bytes,
    Wide,
    helper,
    inlined,
    int64,
    kernel,
)

MISSING_BIN = 255
"""The last bin that a byte can name; that of the missing values is the one after all others, at most this one."""
RANGE = 4096
"""Whole numbers up to this far apart are put into bins without being sorted, if there are rows enough."""
RANGE_FOR_A_ROW = 16
"""So far apart for each row: to go through the numbers between takes time as well."""
OTHER, MANY = -2, -1
"""Instead of a number of bins: not whole numbers, or too far apart; too many."""
NONE, UNSORTED = -1, -2
"""Instead of a column with an infinite value: there is none; it is not known, since the order is needed."""


def shifts(rows: int, classes: int) -> tuple[int, int, int]:
    """Where the rank and the class begin in a cell, and the rank of missing values: the bits left hold any rank."""
    class_shift = max(1, (rows - 1).bit_length())
    rank_shift = class_shift + max(1, (classes - 1).bit_length())
    return rank_shift, class_shift, (1 << (63 - rank_shift)) - 1


@helper
def fill_whole_numbers(
    values: Floats, column: int, rows: Codes, most: int, f: int, ranks: Codes, bins: Bytes, bin_values: Floats
) -> int:
    """Fill the bins of a column of whole numbers that are not far apart, and count these.

    It needs no order, and goes through the rows as they are. Returns `OTHER` for other columns and `MANY` if there are
    more than `most`. `ranks` is room to work in.
    """
    low, high = np.inf, -np.inf
    for i in range(len(rows)):
        value = values[column, np.uint64(rows[i])]
        if np.isnan(value):
            continue
        if value != np.floor(value):
            return OTHER
        low, high = min(low, value), max(high, value)
    if low == -np.inf or high - low >= min(len(ranks), RANGE_FOR_A_ROW * len(rows)):
        return OTHER
    span = int(high - low) + 1
    for rank in range(span):
        ranks[rank] = -1
    for i in range(len(rows)):
        value = values[column, np.uint64(rows[i])]
        if not np.isnan(value):
            ranks[np.uint64(value - low)] = 0
    distinct = 0
    for rank in range(span):
        if ranks[rank] == 0:
            if distinct == most:
                return MANY
            ranks[rank] = distinct
            bin_values[f, distinct] = low + rank
            distinct += 1
    for i in range(len(rows)):
        value = values[column, np.uint64(rows[i])]
        bins[i, np.uint64(f)] = distinct if np.isnan(value) else ranks[np.uint64(value - low)]
    return distinct


@helper
def fill_in_order(
    values: Floats,
    order: Codes,
    column: int,
    first: Codes,
    counts: Codes,
    most: int,
    f: int,
    bins: Bytes,
    bin_values: Floats,
) -> int:
    """The same for any numeric column, whose order is known."""
    distinct, current = 0, np.nan
    for i in range(order.shape[1]):
        row = order[column, i]
        if counts[row] == 0:
            continue
        value = values[column, row]
        bin_of_value = distinct
        if not np.isnan(value):
            if value != current:
                if distinct == most:
                    return MANY
                current = value
                bin_values[f, distinct] = value
                distinct += 1
            bin_of_value = distinct - 1
        for copy in range(counts[row]):
            bins[first[row] + copy, f] = bin_of_value
    return distinct


@helper
def fill_bins(
    values: Floats,
    order: Codes,
    columns: Codes,
    rows: Codes,
    first: Codes,
    counts: Codes,
    symbols: Codes,
    most: int,
    most_whole: int,
    most_symbols: int,
    bins: Bytes,
    bin_values: Floats,
    bin_count: Codes,
    place: Codes,
) -> int:
    """Fill `bins` and the values they stand for, for the columns with at most so many values, or whole values, or
    symbols.

    `first` and `counts` say for each row of the table at which position of the view it is, and how many times.
    `symbols` is the number of categories of each column, 0 if it is numeric. `place` becomes -1 for columns that have
    bins, and numbers the others. Returns a column that has an infinite value, `NONE` if there is none, or `UNSORTED`
    if the order is needed and was not given.
    """
    ranks, others, infinite = np.empty(RANGE, np.int32), 0, NONE
    for f in range(len(columns)):
        column, distinct = int(columns[f]), MANY
        if symbols[f] == 0:
            distinct = fill_whole_numbers(values, column, rows, most_whole, f, ranks, bins, bin_values)
            if distinct == OTHER and len(order) > 0:
                distinct = fill_in_order(values, order, column, first, counts, most, f, bins, bin_values)
                if distinct > 0 and (np.isinf(bin_values[f, 0]) or np.isinf(bin_values[f, distinct - 1])):
                    infinite = f
        elif symbols[f] <= most_symbols:
            distinct = int(symbols[f])
            for i in range(len(rows)):
                value = values[column, rows[i]]
                bins[i, f] = distinct if np.isnan(value) else int(value)
        place[f], bin_count[f] = -1, distinct
        if distinct < 0:
            if len(order) == 0:
                return UNSORTED
            place[f] = others
            others += 1
    return infinite


@kernel(
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
    a column that has an infinite value, `NONE` if there is none.
    """
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    infinite = NONE
    for f in range(len(columns)):
        if place[f] < 0:
            continue
        column, into = np.uint64(columns[f]), np.uint64(place[f])
        rank, current, at = (-1), np.nan, 0
        for i in range(order.shape[1]):
            row = np.uint64(order[column, np.uint64(i)])
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
                of_class = int(classes[np.uint64(position)])
                cells[into, np.uint64(at)] = (rank << rank_shift) | (of_class << class_shift) | position
                at += 1
    return infinite


@inlined
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
