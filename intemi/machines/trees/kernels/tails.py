"""Upper tails of χ² and F as logarithms, so that very strong features stay comparable.

Each is a continued fraction on the side where that converges fast, and 1 less the other tail elsewhere.
"""

from __future__ import annotations

import math

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.compiling import FLOATS, GIVEN_FLOATS, float64, helper, int64, kernel
from intemi.machines.trees.kernels.sums import TINY

MOST_STEPS = 10_000
"""Of a fraction or a series: it takes about as many as the root of the degrees of freedom."""
ENOUGH = 1e-15
"""A fraction, or a series, is known when a step changes it by less, relatively."""
LARGE = 20.0
"""From here on five terms of Stirling's series give all digits of ln Γ."""


@helper
def log_chi_squared_tail(chi2: float, df: float) -> float:
    """ln of the probability of a χ² at least as large, Γ(a, z) / Γ(a) with a = df / 2 and z = χ² / 2.

    0 without a degree of freedom.
    """
    a, z = df / 2, chi2 / 2
    if not (a > 0 and z > 0):
        return 0.0
    if z == np.inf:
        return -np.inf
    first = a * math.log(z) - z - math.lgamma(a)
    if z >= a + 1:
        return float(first - math.log(upper_gamma_fraction(a, z)))
    # The lower tail is e⁻ᶻ zᵃ / Γ(a) · (1/a + z/a(a + 1) + z²/a(a + 1)(a + 2) + …).
    term = 1 / a
    total = term
    for n in range(1, MOST_STEPS):
        term *= z / (a + n)
        total += term
        if term < ENOUGH * total:
            break
    return float(math.log1p(-math.exp(first + math.log(total))))


@helper
def log_f_tail(a: float, b: float, ratio: float) -> float:
    """ln I_x(a, b) with x = 1 / (1 + ratio): the tail of an F of 2b and 2a degrees of freedom, where ratio = Fb / a."""
    if not ratio > 0:
        return 0.0
    if ratio == np.inf:
        return -np.inf
    if 1 / (1 + ratio) < (a + 1) / (a + b + 2):
        return log_incomplete_beta(a, b, ratio)
    return float(math.log1p(-math.exp(log_incomplete_beta(b, a, 1 / ratio))))


@helper
def log_incomplete_beta(a: float, b: float, ratio: float) -> float:
    """ln I_x(a, b), where x = 1 / (1 + ratio) is below (a + 1) / (a + b + 2): xᵃ (1 − x)ᵇ / (a B(a, b)) / fraction."""
    power = -a * math.log1p(ratio) - b * math.log1p(1 / ratio)
    return float(power - math.log(a) - log_beta(a, b) - math.log(beta_fraction(a, b, 1 / (1 + ratio))))


@helper
def log_beta(a: float, b: float) -> float:
    """ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b), without the difference of large logarithms."""
    small, large = min(a, b), max(a, b)
    if large < LARGE:
        return float(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
    both = small + large
    log_gamma_small = math.lgamma(small)
    # ln Γ(y) = (y − 1/2) ln y − y + ln √2π + rest(y)
    between = (large - 0.5) * math.log1p(small / large) + small * math.log(both) - small
    return float(log_gamma_small - between - stirling_rest(both) + stirling_rest(large))


@helper
def stirling_rest(y: float) -> float:
    """What Stirling's formula leaves of ln Γ(y)."""
    square = 1 / (y * y)
    return float((1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / y)


@helper
def upper_gamma_fraction(a: float, z: float) -> float:
    """z + 1 − a − 1(1 − a)/(z + 3 − a − 2(2 − a)/(z + 5 − a − …)), by Lentz's method."""
    value = z + 1 - a
    c, d = value, 0.0
    for n in range(1, MOST_STEPS):
        numerator, denominator = -n * (n - a), z + 2 * n + 1 - a
        d = denominator + numerator * d
        c = denominator + numerator / c
        d = 1 / (d if d != 0 else TINY)
        c = c if c != 0 else TINY
        value *= c * d
        if abs(c * d - 1) < ENOUGH:
            break
    return value


@helper
def beta_fraction(a: float, b: float, x: float) -> float:
    """1 + d₁/(1 + d₂/(1 + …)) with d of 2m + 1: −(a + m)(a + b + m)x / (a + 2m)(a + 2m + 1), and of 2m:
    m(b − m)x / (a + 2m − 1)(a + 2m); by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for n in range(1, MOST_STEPS):
        m = n // 2
        if n % 2:
            numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 + numerator * d
        c = 1 + numerator / c
        d = 1 / (d if d != 0 else TINY)
        c = c if c != 0 else TINY
        value *= c * d
        if abs(c * d - 1) < ENOUGH:
            break
    return value


@kernel(float64(float64, int64))
def log_sidak(log_p: float, tests: int) -> float:
    """ln(1 − (1 − p)ᵐ), the chance that the least of m independent p is this small."""
    if log_p >= 0:
        return 0.0
    if log_p < -30:  # (1 − p)ᵐ is 1 − mp as far as floats can tell
        return min(0.0, log_p + math.log(tests))
    log_of_rest = math.log(-math.expm1(log_p)) if log_p > -1 else math.log1p(-math.exp(log_p))
    return math.log(-math.expm1(tests * log_of_rest))


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS))
def log_chi_squared_tails(chi2: Floats, df: Floats) -> Floats:
    """The tails of many."""
    found = np.empty(len(chi2))
    for i in range(len(chi2)):
        found[i] = log_chi_squared_tail(chi2[i], df[i])
    return found


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS))
def log_f_tails(a: Floats, b: Floats, ratio: Floats) -> Floats:
    """The tails of many."""
    found = np.empty(len(ratio))
    for i in range(len(ratio)):
        found[i] = log_f_tail(a[i], b[i], ratio[i])
    return found
