"""Levels and probabilities when many tests are made at once."""

from __future__ import annotations

import math


def bonferroni_level(alpha: float, tests: int) -> float:
    """The level of each of some tests that together err with probability `alpha` at most.

    >>> bonferroni_level(0.05, 2)
    0.025
    """
    return alpha / max(tests, 1)


def log_sidak(log_p: float, tests: int) -> float:
    """The logarithm of 1 − (1 − p)ᵐ: the chance that the least of m independent p is this small.

    >>> round(math.exp(log_sidak(math.log(0.01), 3)), 6), round(log_sidak(-1000.0, 10), 4)
    (0.029701, -997.6974)
    """
    if log_p >= 0:
        return 0.0
    if log_p < -30:  # (1 − p)ᵐ is 1 − mp as far as floats can tell
        return min(0.0, log_p + math.log(tests))
    return math.log(-math.expm1(tests * math.log1p(-math.exp(log_p))))
