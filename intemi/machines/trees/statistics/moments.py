"""Weights, means and squares of numeric features within classes: all that analyses of variance need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.statistics.rounding import ROUNDING


@dataclass(frozen=True, slots=True)
class ClassMoments:
    """Of each feature (row) in each class (column); what is missing in a feature takes no part in it."""

    weights: Floats
    center: Floats
    """Of each feature, close to its mean. Means are kept relative to it: far from 0 they would lose their digits."""
    shifts: Floats
    """The means of classes, less the center; 0 where a class is not present."""
    squares: Floats
    """The sums of squared distances from the mean of the class."""
    reach: Floats
    """Of each feature the greatest distance of a value from the center."""

    @property
    def total(self) -> Floats:
        """The weight of the known values of each feature."""
        return np.asarray(self.weights.sum(axis=1))

    @property
    def present(self) -> Floats:
        """How many classes each feature is known of."""
        return np.asarray((self.weights > 0).sum(axis=1), dtype=np.float64)

    @property
    def means(self) -> Floats:
        """The means of classes; the center where a class is not present."""
        return self.center[:, None] + self.shifts

    @property
    def mean(self) -> Floats:
        """The mean of each feature."""
        return self.center + self._shift

    @property
    def between(self) -> Floats:
        """The squares between classes, SSB; 0 if they are nothing but rounding errors of equal means."""
        squares = (self.weights * (self.shifts - self._shift[:, None]) ** 2).sum(axis=1)
        return np.where(squares > self.total * (ROUNDING * self.reach) ** 2, squares, 0.0)

    @property
    def within(self) -> Floats:
        """The squares within classes, SSW."""
        return np.asarray(self.squares.sum(axis=1))

    @property
    def _shift(self) -> Floats:
        total = np.maximum(self.total, np.finfo(float).tiny)
        return np.asarray((self.weights * self.shifts).sum(axis=1) / total)


def class_moments(features: Floats, classes: Codes, weights: Floats, count: int) -> ClassMoments:
    """The moments of features (a row each, NaN where missing) in `count` classes.

    >>> moments = class_moments(np.array([[1.0, 2, 3, 9]]), np.array([0, 0, 1, 1], np.int32), np.ones(4), 2)
    >>> moments.means, moments.within
    (array([[1.5, 6. ]]), array([18.5]))
    """
    indicators = np.zeros((len(classes), count))
    indicators[np.arange(len(classes)), classes] = weights
    known = ~np.isnan(features)
    in_class = known.astype(np.float64) @ indicators
    some = np.maximum(in_class.sum(axis=1), np.finfo(float).tiny)
    center = np.where(known, features, 0.0) @ weights / some
    shifted = np.where(known, features - center[:, None], 0.0)
    shifts = np.divide(shifted @ indicators, in_class, out=np.zeros_like(in_class), where=in_class > 0)
    residuals = np.where(known, shifted - shifts[:, classes], 0.0)
    squares = residuals**2 @ indicators
    reach = np.abs(shifted).max(axis=1, initial=0.0)
    real = squares > in_class * (ROUNDING * reach[:, None]) ** 2
    return ClassMoments(in_class, center, shifts, np.where(real, squares, 0.0), reach)


def distances(features: Floats, means: Floats) -> Floats:
    """Distances of values from means; those that are equal but for rounding are equal.

    >>> near, far = distances(np.array([[0.1, 0.7]]), np.array([[0.4]]))[0].tolist()
    >>> near == far, abs(0.1 - 0.4) == abs(0.7 - 0.4)
    (True, False)
    """
    greatest = np.fmax.reduce(np.abs(features), axis=1, initial=0.0)
    _, exponent = np.frexp(ROUNDING * greatest)
    unit = np.ldexp(1.0, exponent)[:, None]
    return np.asarray(np.rint(np.abs(features - means) / unit) * unit)
