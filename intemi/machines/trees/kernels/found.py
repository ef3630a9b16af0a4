"""What is found of the features of a node, and which of two splits is the better one."""

from __future__ import annotations

import numpy as np

from intemi.machines.trees.kernels.compiling import helper, inlined

QUALITY, TIES, GAIN, POSITION, LEGAL = 0, 1, 2, 3, 4
"""Columns of what is found: quality, tie-breaker, gain, where the cut is (position of a cell, or bin) or how many
branches there are, and how many cuts are legal. Gain and quality differ in C4.5's choice only, which looks at both."""
NOWHERE, CONSTANT = -1, -2
"""Instead of a position: no cut is legal; there is nothing to cut, here and in all nodes below."""
TIE = 1
"""Where in its context a measure may write what decides between equal qualities."""
SLACK = 1e-9
"""Sums of fractional weights that miss a bound by less than this reach it."""


@inlined
def rounded(quality: float) -> float:
    """A number that is equal for what is equal when it is rounded to 12 decimals."""
    return float(np.rint(quality * 1e12))


@helper
def is_better(quality: float, tie: float, best: float, best_tie: float) -> bool:
    """Whether one candidate is better than another; what differs by less than rounding does not."""
    margin = 1e-12 * max(1.0, abs(best)) if best > -np.inf else 0.0
    if quality > best + margin:
        return True
    return quality >= best - margin and tie > best_tie + 1e-12 * max(1.0, abs(best_tie))
