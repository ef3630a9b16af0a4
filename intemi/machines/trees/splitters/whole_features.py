"""Whole features: every feature is split as a whole, and a measure says which split is best."""

from __future__ import annotations

import math

from intemi.machines.trees.components import NodeSplitter, RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain, SplitQuality
from intemi.machines.trees.selectors.ranking import rounded
from intemi.machines.trees.splits import Split
from intemi.machines.trees.whole_feature import ConfidentIntervals


class WholeFeatures(NodeSplitter):
    """Make one split of each feature and compare them by a measure, on rows whose values are known.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = list(range(1, 21)), [0] * 8 + [1, 0, 1, 0, 0, 1] + [1] * 6
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = WholeFeatures().best_splits(node, 1)
    >>> best.cuts.tolist(), best.closed
    ([8.5, 12.5], (True, False, True))
    """

    splitter: WholeFeatureSplitter = ConfidentIntervals()
    quality: SplitQuality = InformationGain()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        qualities = self.splitter.qualities(data, self.quality).tolist()
        ranked = [RankedFeature(feature, each) for feature, each in enumerate(qualities) if not math.isnan(each)]
        ranked.sort(key=lambda each: -rounded(each.score))  # the first of equal features stays first
        found = [self.splitter.split(data, each) for each in ranked[:count]]
        return [split for split in found if split is not None]
