"""What errors cost: a number for each class that is answered (rows) and each that is right (columns)."""

from __future__ import annotations

import math

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats

Costs = tuple[tuple[float, ...], ...]


def check_costs(kind: str, costs: Costs) -> None:
    """Refuse what is not a square of numbers, one for each class both ways."""
    if not costs or any(len(row) != len(costs) for row in costs):
        raise ConfigurationError(f"{kind}: cost must have as many rows as columns, at least one, got {costs!r}")
    if not all(math.isfinite(each) and each >= 0 for row in costs for each in row):
        raise ConfigurationError(f"{kind}: cost must consist of finite numbers that are at least 0, got {costs!r}")


def costs_of(kind: str, costs: Costs, classes: int) -> Floats:
    """The costs as an array, if there are as many classes."""
    if len(costs) != classes:
        raise ConfigurationError(f"{kind}: cost is for {len(costs)} classes, but the data have {classes}")
    return np.array(costs)
