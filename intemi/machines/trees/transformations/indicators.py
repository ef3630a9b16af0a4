"""Indicators in place of symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.machines.trees.components import NodeTransformation
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split, SymbolSplit
from intemi.machines.trees.transformations.column_wise import ColumnWise, others


class Indicators(NodeTransformation):
    """A nominal feature becomes a numeric one, 0 or 1, for each symbol in the node.

    A split of an indicator is one of a symbol against the others.

    >>> from intemi.data import Data, Table
    >>> colour, target = Column("colour", ("red", "green", "blue")), Column("class", ("A", "B"))
    >>> node = Indicators().fit(NodeData.of(Data(Table([colour], [[0, 2, 2]], target, [0, 1, 1]))))
    >>> [column.name for column in node.data.columns], node.data.features.tolist()
    (['colour=red', 'colour=blue'], [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    """

    def fit(self, data: NodeData) -> ColumnWise:
        columns, features, origins, symbols = [], [], [], []
        for index, column in enumerate(data.columns):
            values = data.feature(index)
            if column.categories is None:
                columns.append(column)
                features.append(values)
                origins.append(index)
                symbols.append(-1)
                continue
            for symbol in np.flatnonzero(data.table(index).sum(axis=1) > 0):
                columns.append(Column(f"{column.name}={column.categories[symbol]}"))
                features.append(np.where(np.isnan(values), np.nan, values == symbol))
                origins.append(index)
                symbols.append(int(symbol))
        features_array = np.array(features).reshape(len(columns), len(data))
        return _Indicated(data.with_features(columns, features_array), data, tuple(origins), tuple(symbols))


@dataclass(frozen=True)
class _Indicated(ColumnWise):
    symbols: tuple[int, ...]
    """The symbol of each new feature, -1 of numeric ones."""

    def _original(self, split: Split, origin: int) -> Split | None:
        present = self.untransformed.table(origin).sum(axis=1) > 0
        indicator = (np.arange(len(present)) == self.symbols[split.feature]).astype(np.float64)
        made: dict[str, Any] = others(split)
        branches = np.where(present, split.branches(indicator), -1)
        return SymbolSplit.of(self.untransformed, origin, branches, **made)
