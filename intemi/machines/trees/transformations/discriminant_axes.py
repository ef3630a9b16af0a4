"""Linear discriminants beside the features of a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import NodeTransformation, TransformedNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import LinearSplit, Split, ThresholdSplit
from intemi.machines.trees.transformations.column_wise import others
from intemi.machines.trees.transformations.principal_axes import between_values


class DiscriminantAxes(NodeTransformation):
    """The linear discriminant of each class is a feature more (LTree); original features stay.

    Classes that weigh more than there are numeric features count; of two such classes, one discriminant says all. A row
    that misses a value misses all discriminants, which are those of the other rows. To each variance within classes
    `ridge` times their mean is added.

    >>> from intemi.data import Data, Table
    >>> x, target = [[1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]], Column("class", ("A", "B"))
    >>> node = NodeData.of(Data(Table([Column("x"), Column("y")], x, target, [0, 0, 0, 1, 1, 1])))
    >>> [column.name for column in DiscriminantAxes().fit(node).data.columns]
    ['x', 'y', 'discriminant 1']
    """

    ridge: float = parameter(default=1e-6, above=0, search=(1e-6, 1e-3, 1e-1))

    def fit(self, data: NodeData) -> TransformedNode:
        numeric = np.array([i for i, column in enumerate(data.columns) if not column.is_nominal], dtype=np.int32)
        values = data.features[numeric]
        complete = ~np.isnan(values).any(axis=0)
        large = np.flatnonzero(data.class_weights > len(numeric)).astype(np.int32)
        if len(numeric) < 2 or len(large) < 2 or not complete.any():
            return _WithAxes(data, data, numeric, np.empty((0, len(numeric))))
        axes = self._axes(values[:, complete], data.classes[complete], data.weights[complete], large)
        new = [Column(f"discriminant {number + 1}") for number in range(len(axes))]
        made = np.concatenate([data.features, axes @ values])
        return _WithAxes(data.with_features([*data.columns, *new], made), data, numeric, axes)

    def _axes(self, values: Floats, classes: Codes, weights: Floats, large: Codes) -> Floats:
        """Coefficients of the features, a row for each discriminant; features are scaled before, so units are alike."""
        scale = np.maximum(np.abs(values).max(axis=1), np.finfo(np.float64).tiny)[:, None]
        scaled = values / scale
        center = np.average(scaled, axis=1, weights=weights)
        means, within = np.zeros((len(large), len(values))), np.zeros((len(values), len(values)))
        for number, label in enumerate(large.tolist()):
            inside = classes == label
            if inside.any():
                mean = np.average(scaled[:, inside], axis=1, weights=weights[inside])
                differences = scaled[:, inside] - mean[:, None]
                within += (differences * weights[inside]) @ differences.T
                means[number] = mean - center
        within[np.diag_indices_from(within)] += self.ridge * max(np.trace(within) / len(values), 1e-12)
        directions = np.linalg.solve(within, means.T).T
        if len(large) == 2:
            directions = directions[:1] - directions[1:]
        return np.asarray(directions / np.abs(directions).max(axis=1, keepdims=True).clip(1e-300) / scale.T)


@dataclass(frozen=True)
class _WithAxes(TransformedNode):
    data: NodeData
    untransformed: NodeData
    numeric: Codes
    axes: Floats

    def original(self, split: Split) -> Split | None:
        if isinstance(split, LinearSplit):
            return None
        first = len(self.untransformed.columns)
        if split.feature < first:
            return split
        if not isinstance(split, ThresholdSplit):
            return None  # a distance from a centre is no cut of a sum
        made: dict[str, Any] = others(split)
        cuts = between_values(split.cuts, self.data.feature(split.feature))
        return LinearSplit.of(self.untransformed, self.numeric, self.axes[split.feature - first], cuts, **made)
