"""Corrections of what tests are expected to take, by what tests of the same kinds of machines took on these data."""

from __future__ import annotations

import math
from collections.abc import Hashable

from intemi.kernel import Component, Machine
from intemi.machines.search.defaults import parts_of

RATE = 0.2
"""How much of a correction is that of the last test."""
NOTICEABLE = 0.1
"""By how much the logarithm of a correction has to change before tests are put into another order."""


class Corrections:
    """Factors by kinds of machines: of each the exponential moving average of the logarithm of actual / expected.

    >>> corrections = Corrections()
    >>> corrections.observe("svm", expected=1.0, actual=10.0)
    True
    >>> round(corrections.factor("svm"), 3), corrections.factor("knn")
    (1.585, 1.0)
    """

    def __init__(self) -> None:
        self._logarithms: dict[Hashable, float] = {}
        self._applied: dict[Hashable, float] = {}

    def factor(self, candidate: Hashable) -> float:
        """By how many times more the test of a candidate will take than was expected."""
        return math.exp(self._logarithms.get(_kinds(candidate), 0.0))

    def observe(self, candidate: Hashable, expected: float, actual: float) -> bool:
        """Learn from a test that has taken some time; whether that makes a noticeable difference."""
        kinds = _kinds(candidate)
        before = self._logarithms.get(kinds, 0.0)
        now = self._logarithms[kinds] = (1 - RATE) * before + RATE * math.log(max(actual, 1e-6) / expected)
        if abs(now - self._applied.get(kinds, 0.0)) < NOTICEABLE:
            return False
        self._applied[kinds] = now
        return True


def _kinds(candidate: Hashable) -> Hashable:
    """What candidates have in common that differ in parameters only."""
    if not isinstance(candidate, Component):
        return candidate
    return tuple(part.kind for _, part in parts_of(candidate) if isinstance(part, Machine))
