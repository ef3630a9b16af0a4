"""The best splits of one node, for searches that do not leave the whole tree to a kernel."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    BYTES_2D,
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    MEASURE,
    WIDE,
    WIDE_2D,
    Bytes,
    Wide,
    boolean,
    compiled,
    float64,
    int64,
)
from intemi.machines.trees.kernels.node import ask


@compiled(
    float64(
        MEASURE, BYTES_2D, WIDE_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64, int64, WIDE, FLOATS,
        GIVEN_FLOATS, boolean, GIVEN_FLOATS, int64, float64, FLOATS, FLOATS, BYTES, FLOATS, CODES, CODES, CODES,
        CODES, FLOATS_2D,
    )
)  # fmt: skip
def best_of_features(
    measure: int,
    bins: Bytes,
    cells: Wide,
    symbols: Codes,
    places: Codes,
    rows: Codes,
    classes: Codes,
    start: int,
    end: int,
    layout: Wide,
    totals: Floats,
    weights: Floats,
    is_weighted: bool,
    settings: Floats,
    only: int,
    average: float,
    context: Floats,
    counted: Floats,
    seen: Bytes,
    table: Floats,
    node_class: Codes,
    compact: Codes,
    present: Codes,
    branch: Codes,
    found: Floats,
) -> float:
    """Ask all features of a node, none of which has bins, or if it is not -1 `only` one, again."""
    m, k, size = len(symbols), len(totals), end - start + 1
    asked, count, bin_count = np.empty(m, np.int32), m, np.zeros(m, np.int32)
    for f in range(m):
        asked[f] = f
    if only >= 0:
        asked[0], count = only, 1
    else:
        average = np.nan
    here, known, step, no_counts = np.empty(k), np.empty(k), np.empty(k, np.int64), np.empty(0)
    no_packed = np.empty(0, np.int64)
    positions, sums = np.empty(size, np.int32), np.empty(size, np.int64)
    group, begins = np.empty(m, np.int32), np.empty(m, np.int32)
    return ask(
        measure, bins, bin_count, cells, symbols, places, asked, count, rows, classes, start, end, layout, totals,
        weights, is_weighted, settings, average, context, no_counts, seen, no_packed, counted, here, known, table,
        node_class, compact, step, positions, sums, group, begins, present, branch, False, found,
    )  # fmt: skip
