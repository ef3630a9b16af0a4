"""Sums and products of matrices in the order in which numpy adds, so that kernels find the numbers that numpy would, to
the last digit."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.compiling import helper

TINY = float(np.finfo(np.float64).tiny)
"""The least that a weight is divided by."""
BLOCK = 128
"""Longer sums are halved, and their halves."""
DEEPEST = 64
"""So often a sum can be halved."""
BLAS_NUMBERS = 10_000
"""Of more numbers BLAS would add up the products in threads."""
BLAS_ROWS, BLAS_CELLS = 256, 1024
"""The rows that BLAS adds up at a time, and for so many the size of a product that is still too small for threads."""


@helper
def sum_of(numbers: Floats, start: int, count: int) -> float:
    """The sum of `count` numbers of an array: of its halves if they are many, the first one first."""
    if count <= BLOCK:
        return _block(numbers, start, count)
    # Of each sum that was halved: where its second half is, and the sum of the first one once that is known.
    starts, counts, first = np.empty(DEEPEST, np.int64), np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    depth = 0
    while True:
        while count > BLOCK:
            half = count // 2 - count // 2 % 8
            starts[depth], counts[depth] = start + half, count - half
            count = half
            depth += 1
        found = _block(numbers, start, count)
        while depth > 0 and counts[depth - 1] == 0:
            depth -= 1
            found = first[depth] + found
        if depth == 0:
            return float(found)
        first[depth - 1] = found
        start, count = starts[depth - 1], counts[depth - 1]
        counts[depth - 1] = 0


@helper
def _block(numbers: Floats, start: int, count: int) -> float:
    """Eight sums side by side."""
    found, end = 0.0, start + count - count % 8
    if count < 8:
        end = start
    else:
        a, b, c, d = numbers[start], numbers[start + 1], numbers[start + 2], numbers[start + 3]
        e, f, g, h = numbers[start + 4], numbers[start + 5], numbers[start + 6], numbers[start + 7]
        for i in range(start + 8, end, 8):
            a += numbers[i]
            b += numbers[i + 1]
            c += numbers[i + 2]
            d += numbers[i + 3]
            e += numbers[i + 4]
            f += numbers[i + 5]
            g += numbers[i + 6]
            h += numbers[i + 7]
        found = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(end, start + count):
        found += numbers[i]
    return float(found)


@helper
def dot(one: Floats, other: Floats) -> float:
    """The sum of products, in parts, so that BLAS shares it with no threads: see `product`."""
    n = len(one)
    if n <= BLAS_NUMBERS:
        return float(np.dot(one, other))
    parts = (n + BLAS_NUMBERS - 1) // BLAS_NUMBERS
    size, found = (n + parts - 1) // parts, 0.0
    for start in range(0, n, size):
        found += np.dot(one[start : start + size], other[start : start + size])
    return found


@helper
def product(one: Floats, other: Floats) -> Floats:
    """The product of matrices, in parts.

    BLAS adds up parts of a sum anyway. It would share a large product among threads, which takes many times as long
    where other workers use the cores, and adds in another order.
    """
    m, n, k = one.shape[0], one.shape[1], other.shape[1]
    if m == 1:
        return np.asarray(np.dot(one, other))
    found, height = np.zeros((m, k)), max(8, BLAS_CELLS // k // 8 * 8)
    for top in range(0, m, height):
        bottom, start = min(m, top + height), 0
        while start < n:
            end = n
            if n - start >= 2 * BLAS_ROWS:
                end = start + BLAS_ROWS
            elif n - start > BLAS_ROWS:
                end = start + ((n - start) // 2 + 3) // 4 * 4
            found[top:bottom] += np.dot(np.ascontiguousarray(one[top:bottom, start:end]), other[start:end])
            start = end
    return found
