"""Levels and probabilities when many tests are made at once."""

from __future__ import annotations

from intemi.machines.trees import kernels


def bonferroni_level(alpha: float, tests: int) -> float:
    """The level of each of some tests that together err with probability `alpha` at most.

    >>> bonferroni_level(0.05, 2)
    0.025
    """
    return alpha / max(tests, 1)


def log_sidak(log_p: float, tests: int) -> float:
    """The logarithm of 1 − (1 − p)ᵐ: the chance that the least of m independent p is this small.

    >>> import math
    >>> round(math.exp(log_sidak(math.log(0.01), 3)), 6), round(log_sidak(-1000.0, 10), 4)
    (0.029701, -997.6974)
    """
    return kernels.tails.log_sidak(log_p, tests)
