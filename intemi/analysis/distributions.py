"""Upper tails of the distributions of test statistics.

They come from scipy.special, which is there in a fraction of the second and more that scipy.stats takes to import.
"""

from __future__ import annotations

import math

import numpy as np

from intemi.analysis.samples import Floats
from intemi.kernel.libraries import library


def two_sided_t(t: float, df: float) -> float:
    """The probability of a t at least as far from 0."""
    special = library("scipy.special")

    return float(2 * special.stdtr(df, -abs(t)))


def two_sided_normal(z: float) -> float:
    """The probability of a standard normal z at least as far from 0.

    >>> round(two_sided_normal(1.959964), 6)
    0.05
    """
    special = library("scipy.special")

    return float(2 * special.ndtr(-abs(z)))


def upper_chi_squared(chi2: float, df: int) -> float:
    """The probability of a χ² at least as large."""
    special = library("scipy.special")

    return float(special.chdtrc(df, chi2))


def upper_f(f: float, df: int, of_denominator: int) -> float:
    """The probability of an F at least as large."""
    special = library("scipy.special")

    return float(special.fdtrc(df, of_denominator, f)) if math.isfinite(f) else 0.0


def two_sided_binomial(successes: int, trials: int) -> float:
    """The probability of a number of successes at least as far from half of the trials, where 1/2 is that of each.

    >>> two_sided_binomial(4, 4), two_sided_binomial(2, 4), two_sided_binomial(0, 0)
    (0.125, 1.0, 1.0)
    """
    special = library("scipy.special")

    return min(1.0, float(2 * special.bdtr(min(successes, trials - successes), trials, 0.5))) if trials else 1.0


def mean_ranks(values: Floats) -> Floats:
    """The rank of each value, 1 for the smallest; equal values share the mean of their ranks.

    >>> mean_ranks(np.array([0.5, 0.1, 0.5, 0.9]))
    array([2.5, 1. , 2.5, 4. ])
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place], dtype=np.float64)


def upper_range(q: float, samples: int) -> float:
    """The probability that the range of so many standard normal values is at least q.

    >>> round(upper_range(3.314493, 3), 6)
    0.05
    """
    special = library("scipy.special")

    # Tukey's integral over the least value. The trapezoidal rule is exact to the last digits for such a smooth bell.
    least = np.linspace(-9.0 - q, 9.0, 2000)
    density = np.exp(-0.5 * least * least) / math.sqrt(2 * math.pi)
    inside = (special.ndtr(least + q) - special.ndtr(least)) ** (samples - 1)
    return max(0.0, 1.0 - float(samples * (density * inside).sum() * (least[1] - least[0])))


def range_quantile(upper: float, samples: int) -> float:
    """What the range of so many standard normal values exceeds with a probability."""
    low, high = 0.0, 100.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if upper_range(middle, samples) > upper else (low, middle)
    return middle
