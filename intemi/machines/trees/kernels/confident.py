"""Cal5's intervals of a feature, and what the splits into them are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    Bytes,
    Tuple,
    address_of,
    call_measure,
    float64,
    helper,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.sums import TINY, sum_of

SLACK = 1e-12
"""Probabilities that differ by less are equal."""


@helper
def bound(count: float, weight: float, alpha: float, sign: float) -> float:
    """The bound of the probability of a class of such a count, after Chebyshev: upper (`sign` 1) or lower (-1)."""
    root = np.sqrt(4 * alpha * count * (1 - count / max(weight, TINY)) + 1)
    return float((2 * alpha * count + 1 + sign * root) / (2 * alpha * weight + 2))


@helper
def judge(counts: Floats, threshold: float, alpha: float) -> Any:
    """Whether some class is sure to reach the threshold, and whether none can."""
    weight, is_sure, is_mixed = sum_of(counts, 0, len(counts)), False, True
    for count in counts:
        is_sure = is_sure or bound(count, weight, alpha, -1.0) >= threshold - SLACK
        is_mixed = is_mixed and bound(count, weight, alpha, 1.0) < threshold - SLACK
    return is_sure, is_mixed


@helper
def are_alike(one: Floats, other: Floats, is_closed: bool, alpha: float) -> bool:
    """Whether two leaves are of one class, or two intervals that are split further are dominated by the same ones.

    A class dominates that may well have more than its part.
    """
    if is_closed:
        return bool(np.argmax(one) == np.argmax(other))
    k = len(one)
    weight, other_weight = sum_of(one, 0, k), sum_of(other, 0, k)
    present, other_present = (one > 0).sum(), (other > 0).sum()
    for c in range(k):
        dominates = one[c] > 0 and bound(one[c], weight, alpha, 1.0) >= 1 / present - SLACK
        other_does = other[c] > 0 and bound(other[c], other_weight, alpha, 1.0) >= 1 / other_present - SLACK
        if dominates != other_does:
            return False
    return True


@helper
def merge(counts: Floats, closed: Bytes, ends: Codes, size: int, alpha: float) -> int:
    """Make neighbours that say the same one, until none do; how many are left."""
    while True:
        kept = 0
        for i in range(size):
            is_alike = kept > 0 and closed[kept - 1] == closed[i]
            if is_alike and are_alike(counts[kept - 1], counts[i], closed[i] > 0, alpha):
                for c in range(counts.shape[1]):
                    counts[kept - 1, c] += counts[i, c]
            else:
                counts[kept], closed[kept] = counts[i], closed[i]
                kept += 1
            ends[kept - 1] = ends[i]
        if kept == size:
            return size
        size = kept


@helper
def intervals(
    values: Floats, classes: Codes, weights: Floats, k: int, threshold: float, alpha: float
) -> tuple[Floats, Bytes]:
    """The cuts between the intervals of a numeric feature, and which intervals are leaves; none if nothing is known."""
    order = np.argsort(values, kind="mergesort")
    known = len(values)
    while known > 0 and np.isnan(values[order[known - 1]]):
        known -= 1
    counts, closed, ends = np.empty((known, k)), np.empty(known, np.uint8), np.empty(known, np.int32)
    reached, before, since, size = np.zeros(k), np.zeros(k), np.empty(k), 0
    for place in range(known):
        row = order[place]
        reached[classes[row]] += weights[row]
        if place + 1 < known and values[order[place + 1]] == values[row]:
            continue
        for c in range(k):
            since[c] = reached[c] - before[c]
        is_sure, is_mixed = judge(since, threshold, alpha)
        if is_sure or is_mixed or place + 1 == known:
            counts[size], ends[size] = since, place + 1
            closed[size] = is_sure or not is_mixed  # what is left over at the end is a leaf
            before[:] = reached
            size += 1
    size = merge(counts, closed, ends, size, alpha)
    cuts = np.empty(max(size - 1, 0))
    for i in range(len(cuts)):
        below, above = values[order[ends[i] - 1]], values[order[ends[i]]]
        middle = below + (above - below) / 2
        cuts[i] = below if middle >= above else middle
    return cuts, closed[:size].copy()


@helper
def sets(
    values: Floats, symbols: int, classes: Codes, weights: Floats, k: int, threshold: float, alpha: float
) -> tuple[Codes, Bytes]:
    """The branch of each symbol of a nominal feature, and which branches are leaves."""
    table, majority = np.zeros((symbols, k)), np.zeros(k)
    for row in range(len(values)):
        majority[classes[row]] += weights[row]
        if values[row] >= 0:
            table[int(values[row]), classes[row]] += weights[row]
    first, present = np.argmax(majority), np.empty(symbols, np.int64)
    shares, size = np.empty(symbols), 0
    for symbol in range(symbols):
        weight = sum_of(table[symbol], 0, k)
        if weight > 0:
            present[size], shares[size] = symbol, table[symbol, first] / weight
            size += 1
    order = np.argsort(shares[:size], kind="mergesort")
    counts, closed, ends = np.empty((size, k)), np.empty(size, np.uint8), np.empty(size, np.int32)
    for i in range(size):
        counts[i], ends[i] = table[present[order[i]]], i + 1
        closed[i] = not judge(counts[i], threshold, alpha)[1]
    kept, branches, start = merge(counts, closed, ends, size, alpha), np.full(symbols, -1, np.int32), 0
    for branch in range(kept):
        for i in range(start, ends[branch]):
            branches[present[order[i]]] = branch
        start = ends[branch]
    return branches, closed[:kept].copy()


@helper
def branch_of(value: float, cuts: Floats) -> int:
    """The interval of a value that is not missing."""
    return int(np.searchsorted(cuts, value))


@kernel(Tuple((FLOATS, BYTES))(GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS, int64, float64, float64))
def confident_intervals(
    values: Floats, classes: Codes, weights: Floats, k: int, threshold: float, alpha: float
) -> tuple[Floats, Bytes]:
    """The cuts of a numeric feature, and which intervals are leaves."""
    found: tuple[Floats, Bytes] = intervals(values, classes, weights, k, threshold, alpha)
    return found


@kernel(Tuple((CODES, BYTES))(GIVEN_FLOATS, int64, GIVEN_CODES, GIVEN_FLOATS, int64, float64, float64))
def confident_sets(
    values: Floats, symbols: int, classes: Codes, weights: Floats, k: int, threshold: float, alpha: float
) -> tuple[Codes, Bytes]:
    """The branch of each symbol of a nominal feature, and which branches are leaves."""
    found: tuple[Codes, Bytes] = sets(values, symbols, classes, weights, k, threshold, alpha)
    return found


@kernel(
    FLOATS(MEASURE, FLOATS, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, int64, float64, float64), seconds=5
)
def qualities(
    measure: int,
    context: Floats,
    features: Floats,
    symbols: Codes,
    classes: Codes,
    weights: Floats,
    k: int,
    threshold: float,
    alpha: float,
) -> Floats:
    """What the split of each feature is worth by a measure; NaN if there is none."""
    found, context_at = np.full(len(features), np.nan), address_of(context)
    for feature in range(len(features)):
        values = features[feature]
        cuts, branches = np.empty(0), np.empty(0, np.int32)
        if symbols[feature] > 0:
            branches, closed = sets(values, symbols[feature], classes, weights, k, threshold, alpha)
        else:
            cuts, closed = intervals(values, classes, weights, k, threshold, alpha)
        table = np.zeros(len(closed) * k)
        for row in range(len(values)):
            if not np.isnan(values[row]):
                branch = branches[int(values[row])] if symbols[feature] > 0 else branch_of(values[row], cuts)
                table[branch * k + classes[row]] += weights[row]
        kept = 0
        for branch in range(len(closed)):
            if table[branch * k : (branch + 1) * k].sum() > 0:
                table[kept * k : (kept + 1) * k] = table[branch * k : (branch + 1) * k]
                kept += 1
        if kept > 1:
            found[feature] = call_measure(measure, address_of(table), kept, k, context_at)
    return found
