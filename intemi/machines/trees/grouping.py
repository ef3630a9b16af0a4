"""Class grouping: many classes become two superclasses, so that a node can be cut in two."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.trees.statistics.rounding import SAME

Flags = NDArray[np.bool_]


class ClassGrouping(Component):
    """A way to divide classes into two groups."""

    @abstractmethod
    def lower(self, means: Floats, weights: Floats) -> Flags:
        """Which classes form the first group, by their means of the feature to be cut and their weights.

        All classes are present; there are at least two, and neither group may be empty.
        """


class TwoMeans(ClassGrouping):
    """Two-means clustering of the class means, started from the two extreme ones (QUEST).

    The first group is that of the smallest mean. If all means are equal, it is the heaviest class alone.

    >>> TwoMeans().lower(np.array([2.0, 5.0, 9.0]), np.array([3.0, 3.0, 3.0])).tolist()
    [True, True, False]
    """

    version = 2

    def lower(self, means: Floats, weights: Floats) -> Flags:
        low, high = float(means.min()), float(means.max())
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            return np.asarray(np.arange(len(means)) == int(np.argmax(weights)))
        group = _nearer(means, low, high)
        while True:
            again = _nearer(means, float(means[group].mean()), float(means[~group].mean()))
            if (again == group).all():
                return group
            group = again


def _nearer(means: Floats, low: float, high: float) -> Flags:
    # One halfway between is nearer to the lower one, whatever rounding says.
    return np.asarray(means - low <= high - means + SAME * (high - low))
