"""The tables that CRUISE 2D tests: of single features and of pairs, by class, as normal deviates.

Classes may be given several times over (resampled ones): all tests are then made for each of them.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.statistics import normal_deviates, pearson_of_each


def weighted_quantiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    """Quantiles with linear interpolation between the values, each repeated as often as its weight says.

    >>> weighted_quantiles(np.array([1.0, 2, 3, 4, 5, 6, 7, 9, 11]), np.ones(9), np.array([0.25, 0.5, 0.75]))
    array([3., 5., 7.])
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = shares * max(reached[-1] - 1, 0.0)
    below = np.floor(places)
    last = len(values) - 1
    lower = values[order[np.minimum(np.searchsorted(reached, below, side="right"), last)]]
    upper = values[order[np.minimum(np.searchsorted(reached, below + 1, side="right"), last)]]
    share = places - below
    return np.asarray(np.where(lower == upper, lower, lower * (1 - share) + upper * share))


def intervals_of(data: NodeData, feature: int, parts: int) -> Codes:
    """In which of `parts` equally heavy intervals of a numeric feature each row is; -1 where it is missing."""
    values = data.feature(feature)
    known = ~np.isnan(values)
    bounds = weighted_quantiles(values[known], data.weights[known], np.arange(1, parts) / parts)
    return np.where(known, np.searchsorted(bounds, values, side="left"), -1).astype(np.int32)


def symbols_of(data: NodeData, feature: int) -> Codes:
    """The symbol of each row; -1 where it is missing."""
    values = data.feature(feature)
    return np.where(np.isnan(values), -1, values).astype(np.int32)


def deviates(parts: Codes, targets: Floats) -> Floats:
    """The normal deviates of the tables of parts (-1 is in none) by class; targets: weights (rows, times, classes)."""
    known = np.flatnonzero(parts >= 0)
    if not len(known):
        return np.full(targets.shape[1], -np.inf)
    order = known[np.argsort(parts[known], kind="stable")]
    starts = np.flatnonzero(np.diff(parts[order], prepend=-1))
    tables = np.add.reduceat(targets[order], starts, axis=0)
    return deviates_of_tables(np.moveaxis(tables, 1, 0))


def deviates_of_tables(tables: Floats) -> Floats:
    """The normal deviates of many tables, whose parts and classes are the last two axes.

    >>> deviates_of_tables(np.array([[[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]])).round(6)
    array([0.983539])
    """
    return normal_deviates(*pearson_of_each(tables))
