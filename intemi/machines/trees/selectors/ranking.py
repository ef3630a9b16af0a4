"""What selectors share: numbers for all features of a node that vary, and the order of ranked features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.statistics import ClassMoments, class_moments, crimcoord, tamed


def as_numbers(data: NodeData) -> tuple[list[int], Floats]:
    """The features that vary, with their values; of nominal ones the CrimCoord scores, if they have any."""
    numeric, nominal, *_ = data.varying
    scores = {index: crimcoord(data.table(index)) for index in nominal}
    chosen = sorted([*numeric, *(index for index in nominal if scores[index] is not None)])
    rows = [data.feature(index) if index in numeric else of_symbols(data, index, scores[index]) for index in chosen]
    return chosen, tamed(np.stack(rows))[0] if rows else np.empty((0, len(data)))


def moments_of(data: NodeData, numbers: Floats) -> ClassMoments:
    """The moments of numbers of all rows in the classes."""
    return class_moments(numbers, data.classes, data.weights, data.class_count)


def of_symbols(data: NodeData, feature: int, scores: Floats | None) -> Floats:
    """The scores of the symbols of the rows; NaN where the symbol is missing."""
    assert scores is not None
    symbols = data.feature(feature)
    known = ~np.isnan(symbols)
    numbers = np.full(len(symbols), np.nan)
    numbers[known] = scores[symbols[known].astype(np.intp)]
    return numbers


def best_first(
    features: Sequence[int], scores: Floats, ties: Floats | None = None, use_deviation: bool = False
) -> list[RankedFeature]:
    """Features by falling scores; where these are equal but for rounding by falling `ties`, then by index.

    >>> [each.feature for each in best_first([3, 5, 7], np.array([1.0, 2.0, 1.0 + 1e-15]))]
    [5, 3, 7]
    """
    second = np.zeros(len(features)) if ties is None else ties
    order = sorted(
        range(len(features)), key=lambda at: (-rounded(float(scores[at])), -rounded(float(second[at])), features[at])
    )
    return [RankedFeature(features[at], float(scores[at]), use_deviation) for at in order]


def rounded(number: float) -> float:
    """A number of twelve digits: equal numbers are equal in spite of rounding errors."""
    return float(f"{number:.11e}")
