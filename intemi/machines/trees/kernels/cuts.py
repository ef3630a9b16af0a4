"""The best cut of a numeric feature: one pass over its values, in ascending order.

A cut is legal if both sides weigh enough. With `at_borders` only cuts beside values that are not all of one and the
same class are scored, and the first and the last legal one: for convex measures one of these is best.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    Wide,
    address_of,
    call_measure,
    helper,
    inlined,
)
from intemi.machines.trees.kernels.found import SLACK, TIE, is_better

NEVER = 2**62
"""A position beyond all cells."""


@helper
def best_weighted_cut(
    measure: int,
    cells: Wide,
    place: int,
    start: int,
    end: int,
    rank_shift: int,
    class_shift: int,
    compact: Codes,
    k: int,
    weights: Floats,
    totals: Floats,
    table: Floats,
    context: Floats,
    least_branch: float,
    at_borders: bool,
    bar: float,
) -> tuple[int, float, float, int]:
    """The best cut of a stretch of cells without missing values: position, quality, tie-breaker, number of legal cuts.

    Classes are numbered anew by `compact`, `totals` are theirs. Position -1: no cut is legal and reaches the
    `bar`.
    """
    class_mask = (1 << (rank_shift - class_shift)) - 1
    row_mask = (1 << class_shift) - 1
    best, best_tie, best_position, legal = -np.inf, -np.inf, -1, 0
    table_at, context_at = address_of(table), address_of(context)
    weight, left = 0.0, 0.0
    least = least_branch - SLACK
    for c in range(k):
        weight += totals[c]
        table[c] = 0.0
    last_rank = cells[place, end - 1] >> rank_shift
    i = start
    cell = cells[place, i]
    while cell >> rank_shift != last_rank:
        rank = cell >> rank_shift
        first_class = (cell >> class_shift) & class_mask
        group_class = first_class
        before = left
        while cell >> rank_shift == rank:
            c = (cell >> class_shift) & class_mask
            w = weights[cell & row_mask]
            table[compact[c]] += w
            left += w
            if c != first_class:
                group_class = -1
            i += 1
            cell = cells[place, i]
        if left < least:
            continue
        if weight - left < least:
            break
        legal += 1
        if at_borders and before > 0.0 and before >= least and (cell >> class_shift) & class_mask == group_class:
            # The cut is inside a run of one class unless that ends within the next value, or is the last legal one.
            next_rank = cell >> rank_shift
            beyond = left
            j = i
            while (
                j < end
                and cells[place, j] >> rank_shift == next_rank
                and (cells[place, j] >> class_shift) & class_mask == group_class
            ):
                beyond += weights[cells[place, j] & row_mask]
                j += 1
            if j < end and cells[place, j] >> rank_shift != next_rank and weight - beyond >= least:
                continue
        for c in range(k):
            rest = totals[c] - table[c]
            table[k + c] = rest if rest > 1e-12 * totals[c] else 0.0
        quality = call_measure(measure, table_at, 2, k, context_at)
        if quality >= bar and is_better(quality, context[TIE], best, best_tie):
            best, best_tie, best_position = quality, context[TIE], i
            bar = max(bar, best - 1e-12 * max(1.0, abs(best)))
    return best_position, best, best_tie, legal


@helper
def least_rows(least_branch: float, most: int) -> int:
    """The rows that a branch must have at least if all weigh 1; `most` or less."""
    return max(1, int(np.ceil(min(least_branch - SLACK, float(most)))))


@helper
def bits_for_each(rows: int, k: int) -> int:
    """The bits that each of `k` counts gets if all are kept in one number; 0 if so many rows might need more."""
    bits = min(32, 64 // k)
    return bits if rows >> bits == 0 else 0


@helper
def collect(
    cells: Wide,
    place: int,
    start: int,
    first: int,
    last: int,
    rank_shift: int,
    class_shift: int,
    class_mask: int,
    at_borders: bool,
    step: Wide,
    positions: Codes,
    sums: Wide,
) -> tuple[int, int]:
    """Collect those cuts from `first` to `last` that are to be scored; returns their number, and that of all.

    `sums` gets what the `step` of the class of each cell from `start` to the cut adds up to. Which cuts these are looks
    random to a processor, and it would guess wrong again and again: so there is nothing to guess. Whether a cut is
    scored turns out at the next one; until then it waits in the first free place.
    """
    count, legal = 0, 0
    cut, cut_before = -1, NEVER
    one_class_from, class_bits = 0, class_mask << class_shift
    if not at_borders:
        one_class_from, class_bits = NEVER, 0
    total, cell = 0, 0
    for i in range(start, first):
        cell = cells[place, np.uint64(i)]
        total += step[np.uint64((cell >> class_shift) & class_mask)]
    for i in range(first, last + 1):
        following = cells[place, np.uint64(i)]
        change = following ^ cell
        is_cut = int((change >> rank_shift) != 0)
        count += is_cut & int(one_class_from > cut_before)
        free = np.uint64(count + 1 - is_cut)
        positions[free], sums[free] = i, total
        legal += is_cut
        cut_before = cut if is_cut else cut_before
        cut = i if is_cut else cut
        one_class_from = i if change & class_bits else one_class_from
        total += step[np.uint64((following >> class_shift) & class_mask)]
        cell = following
    return count + int(legal > 0), legal


@inlined
def best_of_sums(
    measure: int,
    count: int,
    sums: Wide,
    bits: int,
    k: int,
    totals: Floats,
    table: Floats,
    context: Floats,
    bar: float,
) -> tuple[int, float, float]:
    """The best of cuts whose `sums` are the counts of all classes below them, each in so many `bits`: which, quality,
    tie-breaker. -1: none reaches the `bar`."""
    best, best_tie, best_place = -np.inf, -np.inf, -1
    table_at, context_at = address_of(table), address_of(context)
    mask = (1 << bits) - 1
    for j in range(count):
        counts = sums[np.uint64(j)]
        for c in range(k):
            table[c] = float(counts & mask)
            table[k + c] = totals[c] - table[c]
            counts >>= bits
        quality = call_measure(measure, table_at, 2, k, context_at)
        if quality >= bar and is_better(quality, context[TIE], best, best_tie):
            best, best_tie, best_place = quality, context[TIE], j
            bar = max(bar, best - 1e-12 * max(1.0, abs(best)))
    return best_place, best, best_tie


@helper
def best_cut(
    measure: int,
    cells: Wide,
    place: int,
    start: int,
    end: int,
    rank_shift: int,
    class_shift: int,
    compact: Codes,
    step: Wide,
    bits: int,
    k: int,
    totals: Floats,
    table: Floats,
    positions: Codes,
    sums: Wide,
    context: Floats,
    least_branch: float,
    at_borders: bool,
    bar: float,
) -> tuple[int, float, float, int]:
    """The same for rows that all weigh 1.

    The steps of the classes are such that sums are the counts of all classes, each in so many `bits`. If these are 0,
    classes are counted from cut to cut.
    """
    class_mask = (1 << (rank_shift - class_shift)) - 1
    best, best_tie, best_position = -np.inf, -np.inf, -1
    least = least_rows(least_branch, end)
    if end - start < 2 * least:
        return best_position, best, best_tie, 0
    count, legal = collect(
        cells, place, start, start + least, end - least, rank_shift, class_shift, class_mask, at_borders, step,
        positions, sums,
    )  # fmt: skip
    if bits > 0:
        which, best, best_tie = best_of_sums(measure, count, sums, bits, k, totals, table, context, bar)
        return int(positions[which]) if which >= 0 else -1, best, best_tie, legal
    table_at, context_at = address_of(table), address_of(context)
    for c in range(k):
        table[c] = 0.0
    i = start
    for j in range(count):
        position = int(positions[np.uint64(j)])
        while i < position:
            of_class = (cells[place, np.uint64(i)] >> class_shift) & class_mask
            table[np.uint64(compact[np.uint64(of_class)])] += 1.0
            i += 1
        for c in range(k):
            table[k + c] = totals[c] - table[c]
        quality = call_measure(measure, table_at, 2, k, context_at)
        if quality >= bar and is_better(quality, context[TIE], best, best_tie):
            best, best_tie, best_position = quality, context[TIE], position
            bar = max(bar, best - 1e-12 * max(1.0, abs(best)))
    return best_position, best, best_tie, legal
