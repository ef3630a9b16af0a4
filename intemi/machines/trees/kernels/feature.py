"""The best split of one feature of a node, numeric or nominal, kept as bins or as cells."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import MISSING_BIN, end_of_known
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
    Tuple,
    Wide,
    address_of,
    apart,
    boolean,
    call_measure,
    compiled,
    float64,
    inner,
    int64,
    void,
)
from intemi.machines.trees.kernels.cuts import SLACK, TIE, best_bin, best_cut, best_weighted_cut
from intemi.machines.trees.kernels.settings import (
    AT_BORDERS,
    CLASSES,
    ENUMERATED,
    EVERY_SYMBOL,
    FILTERED,
    LEAST_BRANCH,
    MULTIWAY,
    ORDER_OF_MANY,
    ORDER_OF_TWO,
    SCALES,
    TWO_HEAVY,
    WANTED,
)
from intemi.machines.trees.kernels.symbols import UNKNOWN, best_sets, split_information

QUALITY, TIES, GAIN, POSITION, LEGAL = 0, 1, 2, 3, 4
"""Columns of what is found: quality, tie-breaker, gain, where the cut is (position of a cell, or bin) or how many
branches there are, and how many cuts are legal. Gain and quality differ in C4.5's choice only, which looks at both."""


@apart(
    Tuple((int64, int64))(
        BYTES_2D, int64, GIVEN_CODES, int64, int64, CODES, int64, GIVEN_FLOATS, boolean, FLOATS, BYTES
    )
)  # fmt: skip
def count_bins(
    bins: Bytes,
    f: int,
    rows: Codes,
    start: int,
    end: int,
    node_class: Codes,
    k: int,
    weights: Floats,
    is_weighted: bool,
    counted: Floats,
    seen: Bytes,
) -> tuple[int, int]:
    """Count the rows of a node by bin and class, and note the bins; the lowest and the highest, missing left out."""
    low, above = MISSING_BIN, 0
    for i in range(start, end):
        row = np.uint64(rows[i])
        b = int(bins[f, row])
        counted[np.uint64(b * k + node_class[np.uint64(i - start)])] += weights[row] if is_weighted else 1.0
        seen[np.uint64(b)] = 1
        low = min(low, b)
        above = max(above, (b + 1) & MISSING_BIN)
    return low, above - 1


@compiled(
    void(
        MEASURE, FLOATS, int64, int64, FLOATS, GIVEN_FLOATS, float64, float64, FLOATS, FLOATS, CODES, CODES,
        FLOATS_2D, int64,
    )
)  # fmt: skip
def best_of_symbols(
    measure: int,
    counted: Floats,
    symbols: int,
    k: int,
    known: Floats,
    settings: Floats,
    share: float,
    average_cuts: float,
    context: Floats,
    table: Floats,
    present: Codes,
    branch: Codes,
    found: Floats,
    f: int,
) -> None:
    """The best split of a nominal feature, whose rows are counted by symbol and class; `branch` gets the sides."""
    least = settings[LEAST_BRANCH] - SLACK
    count, heavy = 0, 0
    for s in range(symbols):
        branch[s] = -1
        part = 0.0
        for c in range(k):
            part += counted[s * k + c]
        if part > 0.0:
            present[count] = s
            count += 1
            if part >= least:
                heavy += 1
    if count < 2:
        return
    if settings[MULTIWAY]:
        if heavy < 2 or (heavy < count and not settings[TWO_HEAVY]):
            return
        for i in range(count):
            branch[present[i]] = i
            for c in range(k):
                table[i * k + c] = counted[present[i] * k + c]
        branches = count
        if settings[EVERY_SYMBOL]:
            branches = symbols
            for s in range(symbols):
                branch[s] = s
    else:
        order = int(settings[ORDER_OF_TWO])
        classes = 0
        for c in range(k):
            if known[c] > 0.0:
                classes += 1
        if classes > 2 or order == 0:
            order = int(settings[ORDER_OF_MANY]) if count > settings[ENUMERATED] else 0
        wanted = settings[WANTED] if settings[WANTED] != 0.0 else average_cuts
        best, _ = best_sets(
            measure, counted, k, present, count, order, wanted < 0.0, wanted, settings[LEAST_BRANCH],
            settings[FILTERED] > 0.0, table, context, branch,
        )  # fmt: skip
        if best == -np.inf:
            return
        branches, count = 2, 2
        for c in range(k):
            table[c], table[k + c] = 0.0, 0.0
            for s in range(symbols):
                if branch[s] >= 0:
                    table[branch[s] * k + c] += counted[s * k + c]
    context[TIE] = 0.0
    gain = share * call_measure(measure, address_of(table), count, k, address_of(context))
    quality = gain
    if settings[FILTERED]:
        information = split_information(table, count, k, context[UNKNOWN])
        quality = gain / information if information > 1e-3 else -np.inf
    found[f, QUALITY], found[f, TIES], found[f, GAIN], found[f, POSITION] = quality, context[TIE], gain, branches


@inner(
    void(
        MEASURE, int64, int64, int64, BYTES_2D, WIDE_2D, GIVEN_CODES, int64, int64, WIDE, CODES, CODES, int64,
        FLOATS, GIVEN_FLOATS, boolean, GIVEN_FLOATS, float64, FLOATS, FLOATS, BYTES, FLOATS, FLOATS, CODES, CODES,
        CODES, FLOATS_2D,
    )
)  # fmt: skip
def best_of_feature(
    measure: int,
    f: int,
    symbols: int,
    place: int,
    bins: Bytes,
    cells: Wide,
    rows: Codes,
    start: int,
    end: int,
    layout: Wide,
    node_class: Codes,
    compact: Codes,
    k: int,
    totals: Floats,
    weights: Floats,
    is_weighted: bool,
    settings: Floats,
    average_cuts: float,
    context: Floats,
    counted: Floats,
    seen: Bytes,
    known: Floats,
    table: Floats,
    positions: Codes,
    present: Codes,
    branch: Codes,
    found: Floats,
) -> None:
    """Write what is found of feature `f` into its row of `found`; a quality of -inf says that there is no split.

    The `k` classes of the node are numbered anew: `compact` tells how, `node_class` is that of each row, `totals` are
    their weights. `counted` and `seen` are zero before and after.
    """
    found[f, QUALITY], found[f, TIES], found[f, GAIN], found[f, POSITION] = -np.inf, -np.inf, -np.inf, -1
    found[f, LEGAL] = 0
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    class_mask = (1 << (rank_shift - class_shift)) - 1
    row_mask = (1 << class_shift) - 1
    weight, unknown = 0.0, 0.0
    low, high, known_end = 0, symbols - 1, end
    is_binned = place < 0
    if is_binned:
        low, high = count_bins(bins, f, rows, start, end, node_class, k, weights, is_weighted, counted, seen)
    else:
        known_end = end_of_known(cells, place, start, end, rank_shift, missing)
        if known_end == start or cells[place, start] >> rank_shift == cells[place, known_end - 1] >> rank_shift:
            return
    for c in range(k):
        weight += totals[c]
        lost = 0.0
        if is_binned and seen[MISSING_BIN]:
            lost = counted[MISSING_BIN * k + c]
            counted[MISSING_BIN * k + c] = 0.0
        known[c] = max(0.0, totals[c] - lost)
        unknown += lost
    if known_end < end:
        for i in range(known_end, end):
            cell = cells[place, i]
            w = weights[cell & row_mask] if is_weighted else 1.0
            known[compact[(cell >> class_shift) & class_mask]] -= w
            unknown += w
        for c in range(k):
            known[c] = known[c] if known[c] > 1e-12 * totals[c] else 0.0
    seen[MISSING_BIN] = 0
    context[UNKNOWN], context[TIE] = unknown, 0.0
    share = (weight - unknown) / weight if settings[SCALES] else 1.0
    if symbols > 0:
        if not is_binned:
            for i in range(start, known_end):
                cell = cells[place, i]
                w = weights[cell & row_mask] if is_weighted else 1.0
                counted[(cell >> rank_shift) * k + compact[(cell >> class_shift) & class_mask]] += w
        best_of_symbols(
            measure,
            counted,
            symbols,
            k,
            known,
            settings,
            share,
            average_cuts,
            context,
            table,
            present,
            branch,
            found,
            f,
        )
        for i in range(symbols * k):
            counted[i] = 0.0
        for b in range(low, high + 1 if is_binned else low):
            seen[b] = 0
        return
    filtered = settings[FILTERED]
    least_branch = settings[LEAST_BRANCH]
    if filtered:
        least_branch = max(least_branch, min(25.0, 0.1 * (weight - unknown) / settings[CLASSES]))
    position, quality, tie, legal = -1, -np.inf, -np.inf, 0
    if filtered and weight - unknown < 2.0 * settings[LEAST_BRANCH] - SLACK:
        pass
    elif is_binned and low < high:
        position, quality, tie, legal = best_bin(
            measure, counted, seen, low, high, k, known, table, context, least_branch, settings[AT_BORDERS] > 0.0
        )
    elif not is_binned and is_weighted:
        position, quality, tie, legal = best_weighted_cut(
            measure, cells, place, start, known_end, rank_shift, class_shift, compact, k, weights, known, table,
            context, least_branch, settings[AT_BORDERS] > 0.0,
        )  # fmt: skip
    elif not is_binned:
        position, quality, tie, legal = best_cut(
            measure, cells, place, start, known_end, rank_shift, class_shift, compact, k, known, table, positions,
            context, least_branch, settings[AT_BORDERS] > 0.0,
        )  # fmt: skip
    if position >= 0:
        gain = share * quality
        quality = gain
        if filtered:
            if filtered > 1.0:
                gain -= np.log2(legal) / weight
            for c in range(k):
                table[c] = 0.0
                if is_binned:
                    for b in range(low, position):
                        table[c] += counted[b * k + c]
            if not is_binned:
                for i in range(start, position):
                    cell = cells[place, i]
                    w = weights[cell & row_mask] if is_weighted else 1.0
                    table[compact[(cell >> class_shift) & class_mask]] += w
            for c in range(k):
                table[k + c] = max(0.0, known[c] - table[c])
            information = split_information(table, 2, k, unknown)
            quality = gain / information if information > 1e-3 else -np.inf
        found[f, QUALITY], found[f, TIES], found[f, GAIN], found[f, POSITION] = quality, tie, gain, position
        found[f, LEGAL] = legal
    if is_binned:
        for b in range(low, high + 1):
            if seen[b]:
                seen[b] = 0
                for c in range(k):
                    counted[b * k + c] = 0.0
