"""One of the best splits, at random: Dietterich's randomised trees."""

from __future__ import annotations

from intemi.kernel import parameter
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.several_per_feature import SeveralPerFeature


class RandomTopSplit(NodeSplitter):
    """Take one of the `k` best splits of a node that separate anything, each as likely as the others.

    Several of them may be of the same feature. Where there are fewer than `k`, one of these is taken.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
    >>> [RandomTopSplit(k=3).best_splits(NodeData.of(data, seed), 1)[0].cuts.tolist() for seed in range(5)]
    [[2.5], [5.5], [2.5], [2.5], [2.5]]
    """

    random = True

    k: int = parameter(default=20, at_least=1, search=(1, 5, 20))
    splitter: ExhaustiveSearch = ExhaustiveSearch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        best = SeveralPerFeature(self.splitter, per_feature=self.k).best_splits(data, self.k)
        if not best:
            return []
        chosen = best.pop(int(data.rng().integers(len(best))))
        return [chosen, *best[: count - 1]]
