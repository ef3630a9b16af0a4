"""What selectors share: numbers for all features of a node that vary, and the order of ranked features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.statistics import ClassMoments, class_moments, tamed


def as_numbers(data: NodeData) -> tuple[list[int], Floats]:
    """The features that vary, with their values; of nominal ones the CrimCoord scores, if they have any."""
    varying = data.varying
    numeric, nominal = (np.array(each, dtype=np.int32) for each in (varying.numeric, varying.nominal))
    chosen, numbers = kernels.correspondence.numbers_of(
        data.features, data.symbols, numeric, nominal, varying.tables, varying.starts
    )
    return chosen.tolist(), tamed(numbers)[0]


def moments_of(data: NodeData, numbers: Floats) -> ClassMoments:
    """The moments of numbers of all rows in the classes."""
    return class_moments(numbers, data.classes, data.weights, data.class_count)


def of_symbols(data: NodeData, feature: int, scores: Floats) -> Floats:
    """The scores of the symbols of the rows; NaN where the symbol is missing."""
    symbols = data.feature(feature)
    return np.where(np.isnan(symbols), np.nan, scores[np.nan_to_num(symbols).astype(np.intp)])


def best_first(
    features: Sequence[int], scores: Floats, ties: Floats | None = None, use_deviation: bool = False
) -> list[RankedFeature]:
    """Features by falling scores; where these are equal but for rounding by falling `ties`, then by index.

    >>> [each.feature for each in best_first([3, 5, 7], np.array([1.0, 2.0, 1.0 + 1e-15]))]
    [5, 3, 7]
    """
    values = scores.tolist()
    second = [0.0] * len(values) if ties is None else ties.tolist()
    keys = [(-rounded(one), -rounded(two), each) for one, two, each in zip(values, second, features, strict=True)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [RankedFeature(features[at], values[at], use_deviation) for at in order]


def rounded(number: float) -> float:
    """A number of twelve digits: equal numbers are equal in spite of rounding errors."""
    return float(f"{number:.11e}")
