"""Intervals in place of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.machines.interfaces import Floats
from intemi.machines.transformations.discretization import (
    DiscretizationStrategy,
    EqualFrequency,
    interval_names,
    intervals,
)
from intemi.machines.trees.components import NodeTransformation
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.transformations.column_wise import ColumnWise, others


class Discretize(NodeTransformation):
    """Numeric features become nominal ones, whose symbols are the intervals that a strategy finds in the node.

    A split of intervals is one at thresholds. That needs branches of neighbouring intervals: others are not made.

    >>> from intemi.data import Data, Table
    >>> node = NodeData.of(Data(Table([Column("x")], [[1, 2, 3, 9]], Column("class", ("A", "B")), [0, 0, 1, 1])))
    >>> Discretize(EqualFrequency(bins=2)).fit(node).data.columns[0].categories
    ('below 2.5', '2.5 and above')
    """

    strategy: DiscretizationStrategy = EqualFrequency(bins=4)

    def fit(self, data: NodeData) -> ColumnWise:
        thresholds: dict[int, Floats] = {}
        columns, features = [], []
        for index, column in enumerate(data.columns):
            values = data.feature(index)
            if not column.is_nominal:
                known = ~np.isnan(values)
                found = np.empty(0)
                if known.any():
                    found = self.strategy.thresholds(values[known], data.weights[known], data.classes[known])
                thresholds[index] = found
                column, values = Column(column.name, interval_names(found)), intervals(values, found)
            columns.append(column)
            features.append(values)
        return _Intervals(data.with_features(columns, features), data, tuple(range(len(columns))), thresholds)


@dataclass(frozen=True)
class _Intervals(ColumnWise):
    thresholds: dict[int, Floats]

    def _original(self, split: Split, origin: int) -> Split | None:
        assert isinstance(split, SymbolSplit)
        seen = np.flatnonzero(split.branch_of_symbol >= 0)
        branches = split.branch_of_symbol[seen]
        borders = np.flatnonzero(np.diff(branches))
        if len(borders) != split.branch_count - 1:
            return None
        # A value at a threshold is in the upper interval, a value at a cut below it.
        cuts = np.nextafter(self.thresholds[origin][seen[borders + 1] - 1], -np.inf)
        made: dict[str, Any] = others(split)
        if made["closed"] is not None:
            made["closed"] = tuple(made["closed"][branches[place]] for place in (0, *(borders + 1)))
        return ThresholdSplit.of(self.untransformed, origin, cuts, **made)
