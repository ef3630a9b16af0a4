"""Where normal distributions of one feature in several classes meet: cuts between the regions of classes."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.statistics.rounding import SAME


def linear_intervals(means: Floats, variance: float, weights: Floats) -> tuple[Floats, Codes]:
    """Cuts between the intervals in which classes of one common variance are most likely, and whose intervals they are.

    The lines aᵢx + bᵢ with aᵢ = μᵢ/s² and bᵢ = ln pᵢ − μᵢ²/2s² have an upper envelope; a class below it has no
    interval. Without a variance, cuts are halfway between means. Classes of no weight take no part.

    >>> means, sizes = np.array([2.0, 5.0, 9.0]), np.array([3.0, 3.0, 9.0])
    >>> cuts, owners = linear_intervals(means, 1.0, sizes)
    >>> cuts.round(6), owners
    (array([3.5     , 6.725347]), array([0, 1, 2], dtype=int32))
    """
    cuts, owners = kernels.discriminants.linear_intervals(means, variance, weights)
    return cuts, owners


def cheapest_intervals(numbers: Floats, means: Floats, variance: float, weights: Floats, costs: Floats) -> Floats:
    """Cuts halfway between numbers at which different answers cost least; `costs[i, j]`: to answer i where j is right.

    What classes are likely is told by normal distributions of one common variance, which is not 0.

    >>> numbers, means = np.arange(12.0), np.array([2.0, 9.0])
    >>> cheapest_intervals(numbers, means, 4.0, np.array([5.0, 5.0]), np.array([[0.0, 1.0], [20.0, 0.0]]))
    array([7.5])
    """
    distinct, present = np.unique(numbers), weights > 0
    likely = np.log(weights[present]) - (distinct[:, None] - means[present]) ** 2 / (2 * variance)
    expected = np.exp(likely - likely.max(axis=1, keepdims=True)) @ costs[:, present].T
    answers = (expected <= expected.min(axis=1, keepdims=True) * (1 + SAME)).argmax(axis=1)
    borders = np.flatnonzero(np.diff(answers))
    return np.asarray((distinct[borders] + distinct[borders + 1]) / 2)


def quadratic_roots(
    means: tuple[float, float], variances: tuple[float, float], sizes: tuple[float, float]
) -> list[float]:
    """Where two normal densities, each times its class's size, are equal; nearest to the first mean first.

    >>> [round(root, 6) for root in quadratic_roots((2.5, 9.0), (5 / 3, 10.0), (4, 5))]
    [4.782031, -2.382031]
    >>> [round(root, 6) for root in quadratic_roots((2.0, 6.0), (1.0, 1.0), (3, 6))]
    [3.826713]
    """
    roots: list[float] = kernels.discriminants.quadratic_roots(*means, *variances, *sizes).tolist()
    return roots
