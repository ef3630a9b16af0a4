"""Features that are kept as bins: counting the rows of a node, and the best cut of what was counted."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    BYTES_2D,
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    MEASURE,
    Bytes,
    Tuple,
    address_of,
    apart,
    boolean,
    call_measure,
    float64,
    int64,
    void,
)
from intemi.machines.trees.kernels.cuts import SLACK, TIE, is_better


@apart(
    void(
        BYTES_2D, CODES, CODES, int64, GIVEN_CODES, int64, int64, CODES, int64, GIVEN_FLOATS, boolean, FLOATS, BYTES
    )
)  # fmt: skip
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


@apart(
    Tuple((int64, float64, float64, int64))(
        MEASURE, FLOATS, BYTES, int64, int64, int64, FLOATS, FLOATS, FLOATS, float64, boolean
    )
)  # fmt: skip
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
) -> tuple[int, float, float, int]:
    """The best cut between the lowest and the highest bin: where, quality, tie-breaker, number of legal cuts.

    It is told by the first bin above it, -1 if no cut is legal.
    """
    best, best_tie, best_bin_above, legal = -np.inf, -np.inf, -1, 0
    bar = -np.inf  # below it nothing is better
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
                quality = call_measure(measure, address_of(table), 2, k, address_of(context))
                if quality >= bar and is_better(quality, context[TIE], best, best_tie):
                    best, best_tie, best_bin_above = quality, context[TIE], b
                    bar = best - 1e-12 * max(1.0, abs(best))
        last_class, last_was_legal = one_class, is_legal
        left += here
        for c in range(k):
            value = counted[np.uint64(b * k + c)]
            table[c] += value
            rest = table[k + c] - value
            table[k + c] = rest if rest > 1e-12 * totals[c] else 0.0
    return best_bin_above, best, best_tie, legal
