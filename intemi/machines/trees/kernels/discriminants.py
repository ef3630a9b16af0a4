"""Where normal distributions of one common variance meet, and the squares that a Box-Cox transformation leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.axis import merged
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    Tuple,
    float64,
    helper,
    kernel,
)
from intemi.machines.trees.kernels.precision import ROUNDING, SAME

EXTREME = 1e50
"""Squares of greater numbers are not compared."""


@helper
def by_mean(means: Floats, variance: float, weights: Floats) -> Codes:
    """The classes that are present, by mean; of equal means the heaviest (the first of those), and no other."""
    present = np.flatnonzero(weights > 0)
    centers = means[present]
    reach = centers.max() - centers.min() + math.sqrt(max(variance, 0.0))
    levels = merged(centers, SAME * reach + ROUNDING * np.abs(centers).max())
    kept, count = np.empty(len(present), np.int32), 0
    for level in np.unique(levels):
        best = -1
        for i in range(len(present)):
            if levels[i] == level and (best < 0 or weights[present[i]] > weights[best]):
                best = present[i]
        kept[count] = best
        count += 1
    return kept[:count]


@kernel(Tuple((FLOATS, CODES))(GIVEN_FLOATS, float64, GIVEN_FLOATS))
def linear_intervals(means: Floats, variance: float, weights: Floats) -> Any:
    """The cuts between intervals of classes, and whose intervals they are: the upper envelope of lines."""
    kept = by_mean(means, variance, weights)
    hull, cuts, size = np.empty(len(kept), np.int32), np.empty(len(kept)), 0
    for each in kept:
        while size > 0:
            last = hull[size - 1]
            cut = (means[last] + means[each]) / 2
            if variance > 0:
                cut -= variance * math.log(weights[each] / weights[last]) / (means[each] - means[last])
            if variance <= 0 or size == 1 or cut > cuts[size - 2]:
                cuts[size - 1] = cut
                break
            size -= 1
        hull[size] = each
        size += 1
    return cuts[: size - 1].copy(), hull[:size].copy()


@kernel(float64(GIVEN_FLOATS, float64, GIVEN_CODES, GIVEN_FLOATS))
def squares_within(powers: Floats, power: float, classes: Codes, weights: Floats) -> float:
    """The squares within classes of powers less 1, divided by the power."""
    k = classes.max() + 1
    in_class, means = np.zeros(k), np.zeros(k)
    transformed, squares, column = np.empty(len(powers)), np.empty(len(powers)), np.empty(len(powers))
    for row in range(len(powers)):
        transformed[row] = powers[row] / power if power != 0 else powers[row]
        if abs(transformed[row]) > EXTREME:
            return EXTREME * EXTREME * EXTREME
        in_class[classes[row]] += weights[row]
        means[classes[row]] += weights[row] * transformed[row]
        column[row] = weights[row]
    for c in range(k):
        means[c] /= in_class[c] if in_class[c] > 0 else 1.0
    for row in range(len(powers)):
        residual = transformed[row] - means[classes[row]]
        squares[row] = residual * residual
    return float(np.dot(column, squares))
