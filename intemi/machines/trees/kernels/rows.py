"""Sending the rows of a node down the branches of a split, and counting them there."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    Tuple,
    float64,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.sums import sum_of


@kernel(CODES(GIVEN_FLOATS, GIVEN_FLOATS))
def cut(values: Floats, cuts: Floats) -> Codes:
    """The interval of each value, a value at a cut lying below it; -1 for NaN."""
    found = np.empty(len(values), np.int32)
    for row in range(len(values)):
        low, high = 0, len(cuts)
        while low < high:
            middle = (low + high) // 2
            if cuts[middle] < values[row]:
                low = middle + 1
            else:
                high = middle
        found[row] = -1 if np.isnan(values[row]) else low
    return found


@kernel(CODES(GIVEN_FLOATS, GIVEN_CODES))
def branches_of_symbols(values: Floats, branch_of_symbol: Codes) -> Codes:
    """The branch of each symbol; -1 for NaN."""
    found = np.empty(len(values), np.int32)
    for row in range(len(values)):
        found[row] = -1 if np.isnan(values[row]) else branch_of_symbol[int(values[row])]
    return found


@kernel(Tuple((FLOATS, int64))(GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, int64, int64))
def branch_weights(branches: Codes, classes: Codes, weights: Floats, count: int, k: int) -> Any:
    """The weights of `count` branches, summed up by class first, and how many of them hold anything."""
    table, found, occupied = np.zeros((count, k)), np.empty(count), 0
    for row in range(len(branches)):
        if branches[row] >= 0:
            table[branches[row], classes[row]] += weights[row]
    for branch in range(count):
        found[branch] = sum_of(table[branch], 0, k)
        occupied += int(found[branch] > 0)
    return found, occupied


@kernel(FLOATS_2D(GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS, int64, int64))
def table_of(parts: Floats, classes: Codes, weights: Floats, count: int, k: int) -> Floats:
    """The weights of `k` classes in `count` parts; a row may be in none, which is NaN or below 0."""
    table = np.zeros((count, k))
    for row in range(len(parts)):
        if parts[row] >= 0:
            table[int(parts[row]), classes[row]] += weights[row]
    return table


@kernel(float64(GIVEN_FLOATS, GIVEN_FLOATS))
def mean(values: Floats, weights: Floats) -> float:
    """The mean of the values that are known; NaN if none is."""
    known, size = 0, len(values)
    taken, products = np.empty(size), np.empty(size)
    for row in range(size):
        if not np.isnan(values[row]):
            taken[known] = weights[row]
            products[known] = values[row] * weights[row]
            known += 1
    if known == 0:
        return np.nan
    return float(sum_of(products, 0, known) / sum_of(taken, 0, known))
