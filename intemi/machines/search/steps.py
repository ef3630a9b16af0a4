"""Steps: evenly spaced values of one parameter, or powers with evenly spaced exponents."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.search.candidate import Candidate, check_paths
from intemi.machines.search.scenario import AtPath, Proposals, Scenario


class Steps(AtPath, Scenario):
    """`count` values from `start` on, `step` apart; with a `base`, these are its exponents.

    If everything is written as whole numbers and all values are such, they are ints, also between and beyond the steps
    where other scenarios take them; `base=2.0` lets a real parameter have powers of 2 from 1 on, and what is between.
    No value leaves the bounds `at_least` and `at_most`.

    >>> Steps("svm.C", base=2, start=-1, step=2, count=4).values()
    (0.5, 2.0, 8.0, 32.0)
    >>> Steps("forest.trees", base=2, start=3, step=1, count=4).values()
    (8, 16, 32, 64)
    >>> Steps("tree.share", start=0.1, step=0.1, count=3).values()
    (0.1, 0.2, 0.3)
    """

    path: str
    start: int | float
    step: int | float
    count: int = parameter(at_least=1)
    base: int | float | None = parameter(default=None, above=0, kw_only=True)
    at_least: int | float | None = parameter(default=None, kw_only=True)
    at_most: int | float | None = parameter(default=None, kw_only=True)

    def check(self) -> None:
        check_paths(self.kind, self.paths)
        for name in ("start", "step", "base", "at_least", "at_most"):
            value = self.part(name)
            if isinstance(value, float) and not math.isfinite(value):
                raise ConfigurationError(f"Steps: {name} must be finite, got {value}")
        if self.step == 0:
            raise ConfigurationError("Steps: step must not be 0")
        if self.base == 1:
            raise ConfigurationError("Steps: base must not be 1")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ConfigurationError(f"Steps: at_least must be at most at_most, {self.at_most}, got {self.at_least}")
        self.values()

    @property
    def is_whole(self) -> bool:
        """Whether the values are ints."""
        if not all(isinstance(number, int) for number in (self.start, self.step, self.base or 0)):
            return False
        return self.base is None or min(self.start, self.start + (self.count - 1) * self.step) >= 0

    def value(self, position: float) -> int | float:
        """The value at a position: the first is at 0, the second at 1, half-way between them is 0.5."""
        # Exact, and with numbers as they are written, so that the third step of 0.1 is 0.3 as anybody would type it.
        place = Fraction(str(self.start)) + Fraction(position) * Fraction(str(self.step))
        try:
            raw = place if self.base is None else self._power(place)
            value = round(raw) if self.is_whole else float(raw)
        except OverflowError:
            if self.at_most is None:
                raise ConfigurationError(
                    f"Steps: the value of {self.path} at step {position} is too large; set at_most"
                ) from None
            return self._bound(self.at_most, math.floor)
        if self.is_whole and self.base is not None:
            value = max(value, 1)  # the least power that is whole
        if self.at_least is not None:
            value = max(value, self._bound(self.at_least, math.ceil))
        if self.at_most is not None:
            value = min(value, self._bound(self.at_most, math.floor))
        return value

    def _power(self, exponent: Fraction) -> int | float:
        assert self.base is not None
        power: int | float = self.base ** (exponent.numerator if exponent.denominator == 1 else float(exponent))
        return power

    def _bound(self, bound: float, to_whole: Callable[[float], int]) -> int | float:
        return to_whole(bound) if self.is_whole else float(bound)

    def values(self) -> tuple[int | float, ...]:
        """All of them, in order."""
        return tuple(self.value(position) for position in range(self.count))

    def propose(self, rng: np.random.Generator) -> Proposals:
        yield [Candidate({self.path: value}) for value in self.values()]
