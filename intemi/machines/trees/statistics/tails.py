"""Upper tails of distributions as logarithms, so that very strong features stay comparable.

Where the probability itself is too small for a float, its logarithm comes from a continued fraction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats

Flags = NDArray[np.bool_]

_SMALLEST = 1e-290
"""Probabilities below this are computed as logarithms."""


def log_p_chi_squared(statistic: Floats | float, df: Floats | float) -> Floats:
    """The logarithm of the probability of a χ² at least as large; 0 without a degree of freedom.

    >>> float(log_p_chi_squared(3000, 4).round(6))
    -1492.686113
    """
    special = library("scipy.special")

    x, degrees = _together(statistic, df)
    half, z = np.maximum(degrees, 1e-300) / 2, x / 2
    return _logarithm(
        np.where(degrees > 0, special.gammaincc(half, z), 1.0),
        np.isinf(x),
        lambda taken: _log_upper_gamma(half[taken], z[taken]),
    )


def log_p_f(statistic: Floats | float, df: Floats | float, df_within: Floats | float) -> Floats:
    """The logarithm of the probability of an F at least as large; 0 without a degree of freedom.

    >>> log_p_f(np.array([18.5, 50000.0]), 2, np.array([6.0, 1470.0])).round(6)
    array([   -5.908322, -3112.358079])
    """
    f, upper, lower = _together(statistic, df, df_within)
    possible = (upper > 0) & (lower > 0)
    b, a = np.where(possible, upper, 1.0) / 2, np.where(possible, lower, 1.0) / 2
    return log_p_beta(a, b, np.where(possible, b * f / a, 0.0))


def log_p_beta(a: Floats, b: Floats, ratio: Floats) -> Floats:
    """ln I_x(a, b) where x = 1 / (1 + ratio): the tail of an F of 2b and 2a degrees of freedom, times b / a."""
    probability = library("scipy.special").betainc(a, b, 1 / (1 + ratio))
    return _logarithm(
        probability, np.isinf(ratio), lambda taken: _log_incomplete_beta(a[taken], b[taken], ratio[taken])
    )


def _together(*values: Floats | float) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in values)))


def _logarithm(probability: Floats, infinite: Flags, of_tiny: Callable[[Flags], Floats]) -> Floats:
    """The logarithm of a probability; of those that are too small by another way."""
    if np.minimum.reduce(probability, axis=None, initial=1.0) >= _SMALLEST:
        return np.asarray(np.log(probability))
    with np.errstate(divide="ignore"):
        answer = np.asarray(np.log(probability))
    tiny = (probability < _SMALLEST) & ~infinite
    if tiny.any():
        answer[tiny] = of_tiny(tiny)
    return answer


def _log_upper_gamma(a: Floats, z: Floats) -> Floats:
    """ln(Γ(a, z) / Γ(a)) for z well above a: e⁻ᶻ zᵃ / (z + 1 − a − 1(1 − a)/(z + 3 − a − 2(2 − a)/(z + 5 − a − …)))."""
    gammaln = library("scipy.special").gammaln

    def step(n: int) -> tuple[Floats, Floats]:
        return -n * (n - a), z + 2 * n + 1 - a

    return np.asarray(a * np.log(z) - z - gammaln(a) - np.log(_continued_fraction(z + 1 - a, step)))


def _log_incomplete_beta(a: Floats, b: Floats, ratio: Floats) -> Floats:
    """ln I_x(a, b) where x = 1 / (1 + ratio) is below (a + 1) / (a + b + 2)."""
    betaln = library("scipy.special").betaln

    x = 1 / (1 + ratio)

    def step(n: int) -> tuple[Floats, Floats]:
        m = n // 2
        if n % 2:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), np.ones_like(x)
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), np.ones_like(x)

    fraction = _continued_fraction(np.ones_like(x), step)
    return np.asarray(-a * np.log1p(ratio) - b * np.log1p(1 / ratio) - np.log(a) - betaln(a, b) - np.log(fraction))


def _continued_fraction(first: Floats, step: Callable[[int], tuple[Floats, Floats]]) -> Floats:
    """b₀ + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method; `step(n)` is (aₙ, bₙ)."""
    smallest = 1e-300
    value = np.where(first == 0, smallest, first)
    c, d = value.copy(), np.zeros_like(value)
    for n in range(1, 1000):
        a, b = step(n)
        d = b + a * d
        c = b + a / c
        d = 1 / np.where(d == 0, smallest, d)
        c = np.where(c == 0, smallest, c)
        value = value * c * d
        if (np.abs(c * d - 1) < 1e-15).all():
            break
    return np.asarray(value)
