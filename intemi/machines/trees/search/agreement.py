"""How alike two divisions of the same rows are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes


def adjusted_rand_index(one: Codes, other: Codes) -> float:
    """The share of pairs of rows on which two divisions agree, so adjusted that chance is 0 and equality 1.

    Each is given by the number of the part of each row.

    >>> one, other = np.array([1, 1, 2, 2, 5, 5]), np.array([0, 0, 0, 1, 1, 1])
    >>> round(adjusted_rand_index(one, other), 6), adjusted_rand_index(one, -one)
    (0.242424, 1.0)
    """
    (parts, part), (others, its) = (np.unique(each, return_inverse=True) for each in (one, other))
    table = np.bincount(part * len(others) + its, minlength=len(parts) * len(others)).reshape(len(parts), len(others))
    together, in_one, in_other = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    expected = in_one * in_other / max(_pairs(np.array([len(one)])), 1.0)
    most = (in_one + in_other) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)


def _pairs(counts: NDArray[Any]) -> float:
    """The pairs that can be drawn from groups of such sizes."""
    return float((counts * (counts - 1.0)).sum()) / 2
