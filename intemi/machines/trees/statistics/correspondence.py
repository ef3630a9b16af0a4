"""CrimCoord: numbers for categories such that classes are told apart best.

The direction that maximizes the scatter between classes, relative to all scatter of the indicators of categories, is
the first axis of the correspondence analysis of the table of categories by classes, which is much smaller.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels


def crimcoord(table: Floats) -> Floats | None:
    """A score for each category (row of the table), with mean 0 and variance 1; NaN for those that are not there.

    The score furthest from 0 is positive. Scores that are equal but for rounding are equal. None if categories say
    nothing about classes.

    >>> crimcoord(np.array([[4.0, 1, 0], [1, 3, 2], [1, 0, 3], [0, 0, 0]])).round(6)
    array([ 1.327589, -0.319188, -1.180704,       nan])
    """
    scores = kernels.correspondence.crimcoord(np.ascontiguousarray(table))
    return None if np.isnan(scores).all() else scores
