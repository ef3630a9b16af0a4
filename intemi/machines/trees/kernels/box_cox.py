"""The Box–Cox transformation of one feature: the power that makes it more alike to normal within classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    Tuple,
    boolean,
    float64,
    helper,
    kernel,
)
from intemi.machines.trees.kernels.moments import moments
from intemi.machines.trees.kernels.precision import ROUNDING
from intemi.machines.trees.kernels.sums import dot, sum_of

EXTREME = 1e50
"""Squares of greater numbers are not compared."""
LOW, HIGH = -3.0, 3.0
"""Powers are looked for between these."""
TOLERANCE = 1e-9
GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))
SMALL = math.sqrt(2.2e-16)
MOST_CALLS = 500


@helper
def raised(logarithm: float, power: float) -> float:
    """(x^power − 1) / power, the logarithm if the power is 0."""
    return math.expm1(power * logarithm) / power if power != 0 else logarithm


@kernel(FLOATS(GIVEN_FLOATS, float64, float64))
def transformed(values: Floats, power: float, shift: float) -> Floats:
    """The transformed values."""
    found = np.empty(len(values))
    for i in range(len(values)):
        found[i] = raised(math.log(values[i] + shift), power)
    return found


@kernel(FLOATS(GIVEN_FLOATS, float64, float64))
def inverse(numbers: Floats, power: float, shift: float) -> Floats:
    """The values that were transformed; NaN for what no value is transformed to."""
    found = np.empty(len(numbers))
    for i in range(len(numbers)):
        excess = power * numbers[i]
        if power == 0:
            found[i] = math.exp(numbers[i]) - shift
        else:
            found[i] = math.exp(math.log1p(excess) / power) - shift if excess > -1 else np.nan
        if not np.isfinite(found[i]):
            found[i] = np.nan
    return found


@kernel(float64(GIVEN_FLOATS, GIVEN_CODES, float64, GIVEN_CODES, GIVEN_FLOATS))
def squares_within(logarithms: Floats, which: Codes, power: float, classes: Codes, weights: Floats) -> float:
    """Squares within classes after the transformation, of logarithms less their mean: what the power minimizes.

    `which` says which of the logarithms that of each row is: equal ones are raised once.
    """
    n, k = len(which), classes.max() + 1
    in_class, means = np.zeros(k), np.zeros(k)
    different, numbers, squares, column = np.empty(len(logarithms)), np.empty(n), np.empty(n), np.empty(n)
    for i in range(len(logarithms)):
        different[i] = raised(logarithms[i], power)
        if abs(different[i]) > EXTREME:
            return EXTREME * EXTREME * EXTREME
    for row in range(n):
        numbers[row] = different[which[row]]
        in_class[classes[row]] += weights[row]
        means[classes[row]] += weights[row] * numbers[row]
        column[row] = weights[row]
    for c in range(k):
        means[c] /= in_class[c] if in_class[c] > 0 else 1.0
    for row in range(n):
        residual = numbers[row] - means[classes[row]]
        squares[row] = residual * residual
    return float(dot(column, squares))


@kernel(Tuple((FLOATS, CODES))(GIVEN_FLOATS))
def distinct_of(values: Floats) -> Any:
    """The different values in ascending order, and which of them that of each row is."""
    order = np.argsort(values)
    found, which, count = np.empty(len(values)), np.empty(len(values), np.int32), 0
    for row in order:
        if count == 0 or values[row] != found[count - 1]:
            found[count] = values[row]
            count += 1
        which[row] = count - 1
    return found[:count].copy(), which


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS))
def centered(logarithms: Floats, which: Codes, weights: Floats) -> Floats:
    """Around the geometric mean: what the factor exp(−2 power mean(ln x)) amounts to, without its overflow."""
    n = len(which)
    numbers, column = np.empty(n), np.empty(n)
    for row in range(n):
        numbers[row], column[row] = logarithms[which[row]], weights[row]
    return np.asarray(logarithms - dot(column, numbers) / sum_of(column, 0, n))


@kernel(float64(GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS))
def best_power(logarithms: Floats, which: Codes, classes: Codes, weights: Floats) -> float:
    """The power of the least squares, after Brent: parabolas where they fit, else the golden section.

    The steps are those of scipy's bounded search.
    """
    low, high = LOW, HIGH
    best = second = third = low + GOLDEN * (high - low)
    step, before = 0.0, 0.0
    at_best = at_second = at_third = squares_within(logarithms, which, best, classes, weights)
    for _ in range(MOST_CALLS - 1):
        middle = 0.5 * (low + high)
        least = SMALL * abs(best) + TOLERANCE / 3.0
        if not abs(best - middle) > 2.0 * least - 0.5 * (high - low):
            break
        is_golden = True
        if abs(before) > least:
            r = (best - second) * (at_best - at_third)
            q = (best - third) * (at_best - at_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            p, q, r, before = -p if q > 0.0 else p, abs(q), before, step
            if abs(p) < abs(0.5 * q * r) and q * (low - best) < p < q * (high - best):
                is_golden = False
                step = p / q
                if best + step - low < 2.0 * least or high - (best + step) < 2.0 * least:
                    step = least if middle >= best else -least
        if is_golden:
            before = (low if best >= middle else high) - best
            step = GOLDEN * before
        tried = best + math.copysign(max(abs(step), least), step if step != 0 else 1.0)
        found = squares_within(logarithms, which, tried, classes, weights)
        if found <= at_best:
            low, high = (best, high) if tried >= best else (low, best)
            third, at_third, second, at_second, best, at_best = second, at_second, best, at_best, tried, found
        else:
            low, high = (tried, high) if tried < best else (low, tried)
            if found <= at_second or second == best:
                third, at_third, second, at_second = second, at_second, tried, found
            elif found <= at_third or third in (best, second):
                third, at_third = tried, found
    return best


@helper
def end_of_equal(distinct: Floats, start: int, tolerance: float) -> int:
    """The place of the last of the values from `start` on that differ by no more than the tolerance from the next."""
    while start + 1 < len(distinct) and distinct[start + 1] - distinct[start] <= tolerance:
        start += 1
    return start


@kernel(Tuple((float64, float64))(GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS, boolean))
def fitted(values: Floats, classes: Codes, weights: Floats, always_shift: bool) -> Any:
    """The power with the least squares within classes, and what is added first; NaN if there is none."""
    none = np.nan, 0.0
    distinct, which = distinct_of(values)
    if len(distinct) == 0:
        return none
    greatest = max(abs(distinct[0]), abs(distinct[-1]))
    # Of the values that are equal but for rounding the greatest counts.
    first = end_of_equal(distinct, 0, ROUNDING * greatest)
    if first + 1 == len(distinct) or greatest > EXTREME:
        return none
    numbers = np.empty((1, len(values)))
    for row in range(len(values)):
        numbers[0, row] = values[row]
    if moments(numbers, classes, weights, classes.max() + 1)[1][6, 0] == 0:
        return none  # any power is as good
    low, second = distinct[first], distinct[end_of_equal(distinct, first + 1, ROUNDING * greatest)]
    shift = second - 2 * low if always_shift or low <= 0 else 0.0
    if low + shift <= 0 or distinct[0] + shift <= 0:  # the distance is lost in rounding
        return none
    logarithms = np.empty(len(distinct))
    for i in range(len(distinct)):
        logarithms[i] = math.log(distinct[i] + shift)
    power = best_power(centered(logarithms, which, weights), which, classes, weights)
    for i in range(len(distinct)):
        if not abs(raised(logarithms[i], power)) < EXTREME:
            return none
    return power, shift
