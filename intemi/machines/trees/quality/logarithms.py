"""x log2 x, which measures of information add up: of the small whole numbers that most weights are it is looked up."""

from __future__ import annotations

import math

import numpy as np

LOOKED_UP = 4096
_KNOWN = np.array([0.0, *(number * math.log2(number) for number in range(1, LOOKED_UP))])


def x_log_x(value: float) -> float:
    """A positive number times its logarithm to base 2. Measures may call it: it is compiled with them.

    >>> x_log_x(8.0), x_log_x(0.5)
    (24.0, -0.5)
    """
    if value < LOOKED_UP:
        whole = int(value)
        if value == whole:
            return float(_KNOWN[whole])
    return value * math.log2(value)
