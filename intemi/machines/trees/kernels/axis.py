"""Cuts of one feature: which of its rows are known, numbers that are equal but for rounding, and cuts at numbers."""

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
    Bytes,
    Tuple,
    float64,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.precision import ROUNDING, SAME
from intemi.machines.trees.kernels.sums import sum_of


@kernel(Tuple((FLOATS, CODES, FLOATS))(GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS))
def known_rows(values: Floats, classes: Codes, weights: Floats) -> Any:
    """The values, classes and weights of the rows whose value is known."""
    size, known = len(values), 0
    numbers, of_class, weighing = np.empty(size), np.empty(size, np.int32), np.empty(size)
    for row in range(size):
        if not np.isnan(values[row]):
            numbers[known], of_class[known], weighing[known] = values[row], classes[row], weights[row]
            known += 1
    return numbers[:known].copy(), of_class[:known].copy(), weighing[:known].copy()


@kernel(FLOATS(GIVEN_FLOATS, float64))
def merged(values: Floats, tolerance: float) -> Floats:
    """The values, of which those that differ by no more than the tolerance from the next one become the greatest."""
    order, found = np.argsort(values), np.empty(len(values))
    for place in range(len(values) - 1, -1, -1):  # missing values are last
        row = order[place]
        found[row] = values[row]
        if place + 1 < len(values) and values[order[place + 1]] - values[row] <= tolerance:
            found[row] = found[order[place + 1]]
    return found


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS))
def drawn(cuts: Floats, numbers: Floats) -> Floats:
    """The cuts, of which those that are a number but for rounding become that number."""
    low, high, found = numbers[0], numbers[0], np.empty(len(cuts))
    for number in numbers:
        low, high = min(low, number), max(high, number)
    tolerance = SAME * (high - low) + ROUNDING * max(abs(low), abs(high))
    for i in range(len(cuts)):
        below, above = low, high  # if there is nothing below, or above
        for number in numbers:
            if number < cuts[i]:
                below = max(below, number)
            else:
                above = min(above, number)
        nearest = below if abs(cuts[i] - below) < abs(above - cuts[i]) else above
        found[i] = nearest if abs(nearest - cuts[i]) <= tolerance else cuts[i]
    return found


@kernel(int64(GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS, float64))
def first_legal(cuts: Floats, numbers: Floats, weights: Floats, least: float) -> int:
    """The place of the first cut that has at least so much on both sides; -1 if there is none."""
    weight, taken = sum_of(weights, 0, len(weights)), np.empty(len(weights))
    for i in range(len(cuts)):
        count = 0
        for row in range(len(numbers)):
            if numbers[row] <= cuts[i]:
                taken[count] = weights[row]
                count += 1
        below = sum_of(taken, 0, count)
        if min(below, weight - below) >= least:
            return i
    return -1


@kernel(BYTES(GIVEN_FLOATS, GIVEN_FLOATS))
def two_means(means: Floats, weights: Floats) -> Bytes:
    """Which means are in the lower one of two clusters; if all are equal, the heaviest one is."""
    size, low, high = len(means), means.min(), means.max()
    group, again = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        group[np.argmax(weights)] = 1
        return group
    taken = np.empty(size)
    while True:
        is_same = True
        for i in range(size):
            # One halfway between is nearer to the lower one, whatever rounding says.
            again[i] = means[i] - low <= high - means[i] + SAME * (high - low)
            is_same = is_same and again[i] == group[i]
        if is_same:
            return group
        group[:] = again
        for side in range(2):
            count = 0
            for i in range(size):
                if group[i] == 1 - side:
                    taken[count] = means[i]
                    count += 1
            center = sum_of(taken, 0, count) / count
            low, high = (center, high) if side == 0 else (low, center)


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS))
def occupied(cuts: Floats, numbers: Floats) -> Floats:
    """Cuts such that there are numbers between them: ascending cuts around an empty interval become its middle."""
    places = np.empty(len(cuts), np.int64)
    for i in range(len(cuts)):
        places[i] = 0
        for number in numbers:
            places[i] += int(number <= cuts[i])
    found, count, i = np.empty(len(cuts)), 0, 0
    while i < len(cuts):
        first = i
        while i + 1 < len(cuts) and places[i + 1] == places[i]:
            i += 1
        if 0 < places[i] < len(numbers):
            found[count] = (cuts[first] + cuts[i]) / 2
            count += 1
        i += 1
    return found[:count].copy()
