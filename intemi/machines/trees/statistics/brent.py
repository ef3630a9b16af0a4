"""Brent's search for the minimum of a function of one number: parabolas where they fit, else the golden section."""

from __future__ import annotations

import math
from collections.abc import Callable

GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))
SMALL = math.sqrt(2.2e-16)
MOST_CALLS = 500


def minimum(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Where a function is least between two numbers; the steps are those of scipy's bounded search.

    >>> round(minimum(lambda x: (x - 2) ** 2, 0.0, 5.0, 1e-9), 6)
    2.0
    """
    best = second = third = low + GOLDEN * (high - low)
    step = before = 0.0
    at_best = at_second = at_third = function(best)
    for _ in range(MOST_CALLS - 1):
        middle = 0.5 * (low + high)
        least = SMALL * abs(best) + tolerance / 3.0
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
        tried = best + math.copysign(max(abs(step), least), step if step else 1.0)
        found = function(tried)
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
