"""Features that are kept as bins: counting the rows of a node, and the best cut of what was counted."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    Bytes,
    Wide,
    address_of,
    call_measure,
    helper,
    inlined,
)
from intemi.machines.trees.kernels.cuts import best_of_sums, least_rows
from intemi.machines.trees.kernels.found import SLACK, TIE, is_better


@helper
def count_bins(
    bins: Bytes,
    group: Codes,
    begins: Codes,
    size: int,
    rows: Codes,
    start: int,
    end: int,
    node_class: Codes,
    k: int,
    weights: Floats,
    is_weighted: bool,
    counted: Floats,
    seen: Bytes,
) -> None:
    """Count the rows of a node by bin and class, for a group of features, and note which bins there are.

    The bins of each feature begin somewhere else.
    """
    for i in range(start, end):
        row = np.uint64(rows[np.uint64(i)])
        c = int(node_class[np.uint64(i - start)])
        weight = weights[row] if is_weighted else 1.0
        for j in range(size):
            b = int(begins[np.uint64(j)]) + int(bins[row, np.uint64(group[np.uint64(j)])])
            counted[np.uint64(b * k + c)] += weight
            seen[np.uint64(b)] = 1


@helper
def best_bin(
    measure: int,
    counted: Floats,
    seen: Bytes,
    low: int,
    high: int,
    k: int,
    totals: Floats,
    table: Floats,
    context: Floats,
    least_branch: float,
    at_borders: bool,
    bar: float,
) -> tuple[int, float, float, int]:
    """The best cut between the lowest and the highest bin: where, quality, tie-breaker, number of legal cuts.

    It is told by the first bin above it, -1 if no cut is legal and reaches the `bar`.
    """
    best, best_tie, best_bin_above, legal = -np.inf, -np.inf, -1, 0
    table_at, context_at = address_of(table), address_of(context)
    weight, left = 0.0, 0.0
    least = least_branch - SLACK
    for c in range(k):
        weight += totals[c]
        table[c] = 0.0
        table[k + c] = totals[c]
    last_class, last_was_legal = -1, False
    for b in range(low, high + 1):
        if not seen[np.uint64(b)]:
            continue
        here, kinds, one_class = 0.0, 0, -1
        for c in range(k):
            value = counted[np.uint64(b * k + c)]
            here += value
            kinds += int(value > 0.0)
            one_class = c if value > 0.0 else one_class
        one_class = one_class if kinds == 1 else -2
        is_legal = b > low and left >= least and weight - left >= least
        if is_legal:
            legal += 1
            inside = (
                at_borders
                and last_was_legal
                and b < high
                and last_class == one_class
                and one_class >= 0
                and weight - left - here >= least
            )
            if not inside:
                quality = call_measure(measure, table_at, 2, k, context_at)
                if quality >= bar and is_better(quality, context[TIE], best, best_tie):
                    best, best_tie, best_bin_above = quality, context[TIE], b
                    bar = max(bar, best - 1e-12 * max(1.0, abs(best)))
        last_class, last_was_legal = one_class, is_legal
        left += here
        for c in range(k):
            value = counted[np.uint64(b * k + c)]
            table[c] += value
            rest = table[k + c] - value
            table[k + c] = rest if rest > 1e-12 * totals[c] else 0.0
    return best_bin_above, best, best_tie, legal


@helper
def count_packed(
    bins: Bytes,
    group: Codes,
    begins: Codes,
    size: int,
    rows: Codes,
    start: int,
    end: int,
    node_class: Codes,
    bits: int,
    packed: Wide,
) -> None:
    """Count rows that all weigh 1, all classes of a bin in one number, each in so many `bits`."""
    for i in range(start, end):
        row = np.uint64(rows[np.uint64(i)])
        one = 1 << (bits * int(node_class[np.uint64(i - start)]))
        for j in range(size):
            b = int(begins[np.uint64(j)]) + int(bins[row, np.uint64(group[np.uint64(j)])])
            packed[np.uint64(b)] += one


@inlined
def take_packed(packed: Wide, begin: int, end: int, positions: Codes, sums: Wide) -> int:
    """Take the bins with rows, and what was counted of them, out of all bins, and leave zeros; how many there are."""
    count = 0
    for b in range(begin, end):
        counts = packed[np.uint64(b)]
        packed[np.uint64(b)] = 0
        positions[np.uint64(count)], sums[np.uint64(count)] = b, counts
        count += int(counts != 0)
    return count


@helper
def best_packed(
    measure: int,
    count: int,
    positions: Codes,
    sums: Wide,
    bits: int,
    k: int,
    totals: Floats,
    table: Floats,
    context: Floats,
    least_branch: float,
    at_borders: bool,
    bar: float,
) -> tuple[int, float, float, int]:
    """The best cut between bins that were taken: which, quality, tie-breaker, number of legal cuts.

    `positions` and `sums` of those that are scored, the first bin above and the counts of all classes below, replace
    what was taken. As elsewhere there is nothing that a processor could guess wrong.
    """
    ones, weight = 0, 0
    for c in range(k):
        ones |= 1 << (bits * c)
        weight += int(totals[c])
    top, mask = bits * (k - 1), (1 << bits) - 1
    highest = ones << (bits - 1)
    lower = highest - ones
    least = least_rows(least_branch, weight + 1)
    kept, legal, total, left, last, last_is_legal = 0, 0, 0, 0, 0, 0
    for i in range(count):
        b, counts = positions[np.uint64(i)], sums[np.uint64(i)]
        is_legal = int(left >= least) & int(weight - left >= least)
        beyond = total + counts
        left = ((beyond * ones) >> top) & mask  # the sum of the counts of all classes
        both = last | counts
        kinds = (((both & lower) + lower) | both) & highest  # one bit for each class that is there
        is_inside = (
            last_is_legal
            & int(at_borders)
            & int(kinds & (kinds - 1) == 0)
            & int(weight - left >= least)
            & int(i < count - 1)
        )
        positions[np.uint64(kept)], sums[np.uint64(kept)] = b, total
        kept += is_legal & (1 - is_inside)
        legal += is_legal
        total, last, last_is_legal = beyond, counts, is_legal
    which, best, best_tie = best_of_sums(measure, kept, sums, bits, k, totals, table, context, bar)
    return which, best, best_tie, legal
