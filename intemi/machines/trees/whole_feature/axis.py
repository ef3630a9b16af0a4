"""The axis along which a feature is cut: numbers for its known rows, and the way back from cuts to a split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import of_symbols
from intemi.machines.trees.splits import DeviationSplit, Split, SymbolSplit, ThresholdSplit, cut
from intemi.machines.trees.statistics import ClassMoments, class_moments, crimcoord, tamed
from intemi.machines.trees.statistics.rounding import ROUNDING, merged


@dataclass(frozen=True)
class Axis:
    """Values of a numeric feature or scores of symbols, or their distances from the mean; of known rows only.

    The unit is a power of two, so that squares of extreme values can be computed.
    """

    data: NodeData
    ranked: RankedFeature
    numbers: Floats
    classes: Codes
    weights: Floats
    centre: float | None
    """What distances are measured from; None if it is the values that count."""
    scores: Floats | None
    """Of the symbols, if the feature is nominal."""
    exponent: int
    """Of the unit."""

    def moments(self, numbers: Floats) -> ClassMoments:
        """The moments of numbers of these rows in the classes."""
        return class_moments(numbers[None], self.classes, self.weights, self.data.class_count)

    @property
    def mean(self) -> float:
        """The mean of the numbers."""
        return kernels.rows.mean(self.numbers, self.weights)

    def drawn(self, cuts: Floats | Sequence[float]) -> Floats:
        """The cuts, of which those that are at a number but for rounding are at that number, which is then below it
        whatever the order of the rows. Scores have the mean 0, and often enough a symbol that scores 0."""
        return kernels.axis.drawn(np.asarray(cuts, dtype=np.float64), self.numbers)

    def split(self, cuts: Floats | Sequence[float]) -> Split | None:
        """The split at cuts between the numbers; None if they separate nothing."""
        cuts = np.asarray(cuts, dtype=np.float64)
        others: dict[str, Any] = {"quality": self.ranked.score}
        feature = self.ranked.feature
        if self.scores is not None:
            return SymbolSplit.of(self.data, feature, cut(_distances(self.scores, self.centre), cuts), **others)
        if self.exponent:
            with np.errstate(over="ignore"):
                cuts = np.unique(np.ldexp(cuts, self.exponent))  # of tiny numbers, several may become one
        if not np.isfinite(cuts).all():
            return None
        if self.centre is not None:
            return DeviationSplit.of(self.data, feature, math.ldexp(self.centre, self.exponent), cuts, **others)
        return ThresholdSplit.of(self.data, feature, cuts, **others)


def axis_of(data: NodeData, ranked: RankedFeature, deviations: bool) -> Axis | None:
    """The axis of a feature; with `deviations` distances from the mean are used if the selector says so.

    None if symbols say nothing about classes, or nothing is known.
    """
    feature = ranked.feature
    scores = None
    values = data.feature(feature)
    if data.columns[feature].is_nominal:
        scores = crimcoord(data.table(feature))
        if scores is None:
            return None
        values = of_symbols(data, feature, scores)
    numbers, classes, weights = kernels.axis.known_rows(values, data.classes, data.weights)
    if not len(numbers):
        return None
    [numbers], [exponent] = tamed(numbers[None])
    centre = kernels.rows.mean(numbers, weights) if deviations and ranked.use_deviation else None
    return Axis(data, ranked, _distances(numbers, centre), classes, weights, centre, scores, int(exponent))


def _distances(values: Floats, centre: float | None) -> Floats:
    """The distances from the centre, if there is one; those that are equal but for rounding are equal."""
    if centre is None:
        return values
    return merged(np.abs(values - centre), ROUNDING * float(np.nanmax(np.abs(values))))


def occupied(cuts: Floats, numbers: Floats) -> Floats:
    """Cuts such that there are numbers between them: cuts around an empty interval become one in its middle.

    >>> occupied(np.array([0.0, 2.0, 3.0, 9.0]), np.array([1.0, 5.0]))
    array([2.5])
    """
    return kernels.axis.occupied(cuts, numbers)
