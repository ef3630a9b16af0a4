"""Numbers that are equal but for rounding: what is decided must not depend on the order in which they were added up."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.kernels.precision import ROUNDING, SAME

__all__ = ["ROUNDING", "SAME", "largest_values", "merged"]


def largest_values(values: Floats, cuts: Floats) -> Floats:
    """For each cut the largest of the values that is not above it, but for rounding; NaN is no value.

    The middle of 0.67 and 0.69 is 0.6799999999999999: the value 0.68 is not above it. A value that exceeds a cut by
    rounding is taken only if the one below is much farther away, so that it never is the value on the other side.

    >>> largest_values(np.array([0.67, 0.68, 0.69]), np.array([0.67 + (0.69 - 0.67) / 2, 0.675])).tolist()
    [0.68, 0.67]
    """
    ordered = np.unique(values[~np.isnan(values)])
    after = np.searchsorted(ordered, cuts, side="right")
    below, above = ordered[after - 1], ordered[np.minimum(after, len(ordered) - 1)]
    slack = 4 * np.spacing(np.abs(ordered[[0, -1]]).max())
    is_above = (above - cuts <= slack) & (cuts - below > 4 * slack)
    return np.where(is_above, above, below)


def merged(values: Floats, tolerance: float) -> Floats:
    """The values, of which those that differ by no more than the tolerance from the next one become the greatest.

    A cut at the greatest has all of them below it. NaN stays as it is.

    >>> merged(np.array([0.1 + 0.2, 0.3, 5.0]), 1e-12).tolist()
    [0.30000000000000004, 0.30000000000000004, 5.0]
    """
    return kernels.axis.merged(values, tolerance)
