"""The most promising features in place of all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from intemi.kernel import parameter
from intemi.machines.trees.components import FeatureSelector, NodeTransformation, TransformedNode
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors import PermutationTest
from intemi.machines.trees.splits import LinearSplit, Split


class BestFeatures(NodeTransformation):
    """Features are selected in each node anew: those that a selector ranks first, at most `count`.

    Where it finds none worth splitting on, there is none, and growth ends.

    >>> from intemi.data import Column, Data, Table
    >>> features, target = [[1, 2, 1, 2], [5, 6, 8, 9], [1, 2, 2, 2]], Column("class", ("A", "B"))
    >>> node = NodeData.of(Data(Table([Column(name) for name in "xyz"], features, target, [0, 0, 1, 1])))
    >>> [column.name for column in BestFeatures(count=2).fit(node).data.columns]
    ['y', 'z']
    """

    selector: FeatureSelector = PermutationTest(alpha=1.0)
    count: int = parameter(default=10, at_least=1, search=(1, 2, 5, 10, 20))

    def fit(self, data: NodeData) -> TransformedNode:
        kept = sorted(each.feature for each in self.selector.rank(data)[: self.count])
        return _Chosen(data.with_columns(kept), tuple(kept))


@dataclass(frozen=True)
class _Chosen(TransformedNode):
    data: NodeData
    kept: tuple[int, ...]

    def original(self, split: Split) -> Split:
        feature = self.kept[split.feature]
        if isinstance(split, LinearSplit):
            return replace(split, feature=feature, features=np.array(self.kept, dtype=np.int32)[split.features])
        return replace(split, feature=feature)
