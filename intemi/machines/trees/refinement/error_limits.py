"""Upper confidence limits: how many errors have to be expected of a leaf that made so many on its own cases.

`cf` is the probability that a leaf is worse than its limit, if its cases were drawn at random; the smaller, the more
pessimistic. All functions take arrays of weights and of errors, and give limits as numbers of errors.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats

ErrorLimit = Callable[[Floats, Floats, float], Floats]

_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
"""C4.5 interpolates between these."""


def c45_limit(weights: Floats, errors: Floats, cf: float) -> Floats:
    """As release 8 of C4.5 computes it.

    >>> c45_limit(np.array([6.0, 16.0]), np.array([0.0, 1.0]), 0.25).round(4).tolist()
    [1.2378, 2.5069]
    """
    z = float(np.interp(cf, _CONFIDENCES, _DEVIATIONS))
    return _corrected(weights, errors, cf, z, lambda n, e: e + 0.67 * (n - e))


def j48_limit(weights: Floats, errors: Floats, cf: float) -> Floats:
    """As J48 of WEKA computes it: the exact quantile, and all cases of a leaf that makes nothing but errors."""
    return _corrected(weights, errors, cf, NormalDist().inv_cdf(1 - cf), np.maximum)


def wilson_limit(weights: Floats, errors: Floats, cf: float) -> Floats:
    """Wilson's score interval, of which `cf` lies above."""
    return _wilson(weights, errors, NormalDist().inv_cdf(1 - cf))


def two_sided_wilson_limit(weights: Floats, errors: Floats, cf: float) -> Floats:
    """Wilson's score interval, of which `cf` lies outside, half of it above."""
    return _wilson(weights, errors, NormalDist().inv_cdf(1 - cf / 2))


def exact_limit(weights: Floats, errors: Floats, cf: float) -> Floats:
    """The limit of Clopper and Pearson: with that error rate so few errors have probability `cf`."""
    betaincinv = library("scipy.special").betaincinv

    some = (weights > 0) & (errors < weights)
    n, e = np.where(some, weights, 1.0), np.where(some, errors, 0.0)
    return np.where(some, n * betaincinv(e + 1, n - e, 1 - cf), weights)


ERROR_LIMITS: dict[str, ErrorLimit] = {
    "c45": c45_limit,
    "j48": j48_limit,
    "wilson": wilson_limit,
    "wilson two-sided": two_sided_wilson_limit,
    "exact": exact_limit,
}


def _wilson(weights: Floats, errors: Floats, z: float) -> Floats:
    n = np.where(weights > 0, weights, 1.0)
    p, squared = np.clip(errors / n, 0.0, 1.0), z * z
    limit = (p + squared / (2 * n) + z * np.sqrt(p * (1 - p) / n + squared / (4 * n * n))) / (1 + squared / n)
    return np.where(weights > 0, n * limit, 0.0)


def _corrected(weights: Floats, errors: Floats, cf: float, z: float, almost_all: Callable[..., Floats]) -> Floats:
    """Wilson's limit of half an error more; of less than one error, between the exact limit of none and that of one."""
    n = np.where(weights > 0, weights, 1.0)
    whole = np.maximum(errors, 1.0)
    limit = np.where(whole + 0.5 >= n, almost_all(n, whole), _wilson(n, whole + 0.5, z))
    of_none = n * (1 - cf ** (1 / n))
    limit = np.where(errors < 1, of_none + errors * (limit - of_none), limit)
    return np.where(weights > 0, limit, 0.0)
