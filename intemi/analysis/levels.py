"""The level of many tests: each of them has a chance to err, so their number is always stated beside the level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.kernel.errors import ConfigurationError

Correction = Literal["none", "bonferroni", "sidak"]


@dataclass(frozen=True)
class Levels:
    """The nominal level alpha of a number of tests, and the levels at which all of them together keep alpha.

    >>> levels = Levels(0.01, 143)
    >>> print(levels)
    143 tests at level 0.01 (for all of them together: Bonferroni 7.0e-05, Sidak 7.0e-05)
    >>> levels.of("none"), round(levels.of("sidak"), 8)
    (0.01, 7.028e-05)
    """

    alpha: float
    tests: int

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ConfigurationError(f"Levels: alpha must be between 0 and 1, got {self.alpha!r}")
        if self.tests < 1:
            raise ConfigurationError(f"Levels: tests must be at least 1, got {self.tests!r}")

    @property
    def bonferroni(self) -> float:
        """alpha / n."""
        return self.alpha / self.tests

    @property
    def sidak(self) -> float:
        """1 − (1 − alpha)^(1/n), which holds for independent tests."""
        return float(-np.expm1(np.log1p(-self.alpha) / self.tests))

    def of(self, correction: Correction) -> float:
        """The level of each test under a correction."""
        return {"none": self.alpha, "bonferroni": self.bonferroni, "sidak": self.sidak}[correction]

    def __str__(self) -> str:
        count = f"{self.tests:,} test{'s' if self.tests > 1 else ''} at level {self.alpha:g}"
        if self.tests == 1:
            return count
        return f"{count} (for all of them together: Bonferroni {self.bonferroni:.1e}, Sidak {self.sidak:.1e})"
