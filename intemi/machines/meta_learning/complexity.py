"""Complexity: what a test is expected to cost, as one number by which tests are put into an order."""

from __future__ import annotations

import math
from dataclasses import dataclass

CYCLES_A_SECOND = 2e9
"""A universal second is a second of a processor of 2 GHz."""
LEAST_CYCLES = math.e**2
"""From here on t / ln t grows with t."""


@dataclass(frozen=True)
class Complexity:
    """What a test is expected to take, and how far to trust and to want it.

    >>> round(Complexity(seconds=1.0).value)
    93386320
    """

    seconds: float
    """Universal seconds of computing."""
    memory: float = 0.0
    """Bytes of what it leaves."""
    reliability: float = 1.0
    """1 at first; less after the test took longer than expected."""
    attractiveness: float = 1.0
    """More than 1 if it is more promising than others."""
    is_on_record: bool = False
    """Whether it was run before, so that it takes nothing now; should that be lost, it takes as much as any other."""

    @property
    def value(self) -> float:
        """(l + t / ln t) / (r a), where l is memory and t time in cycles; 0 for what is on record."""
        if self.is_on_record:
            return 0.0
        cycles = max(self.seconds * CYCLES_A_SECOND, LEAST_CYCLES)
        return (self.memory + cycles / math.log(cycles)) / (self.reliability * self.attractiveness)
