"""Class grouping: many classes become two superclasses, so that a node can be cut in two."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels

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
        return kernels.axis.two_means(means, weights).view(np.bool_)
