"""Splits of another splitter, without those that may well have come about by chance."""

from __future__ import annotations

import math

from intemi.kernel import parameter
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach
from intemi.machines.trees.statistics.contingency import pearson, without_empty
from intemi.machines.trees.statistics.tails import log_p_chi_squared


class SignificantSplits(NodeSplitter):
    """Of the best splits of all features those on whose branches the classes depend, by a χ² test at level `alpha`.

    ID3 leaves out features in this way. A best split that is not significant makes room for another one, which is.

    >>> from intemi.data import Column, Data, Table
    >>> columns = [Column("often", tuple("abcdef")), Column("once", tuple("gh"))]
    >>> values, y = [[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1]], [0, 0, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table(columns, values, Column("class", ("A", "B")), y)))
    >>> [split.feature for split in SignificantSplits(alpha=0.05).best_splits(node, 1)]
    [1]
    """

    splitter: NodeSplitter = ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach(), min_branch=0.0)
    alpha: float = parameter(default=0.05, above=0, below=1, search=(0.01, 0.05, 0.1, 0.2))

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        found = self.splitter.best_splits(data, max(count, len(data.columns)))
        level = math.log(self.alpha)
        return [split for split in found if _log_p(data, split) <= level][:count]


def _log_p(data: NodeData, split: Split) -> float:
    return float(log_p_chi_squared(*pearson(without_empty(split.table(data)))))
