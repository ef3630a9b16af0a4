"""The best split of a feature in two, by a measure."""

from __future__ import annotations

from intemi.kernel import parameter
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio, PermutationStatistic, SplitQuality
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import NominalSplits, TwoSets


class BestCut(WholeFeatureSplitter):
    """Try all splits of the feature (CTree); a branch must weigh `min_branch`, and `min_share` of the node.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> split = BestCut().split(node, RankedFeature(0, 0.0))
    >>> split.cuts.tolist(), round(split.quality, 6)
    ([3.5], 4.2)
    """

    quality: SplitQuality = PermutationStatistic()
    nominal: NominalSplits = TwoSets()
    min_branch: float = parameter(default=1.0, at_least=0, search=(1.0, 2.0, 5.0, 10.0, 20.0))
    min_share: float = parameter(default=0.0, at_least=0, at_most=0.5)

    def split(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        least = max(self.min_branch, self.min_share * data.weight)
        search = ExhaustiveSearch(quality=self.quality, nominal=self.nominal, min_branch=least)
        found = search.best_splits_of(data, ranked.feature, 1)
        return found[0] if found else None

    def settings(self) -> dict[str, float] | None:
        if not self.nominal.is_compiled or isinstance(self.quality, FilteredGainRatio):
            return None
        return {
            "CUTTER": kernels.splitting.BEST_CUT,
            "LEAST_BRANCH": self.min_branch,
            "LEAST_SHARE": self.min_share,
            "LEAST_QUALITY": self.quality.nothing,
            "AT_BORDERS": float(self.quality.convex),
            **self.nominal.settings(self.quality),
        }
