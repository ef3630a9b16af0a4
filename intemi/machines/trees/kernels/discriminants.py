"""Where normal distributions meet: those of several classes of one variance, or of two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.axis import merged
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_FLOATS,
    Tuple,
    float64,
    helper,
    kernel,
)
from intemi.machines.trees.kernels.precision import ROUNDING, SAME


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


@kernel(FLOATS(float64, float64, float64, float64, float64, float64))
def quadratic_roots(
    mean: float, other_mean: float, variance: float, other_variance: float, size: float, other_size: float
) -> Floats:
    """Where two normal densities, each times its class's size, are equal; nearest to the first mean first."""
    prior = math.log(size / other_size)
    a = variance - other_variance
    distance = other_mean - mean
    if abs(a) <= 1e-12 * max(variance, other_variance):
        if distance == 0:
            return np.empty(0)
        return np.array([(mean + other_mean) / 2 - variance / -distance * prior])
    # In distances from the first mean: means that are far from 0 would lose their digits in the squares.
    b = -2 * distance * variance
    rest = prior + math.log(other_variance / variance) / 2
    c = distance * distance * variance + 2 * variance * other_variance * rest
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return np.empty(0)
    q = -(b + math.copysign(math.sqrt(discriminant), b)) / 2
    if q == 0:
        return np.array([mean])
    one, two = q / a, c / q  # without cancellation
    if abs(abs(two) - abs(one)) <= 1e-12 * max(abs(one), abs(two)):
        one, two = min(one, two), max(one, two)
    elif abs(two) < abs(one):
        one, two = two, one
    return np.array([mean + one, mean + two])
