"""Universal seconds: CPU seconds of this computer, as many as the reference computer would take.

So what was measured on one computer is of use on another.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np

REFERENCE_SECONDS = 0.005
"""What the benchmark takes on the reference computer."""
RUNS = 25
"""The quickest of many short runs is the one that other programs have disturbed least."""


@cache
def universal_power() -> float:
    """How many universal seconds a CPU second of this computer is; measured once in a process, in half a second."""
    return REFERENCE_SECONDS / min(_benchmark() for _ in range(RUNS))


def _benchmark() -> float:
    """CPU seconds of what learning mostly consists of: linear algebra, sorting, and Python."""
    rng = np.random.default_rng(0)
    matrix, numbers = rng.normal(size=(100, 100)), rng.random(50_000)
    begun = time.thread_time()
    for _ in range(20):
        matrix = matrix @ matrix
        matrix /= np.abs(matrix).max()
    numbers.sort()
    total = 0
    for number in range(100_000):
        total += number & 7
    return time.thread_time() - begun
