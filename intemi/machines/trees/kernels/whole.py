"""From a view of a table to what growth reads."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes
from intemi.machines.trees.kernels.cells import UNSORTED, fill_bins, fill_cells
from intemi.machines.trees.kernels.compiling import helper
from intemi.machines.trees.kernels.state import Scanned, View


@helper
def prepare(
    view: View,
    order: Codes,
    most_bins: int,
    most_whole: int,
    most_symbols: int,
    rank_shift: int,
    class_shift: int,
    missing: int,
    in_order: bool,
) -> tuple[int, Scanned]:
    """What scans read of a view of a table, as in `cells`; columns with few values, or whole values, or symbols have
    bins.

    Before that a column that has an infinite value, `NONE` if there is none, `UNSORTED` if the order is needed and
    was not given.
    """
    values, columns, rows, symbols = view.values, view.columns, view.table_rows, view.symbols
    m, n, size = len(columns), len(rows), values.shape[1]
    first, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for i in range(n):
        counts[rows[i]] += 1
    before = 0
    for row in range(size):
        first[row] = before
        before += counts[row]
    layout = np.empty(3, np.int64)
    layout[0], layout[1], layout[2] = rank_shift, class_shift, missing
    bins, bin_values = np.empty((n, m), np.uint8), np.empty((m, most_whole))
    bin_count, place = np.empty(m, np.int32), np.empty(m, np.int32)
    infinite = fill_bins(
        values, order, columns, rows, first, counts, symbols, most_bins, most_whole, most_symbols, bins, bin_values,
        bin_count, place,
    )  # fmt: skip
    kept = 0
    for f in range(m if infinite != UNSORTED else 0):
        kept = max(kept, place[f] + 1)
    cells = np.empty((kept, n), np.int64)
    if kept > 0:
        infinite = max(
            infinite, fill_cells(values, order, columns, first, counts, symbols, place, view.classes, layout, cells)
        )
    all_rows = np.arange(n).astype(np.int32)
    return infinite, Scanned(bins, bin_values, bin_count, cells, place, layout, all_rows, in_order)
