"""A random subset of the features in every node: the trees of random forests."""

from __future__ import annotations

from math import isqrt
from typing import Literal

from intemi.kernel import parameter
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import SmallSets


class RandomSubset(NodeSplitter):
    """Draw some features in every node, without replacement, and search only these.

    If none of them has a split, one more is drawn until one has, or none is left. Of equally good features the first
    that was drawn is taken. `features` is how many are drawn: "log2" is ⌊log₂ M + 1⌋ of M features, as in Breiman's
    forests, and "sqrt" ⌊√M⌋, as in scikit-learn's.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [[1, 2, 3, 4], [1, 3, 2, 4], [4, 3, 2, 1]], [0, 0, 1, 1]
    >>> data = Data(Table([Column(name) for name in "abc"], x, Column("class", ("A", "B")), y))
    >>> [RandomSubset(features=1).best_splits(NodeData.of(data, seed), 1)[0].feature for seed in range(6)]
    [2, 1, 1, 0, 1, 1]
    >>> [RandomSubset().count_of(features) for features in (4, 9, 13, 34)]
    [3, 4, 4, 6]
    """

    random = True

    features: int | Literal["log2", "sqrt"] = parameter(default="log2", at_least=1)
    splitter: ExhaustiveSearch = ExhaustiveSearch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        order = data.shuffled(len(data.columns)).tolist()
        drawn = self.count_of(len(order))
        found = self.splitter.best_splits_among(data, order[:drawn], count)
        while not found and drawn < len(order):
            found = self.splitter.best_splits_of(data, order[drawn], count)
            drawn += 1
        return found

    def count_of(self, features: int) -> int:
        """How many of so many features are drawn."""
        if self.features == "log2":
            return features.bit_length()
        return min(features, isqrt(features) if self.features == "sqrt" else self.features)

    @property
    def compares_features(self) -> bool:
        """Whether what a feature is worth depends on the others that were drawn: kernels do not draw then."""
        nominal = self.splitter.nominal
        return isinstance(self.splitter.quality, FilteredGainRatio) or (
            isinstance(nominal, SmallSets) and nominal.count is None
        )
