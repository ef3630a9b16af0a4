"""Powers of numbers in place of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.machines.trees.components import NodeTransformation
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split, ThresholdSplit
from intemi.machines.trees.statistics import BoxCox, fit_box_cox
from intemi.machines.trees.transformations.column_wise import ColumnWise, others


class Powers(NodeTransformation):
    """Numeric features are transformed after Box and Cox, so that they are more alike to normal within classes.

    A cut of a power is one of the feature itself.

    >>> from intemi.data import Data, Table
    >>> x, target = [1, 2, 4, 8, 16, 32], Column("class", ("A", "B"))
    >>> node = NodeData.of(Data(Table([Column("x")], [x], target, [0, 0, 0, 1, 1, 1])))
    >>> (Powers().fit(node).data.feature(0) / np.log(2)).round(4).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    """

    version = 2

    always_shift: bool = False

    def fit(self, data: NodeData) -> ColumnWise:
        changes: dict[int, BoxCox] = {}
        columns, features = [], []
        for index, column in enumerate(data.columns):
            values = data.feature(index)
            known = ~np.isnan(values)
            if not column.is_nominal and known.any():
                change = fit_box_cox(values[known], data.classes[known], data.weights[known], self.always_shift)
                if change is not None:
                    changes[index] = change
                    column, values = Column(f"power of {column.name}"), change(values)
            columns.append(column)
            features.append(values)
        return _Powered(data.with_features(columns, features), data, tuple(range(len(columns))), changes)


@dataclass(frozen=True)
class _Powered(ColumnWise):
    changes: dict[int, BoxCox]

    def _original(self, split: Split, origin: int) -> Split | None:
        if not isinstance(split, ThresholdSplit):
            return None  # a distance from a centre of powers is none of values
        cuts = self.changes[origin].inverse(split.cuts)
        if np.isnan(cuts).any():
            return None
        made: dict[str, Any] = others(split)
        return ThresholdSplit.of(self.untransformed, origin, cuts, **made)
