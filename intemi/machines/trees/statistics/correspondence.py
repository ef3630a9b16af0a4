"""CrimCoord: numbers for categories such that classes are told apart best.

The direction that maximizes the scatter between classes, relative to all scatter of the indicators of categories, is
the first axis of the correspondence analysis of the table of categories by classes, which is much smaller.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.statistics.rounding import SAME, merged


def crimcoord(table: Floats) -> Floats | None:
    """A score for each category (row of the table), with mean 0 and variance 1; NaN for those that are not there.

    The score furthest from 0 is positive. Scores that are equal but for rounding are equal. None if categories say
    nothing about classes.

    >>> crimcoord(np.array([[4.0, 1, 0], [1, 3, 2], [1, 0, 3], [0, 0, 0]])).round(6)
    array([ 1.327589, -0.319188, -1.180704,       nan])
    """
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    found = table[np.ix_(rows, columns)]
    if min(found.shape) < 2:
        return None
    found = found / found.sum()
    of_rows, of_columns = found.sum(axis=1), found.sum(axis=0)
    scaled = (found - np.outer(of_rows, of_columns)) / np.sqrt(np.outer(of_rows, of_columns))
    axes, lengths, _ = np.linalg.svd(scaled, full_matrices=False)
    if lengths[0] < 1e-10:
        return None
    # Several axes may be as long; of all directions between them that one is taken in which a category scores highest,
    # the first of those that do, but for rounding. With one axis, this says which way it points.
    longest = axes[:, lengths >= lengths[0] * (1 - 1e-9)]
    reached = np.linalg.norm(longest, axis=1) / np.sqrt(of_rows)
    first = int(np.argmax(reached >= reached.max() * (1 - 1e-9)))
    direction = longest @ longest[first] / np.linalg.norm(longest[first])
    scores = np.full(len(table), np.nan)
    scores[rows] = merged(direction / np.sqrt(of_rows), SAME * float(reached[first]))
    return scores
