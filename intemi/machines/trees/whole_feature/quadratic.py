"""QUEST's cut: where the normal distributions of two superclasses, each of its own variance, meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.grouping import ClassGrouping, TwoMeans
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split
from intemi.machines.trees.statistics import quadratic_roots
from intemi.machines.trees.statistics.rounding import SAME, merged
from intemi.machines.trees.whole_feature.axis import Axis, axis_of


class QuadraticDiscriminants(WholeFeatureSplitter):
    """Cut in two at the first root of the quadratic discriminant that leaves `min_branch` on both sides.

    Roots nearer to the mean of the first superclass come first; where no root will do, the middle between both means
    follows, then the mean of the feature. Symbols are scored by CrimCoord.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 9, 11], [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B", "C")), y)))
    >>> QuadraticDiscriminants().split(node, RankedFeature(0, 18.5)).cuts.round(6).tolist()
    [6.671994]
    """

    version = 3

    grouping: ClassGrouping = TwoMeans()
    min_branch: float = parameter(default=1.0, at_least=0, search=(1.0, 2.0, 5.0, 10.0, 20.0))

    def split(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        axis = axis_of(data, ranked, deviations=False)
        if axis is None:
            return None
        sides = self._superclasses(axis)
        if sides is None:
            return None
        middle = (sides[0].mean + sides[1].mean) / 2
        candidates = axis.drawn([*_cuts(*sides), middle, axis.mean])
        least = max(self.min_branch - 1e-9, 1e-9)
        first = kernels.axis.first_legal(candidates, axis.numbers, axis.weights, least)
        return None if first < 0 else axis.split(candidates[first : first + 1])

    def settings(self) -> dict[str, float] | None:
        if type(self.grouping) is not TwoMeans:
            return None
        return {"CUTTER": kernels.splitting.QUADRATIC, "LEAST_BRANCH": self.min_branch}

    def _superclasses(self, axis: Axis) -> tuple[_Superclass, _Superclass] | None:
        moments_of, numbers = kernels.moments.moments_of_one, axis.numbers[None]
        weights, means, _, reach = moments_of(numbers, axis.classes, axis.weights, axis.data.class_count)
        present = weights.nonzero()[0]
        if len(present) < 2:
            return None
        is_second = np.ones(len(weights), dtype=np.int32)
        is_second[present[self.grouping.lower(merged(means[present], SAME * reach), weights[present])]] = 0
        second = is_second[axis.classes]
        weights, means, squares, _ = moments_of(numbers, second, axis.weights, 2)
        of_both = zip((second == 0, second == 1), weights.tolist(), means.tolist(), squares.tolist(), strict=True)
        first, other = (_Superclass.of(axis.numbers[those], *moments) for those, *moments in of_both)
        return first, other


@dataclass(frozen=True)
class _Superclass:
    numbers: Floats
    weight: float
    mean: float
    variance: float

    @classmethod
    def of(cls, numbers: Floats, weight: float, mean: float, squares: float) -> _Superclass:
        """With the variance that is undefined for one row taken as 0."""
        return cls(numbers, weight, mean, squares / (weight - 1) if weight > 1 else 0.0)


def _cuts(first: _Superclass, second: _Superclass) -> list[float]:
    """Cuts between two superclasses, the best one first."""
    if first.variance > 0 and second.variance > 0:
        return quadratic_roots(
            (first.mean, second.mean), (first.variance, second.variance), (first.weight, second.weight)
        )
    if first.variance == second.variance:
        return []
    constant, other = (first, second) if first.variance == 0 else (second, first)
    value = float(constant.numbers[0])
    above, below = other.numbers[other.numbers > value], other.numbers[other.numbers < value]
    cuts = [(value + float(above.min())) / 2] if len(above) else []
    cuts += [(value + float(below.max())) / 2] if len(below) else []
    return cuts if other.mean >= value else cuts[::-1]
