"""How alike the errors of classifiers are: committees gain from errors that differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from intemi.machines.interfaces import Codes


def error_correlation(answers: Sequence[Codes], classes: Codes) -> float:
    """The share of rows on which two classifiers agree, of those that at least one gets wrong; mean over all pairs.

    Pairs that get everything right are left out; NaN if there is no other.

    >>> classes = np.array([0, 0, 1, 1, 2, 2])
    >>> answers = np.array([[0, 1, 1, 0, 2, 2], [0, 1, 1, 2, 2, 1], [1, 0, 1, 0, 2, 2]])
    >>> round(error_correlation(answers, classes), 6)
    0.222222
    """
    found = []
    for one, other in combinations(answers, 2):
        wrong = (one != classes) | (other != classes)
        if wrong.any():
            found.append(float((one == other)[wrong].mean()))
    return float(np.mean(found)) if found else float("nan")
