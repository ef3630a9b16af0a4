"""Relative improvement: by which share the errors of one method are fewer than those of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.analysis.errors import InvalidComparison


def relative_improvement(errors: Sequence[float], others: Sequence[float]) -> float:
    """1 minus the geometric mean of the ratios of errors, of pairs such as data sets; above 0, the first are fewer.

    An arithmetic mean would let a method win that loses: a ratio of 2 weighs more than one of 1/2. All errors must be
    above 0; where some are not, half a case may be added to both of the pair.

    >>> round(relative_improvement((0.10, 0.05, 0.20), (0.12, 0.04, 0.25)), 6)
    0.058964
    """
    first, second = np.asarray(errors, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise InvalidComparison(
            f"relative_improvement: as many errors of one as of the other are needed, got {first.shape}, {second.shape}"
        )
    if not ((first > 0) & (second > 0)).all():
        raise InvalidComparison("relative_improvement: errors must be above 0, for ratios; got some that are not")
    return float(1 - np.exp(np.log(first / second).mean()))
