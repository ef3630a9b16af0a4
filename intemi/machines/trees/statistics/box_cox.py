"""The Box–Cox transformation: powers that make a feature more alike to normal within classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.statistics.brent import minimum
from intemi.machines.trees.statistics.moments import class_moments
from intemi.machines.trees.statistics.rounding import ROUNDING, merged

_EXTREME = 1e50
"""Squares of greater numbers are not compared."""


@dataclass(frozen=True, slots=True)
class BoxCox:
    """((x + shift)^power − 1) / power, the logarithm if the power is 0.

    >>> BoxCox(power=0.0, shift=0.0).inverse(BoxCox(power=0.0, shift=0.0)(np.array([1.0, 4.0])))
    array([1., 4.])
    """

    power: float
    shift: float

    def __call__(self, values: Floats) -> Floats:
        """The transformed values."""
        return _powered(np.log(values + self.shift), self.power)

    def inverse(self, transformed: Floats) -> Floats:
        """The values that were transformed; NaN for what no value is transformed to."""
        if self.power == 0:
            return np.asarray(np.exp(transformed) - self.shift)
        excess = self.power * transformed
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            found = np.exp(np.log1p(np.where(excess > -1, excess, np.nan)) / self.power) - self.shift
        return np.where(np.isfinite(found), found, np.nan)


def fit_box_cox(values: Floats, classes: Codes, weights: Floats, always_shift: bool = False) -> BoxCox | None:
    """The power in [−3, 3] with the least squares within classes.

    None for a constant or an extreme feature, or one that is constant in each class.

    Values that are not all positive are shifted first (others too, with `always_shift`), so that the distance of the
    two least becomes the least. None is missing.

    >>> classes = np.repeat([0, 1], 3).astype(np.int32)
    >>> abs(fit_box_cox(np.array([1.0, 2, 4, 8, 16, 32]), classes, np.ones(6)).power) < 1e-4
    True
    """
    distinct = np.unique(merged(values, ROUNDING * float(np.abs(values).max(initial=0.0))))
    if len(distinct) < 2 or np.abs(distinct).max() > _EXTREME:
        return None
    if class_moments(values[None], classes, weights, int(classes.max()) + 1).within[0] == 0:
        return None  # any power is as good
    shift = float(distinct[1] - 2 * distinct[0]) if always_shift or distinct[0] <= 0 else 0.0
    if distinct[0] + shift <= 0:  # the distance is lost in rounding
        return None
    logarithms = np.log(values + shift)
    centered = _centered(logarithms, weights)

    def squares(power: float) -> float:
        return kernels.discriminants.squares_within(_raised(centered, power), power, classes, weights)

    with np.errstate(over="ignore"):
        power = minimum(squares, -3.0, 3.0, tolerance=1e-9)
        change = BoxCox(power, shift)
        return change if np.abs(change(distinct)).max() < _EXTREME else None


def squares_within(logarithms: Floats, power: float, classes: Codes, weights: Floats) -> float:
    """Squares within classes after the transformation, on the scale of the values: what the power minimizes.

    >>> classes = np.repeat([0, 1], 3).astype(np.int32)
    >>> round(squares_within(np.log([1.0, 2, 4, 8, 16, 32]), -0.5, classes, np.ones(6)), 6)
    3.213203
    """
    with np.errstate(over="ignore"):
        powers = _raised(_centered(logarithms, weights), power)
    return kernels.discriminants.squares_within(powers, power, classes, weights)


def _centered(logarithms: Floats, weights: Floats) -> Floats:
    """Around the geometric mean: what the factor exp(−2 power mean(ln x)) amounts to, without its overflow."""
    return np.asarray(logarithms - (weights @ logarithms) / weights.sum())


def _raised(logarithms: Floats, power: float) -> Floats:
    """Powers less 1; the logarithms if the power is 0."""
    return np.asarray(np.expm1(power * logarithms) if power != 0 else logarithms)


def _powered(logarithms: Floats, power: float) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(_raised(logarithms, power) / power if power != 0 else logarithms)
