"""Weights, means and squares of numeric features within classes: all that analyses of variance need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels


class ClassMoments(NamedTuple):
    """Of each feature (row) in each class (column); what is missing in a feature takes no part in it."""

    weights: Floats
    shifts: Floats
    """The means of classes, less the center; 0 where a class is not present."""
    squares: Floats
    """The sums of squared distances from the mean of the class; 0 if they are nothing but rounding errors."""
    center: Floats
    """Of each feature, close to its mean. Means are kept relative to it: far from 0 they would lose their digits."""
    reach: Floats
    """Of each feature the greatest distance of a value from the center."""
    total: Floats
    """The weight of the known values of each feature."""
    present: Floats
    """How many classes each feature is known of."""
    mean: Floats
    """The mean of each feature."""
    between: Floats
    """The squares between classes, SSB; 0 if they are nothing but rounding errors of equal means."""
    within: Floats
    """The squares within classes, SSW."""

    @property
    def means(self) -> Floats:
        """The means of classes; the center where a class is not present."""
        return self.center[:, None] + self.shifts


def class_moments(features: Floats, classes: Codes, weights: Floats, count: int) -> ClassMoments:
    """The moments of features (a row each, NaN where missing) in `count` classes.

    >>> moments = class_moments(np.array([[1.0, 2, 3, 9]]), np.array([0, 0, 1, 1], np.int32), np.ones(4), 2)
    >>> moments.means, moments.within
    (array([[1.5, 6. ]]), array([18.5]))
    """
    moments = kernels.moments.class_moments(np.ascontiguousarray(features), classes, weights, count)
    return ClassMoments(*moments[0], *moments[1])


def distances(features: Floats, means: Floats, which: Codes | None = None) -> Floats:
    """Distances of values from means; those that are equal but for rounding are equal.

    A feature has one mean, or several, of which `which` says the one for each row.

    >>> near, far = distances(np.array([[0.1, 0.7]]), np.array([[0.4]]))[0].tolist()
    >>> near == far, abs(0.1 - 0.4) == abs(0.7 - 0.4)
    (True, False)
    """
    if which is None:
        which = np.zeros(features.shape[1], dtype=np.int32)
    return kernels.moments.distances(np.ascontiguousarray(features), means, which)
