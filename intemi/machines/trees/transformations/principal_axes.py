"""Principal axes in place of numeric features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import NodeTransformation, TransformedNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import LinearSplit, Split, ThresholdSplit
from intemi.machines.trees.statistics.rounding import ROUNDING
from intemi.machines.trees.transformations.column_wise import others


class PrincipalAxes(NodeTransformation):
    """Numeric features become their coordinates along the principal axes of their correlations; nominal ones follow.

    Kept are axes whose variance is more than `share` of the greatest one. A row that misses a value misses all
    coordinates; the axes are those of the other rows. A cut of a coordinate is one of a sum of features, never at the
    sum of a row of the node, since rounding would say on which side that is, but halfway to the next one.

    >>> from intemi.data import Data, Table
    >>> x, target = [[1, 2, 3, 4], [10, 20, 30, 40]], Column("class", ("A", "B"))
    >>> node = NodeData.of(Data(Table([Column("x"), Column("y")], x, target, [0, 0, 1, 1])))
    >>> PrincipalAxes().fit(node).data.columns
    (Column(name='axis 1', categories=None),)
    """

    version = 3

    share: float = parameter(default=0.05, at_least=0, below=1, search=(0.0, 0.01, 0.05, 0.1))

    def fit(self, data: NodeData) -> TransformedNode:
        numeric = [index for index, column in enumerate(data.columns) if not column.is_nominal]
        features = data.features[numeric]
        axes = self._axes(features, data.weights)
        nominal = [index for index, column in enumerate(data.columns) if column.is_nominal]
        columns = [*(Column(f"axis {index + 1}") for index in range(len(axes))), *(data.columns[i] for i in nominal)]
        values = [*(axes @ features), *(data.feature(index) for index in nominal)]
        new = data.with_features(columns, np.array(values).reshape(len(columns), len(data)))
        return _Turned(new, data, np.array(numeric, dtype=np.int32), axes, tuple(nominal))

    def _axes(self, features: Floats, weights: Floats) -> Floats:
        """Coefficients of the original features, a row for each axis; of constant and of extreme features 0."""
        complete = ~np.isnan(features).any(axis=0)
        if not complete.any():
            return np.empty((0, len(features)))
        greatest = np.fmax.reduce(np.abs(features), axis=1)
        ordinary = (greatest < 1e100) & (greatest > 1e-100)
        known = np.where(ordinary[:, None], features[:, complete], 0.0)
        centered = known - np.average(known, axis=1, weights=weights[complete])[:, None]
        deviations = np.sqrt(np.average(centered**2, axis=1, weights=weights[complete]))
        varies = deviations > ROUNDING * np.abs(known).max(axis=1)
        scale = np.where(varies, deviations, 1.0)
        scaled = np.where(varies[:, None], centered / scale[:, None], 0.0) * np.sqrt(weights[complete])
        directions, lengths, _ = np.linalg.svd(scaled, full_matrices=False)
        kept = lengths**2 > self.share * (lengths**2).max(initial=0.0)
        return np.where(varies, _signed(directions.T[kept]) / scale, 0.0)


def _signed(directions: Floats) -> Floats:
    """Directions whose greatest coefficient is positive."""
    greatest = np.abs(directions).argmax(axis=1) if directions.size else np.empty(0, dtype=np.intp)
    signs = np.where(directions[np.arange(len(directions)), greatest] < 0, -1.0, 1.0)
    return np.asarray(directions * signs[:, None])


@dataclass(frozen=True)
class _Turned(TransformedNode):
    data: NodeData
    untransformed: NodeData
    numeric: np.ndarray[Any, np.dtype[np.int32]]
    axes: Floats
    nominal: tuple[int, ...]

    def original(self, split: Split) -> Split | None:
        if isinstance(split, LinearSplit):
            return None
        if split.feature >= len(self.axes):
            return replace(split, feature=self.nominal[split.feature - len(self.axes)])
        if not isinstance(split, ThresholdSplit):
            return None  # a distance from a centre is no cut of a sum
        made: dict[str, Any] = others(split)
        cuts = between_values(split.cuts, self.data.feature(split.feature))
        return LinearSplit.of(self.untransformed, self.numeric, self.axes[split.feature], cuts, **made)


def between_values(cuts: Floats, values: Floats) -> Floats:
    """Cuts that are values, moved halfway to the next value above; the others as they are."""
    known = np.unique(values[~np.isnan(values)])
    above = known[np.minimum(np.searchsorted(known, cuts, side="right"), len(known) - 1)]
    return np.where(np.isin(cuts, known), cuts + (above - cuts) / 2, cuts)
