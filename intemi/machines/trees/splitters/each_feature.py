"""Exhaustive search feature by feature: what the features have to offer is compared by quality alone."""

from __future__ import annotations

from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach


class EachFeature(NodeSplitter):
    """Search each feature by itself, and take the split of the best quality.

    That makes a difference to measures that compare features in a way of their own: this is C4.5 without the rule that
    only features of at least average gain count.

    >>> from intemi.data import Column, Data, Table
    >>> columns, y = [Column("many", tuple("abcd")), Column("rare", tuple("ef"))], [0, 0, 0, 1] * 2 + [1, 1, 1, 0] * 2
    >>> values = [[0] * 4 + [1] * 4 + [2] * 4 + [3] * 4, [0] + [1] * 15]
    >>> node = NodeData.of(Data(Table(columns, values, Column("class", ("A", "B")), y)))
    >>> search = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=BranchForEach())
    >>> [splitter.best_splits(node, 1)[0].feature for splitter in (search, EachFeature(search))]
    [0, 1]
    """

    splitter: ExhaustiveSearch = ExhaustiveSearch(quality=FilteredGainRatio(), nominal=BranchForEach())

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        features = range(len(data.columns))
        found = [split for feature in features for split in self.splitter.best_splits_of(data, feature, 1)]
        return sorted(found, key=lambda split: (-round(split.quality, 12), split.feature))[:count]
