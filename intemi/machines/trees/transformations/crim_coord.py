"""CrimCoord scores in place of symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import NodeTransformation
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import of_symbols
from intemi.machines.trees.splits import Split, SymbolSplit
from intemi.machines.trees.statistics import crimcoord
from intemi.machines.trees.transformations.column_wise import ColumnWise, others


class CrimCoord(NodeTransformation):
    """Nominal features become numeric: the scores that tell the classes of the node apart best.

    Symbols that say nothing about classes have none. A split of scores is one of sets of symbols.

    >>> from intemi.data import Data, Table
    >>> colour, target = Column("colour", ("red", "green", "blue")), Column("class", ("A", "B"))
    >>> node = CrimCoord().fit(NodeData.of(Data(Table([colour], [[0, 0, 1, 1, 2, 2]], target, [0, 0, 1, 1, 0, 1]))))
    >>> node.data.feature(0)[:4].round(6).tolist()
    [1.224745, 1.224745, -1.224745, -1.224745]
    """

    version = 2

    def fit(self, data: NodeData) -> ColumnWise:
        scores: dict[int, Floats] = {}
        columns, features = [], []
        for index, column in enumerate(data.columns):
            if column.is_nominal:
                found = crimcoord(data.table(index))
                scores[index] = np.full(len(column.categories or ()), np.nan) if found is None else found
                column = Column(column.name)
            columns.append(column)
            features.append(of_symbols(data, index, scores[index]) if index in scores else data.feature(index))
        return _Scored(data.with_features(columns, features), data, tuple(range(len(columns))), scores)


@dataclass(frozen=True)
class _Scored(ColumnWise):
    scores: dict[int, Floats]

    def _original(self, split: Split, origin: int) -> Split | None:
        made: dict[str, Any] = others(split)
        return SymbolSplit.of(self.untransformed, origin, split.branches(self.scores[origin]), **made)
