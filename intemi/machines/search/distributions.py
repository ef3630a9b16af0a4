"""Distributions that values of a parameter are drawn from."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.machines.search.scenario import AtPath


class Distribution(AtPath, Component):
    """What values of the parameter at a path are drawn from. Subclasses write `draw`.

    >>> Uniform("svm.C", 1, 2).at("test")
    Uniform(path='test.svm.C', low=1.0, high=2.0)
    """

    path: str

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Any:
        """One value."""


class Uniform(Distribution):
    """Real numbers from `low` to `high`, all equally likely."""

    low: float
    high: float

    def check(self) -> None:
        super().check()
        _check_interval(self.kind, self.low, self.high)

    def draw(self, rng: np.random.Generator) -> float:
        return float(rng.uniform(self.low, self.high))


class LogUniform(Distribution):
    """Real numbers from `low` to `high` whose logarithms are equally likely: as many in 1 to 10 as in 10 to 100."""

    low: float = parameter(above=0)
    high: float = parameter(above=0)

    def check(self) -> None:
        super().check()
        _check_interval(self.kind, self.low, self.high)

    def draw(self, rng: np.random.Generator) -> float:
        drawn = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return min(max(drawn, self.low), self.high)


class Integers(Distribution):
    """Whole numbers from `low` to `high`, both included, all equally likely."""

    low: int
    high: int

    def check(self) -> None:
        super().check()
        _check_interval(self.kind, self.low, self.high)

    def draw(self, rng: np.random.Generator) -> int:
        return int(rng.integers(self.low, self.high, endpoint=True))


class Choice(Distribution):
    """One of some values, all equally likely. They may be components."""

    values: Sequence[Any]

    @property
    def alternatives(self) -> Sequence[Any]:
        return self.values

    def check(self) -> None:
        super().check()
        if not self.values:
            raise ConfigurationError("Choice: values must be at least one, got none")

    def draw(self, rng: np.random.Generator) -> Any:
        return self.values[int(rng.integers(len(self.values)))]


def _check_interval(kind: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ConfigurationError(f"{kind}: low must be below high and both finite, got {low} and {high}")
