"""Sums in the order in which numpy adds numbers up: fractions that are added up otherwise differ in the last digit."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.compiling import helper

BLOCK, LANES = 128, 8
"""Longer arrays are divided in two; shorter ones are added up in so many lanes."""
COMBINE = -1
"""Among the sizes that are still to be added up: add the last two sums."""
DEEPEST = 128
"""More than the sizes that may wait, of which each is about half of the one before."""


@helper
def sum_of_block(numbers: Floats, begin: int, count: int) -> float:
    """The sum of at most `BLOCK` numbers from `begin` on."""
    total, i = 0.0, 0
    if count >= LANES:
        a, b, c, d = numbers[begin], numbers[begin + 1], numbers[begin + 2], numbers[begin + 3]
        e, f, g, h = numbers[begin + 4], numbers[begin + 5], numbers[begin + 6], numbers[begin + 7]
        for i in range(begin + LANES, begin + count - count % LANES, LANES):
            a, b, c, d = a + numbers[i], b + numbers[i + 1], c + numbers[i + 2], d + numbers[i + 3]
            e, f, g, h = e + numbers[i + 4], f + numbers[i + 5], g + numbers[i + 6], h + numbers[i + 7]
        total, i = ((a + b) + (c + d)) + ((e + f) + (g + h)), count - count % LANES
    for j in range(i, count):
        total += numbers[begin + j]
    return total


@helper
def sum_of(numbers: Floats, begin: int, count: int) -> float:
    """The sum of so many numbers from `begin` on."""
    if count <= BLOCK:
        return sum_of_block(numbers, begin, count)
    sizes, sums, waiting, summed = np.empty(DEEPEST, np.int64), np.empty(DEEPEST), 1, 0
    sizes[0] = count
    while waiting > 0:
        waiting -= 1
        size = sizes[waiting]
        if size == COMBINE:
            summed -= 1
            sums[summed - 1] += sums[summed]
        elif size <= BLOCK:
            sums[summed] = sum_of_block(numbers, begin, size)
            begin += size
            summed += 1
        else:
            half = size // 2
            half -= half % LANES
            sizes[waiting], sizes[waiting + 1], sizes[waiting + 2] = COMBINE, size - half, half
            waiting += 3
    return float(sums[0])
