"""Select and split: a statistical test chooses the feature, then that feature is split."""

from __future__ import annotations

from intemi.kernel import parameter
from intemi.machines.trees.components import FeatureSelector, NodeSplitter, WholeFeatureSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors import SmallestP
from intemi.machines.trees.splits import Split
from intemi.machines.trees.whole_feature import QuadraticDiscriminants


class SelectAndSplit(NodeSplitter):
    """Split the feature that the selector ranks first; if that cannot be split, one of the next, at most `retry` times.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 7, 9, 11, 13], [0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = SelectAndSplit().best_splits(node, 1)
    >>> best.cuts.round(6).tolist()
    [4.782031]
    """

    selector: FeatureSelector = SmallestP()
    splitter: WholeFeatureSplitter = QuadraticDiscriminants()
    retry: int = parameter(default=2, at_least=0)

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        found: list[Split] = []
        failures = 0
        for ranked in self.selector.rank(data):
            split = self.splitter.split(data, ranked)
            if split is not None:
                found.append(split)
            else:
                failures += 1
            if len(found) == count or failures > self.retry:
                break
        return found
