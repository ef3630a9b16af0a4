"""Stop criteria in numbers, for the kernel that grows a whole tree."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Limits:
    """Growth ends where any of these is reached."""

    max_errors: float = 0.0
    max_rate: float = -1.0
    least_weight: float = 0.0
    max_depth: float = inf
    max_leaves: float = inf
    least_class: float = 0.0
    """What two classes must weigh."""

    def settings(self) -> dict[str, float]:
        """What the kernels are told, by the names of their settings."""
        return {
            "MAX_ERRORS": self.max_errors,
            "MAX_RATE": self.max_rate,
            "LEAST_WEIGHT": self.least_weight,
            "MAX_DEPTH": self.max_depth,
            "MAX_LEAVES": self.max_leaves,
            "LEAST_CLASS": self.least_class,
        }

    def __or__(self, other: Limits) -> Limits:
        return Limits(
            max(self.max_errors, other.max_errors),
            max(self.max_rate, other.max_rate),
            max(self.least_weight, other.least_weight),
            min(self.max_depth, other.max_depth),
            min(self.max_leaves, other.max_leaves),
            max(self.least_class, other.least_class),
        )
