"""Random sums of features in every node: the trees of Forest-RC."""

from __future__ import annotations

import numpy as np

from intemi.data import Column
from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import LinearSplit, Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch


class RandomCombinations(NodeSplitter):
    """Draw some sums of a few features in every node, and take the best cut of any of them.

    There are `combinations` sums, each of `features` features that vary in the node, with coefficients between -1 and
    1; features are divided by their standard deviation in all training data. `NominalToIndicators` turns nominal
    features into numbers that can be added up.

    >>> from intemi.data import Data, Table
    >>> x, y = [[1, 2, 3, 4], [1, 3, 2, 4], [4, 3, 2, 1]], [0, 0, 1, 1]
    >>> data = Data(Table([Column(name) for name in "abc"], x, Column("class", ("A", "B")), y))
    >>> [best] = RandomCombinations(features=2).best_splits(NodeData.of(data, seed=1), 1)
    >>> best.features.tolist(), round(best.quality, 6)
    ([0, 1], 0.5)
    """

    random = True

    combinations: int = parameter(default=8, at_least=1, search=(1, 2, 4, 8, 16))
    features: int = parameter(default=3, at_least=1, search=(2, 3, 5))
    splitter: ExhaustiveSearch = ExhaustiveSearch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        for column in data.columns:
            if column.is_nominal:
                raise ConfigurationError(
                    f"{self.kind}: numeric columns are needed, got {column}; NominalToIndicators turns categories "
                    "into numbers"
                )
        varying = data.varying.numeric
        if not varying:
            return []
        rng, spread = data.rng(), data.once("spread of each feature", _spread)
        size = min(self.features, len(varying))
        drawn = [rng.choice(varying, size, replace=False) for _ in range(self.combinations)]
        coefficients = [rng.uniform(-1.0, 1.0, size) / spread[features] for features in drawn]
        sums = np.zeros((self.combinations, len(data)))
        for place in range(self.combinations):  # one after the other, as trees add them up
            for feature, coefficient in zip(drawn[place].tolist(), coefficients[place], strict=True):
                sums[place] += coefficient * data.feature(feature)
        columns = [Column(f"sum {place + 1}") for place in range(self.combinations)]
        found = self.splitter.best_splits(data.with_features(columns, sums), count)
        splits = [
            LinearSplit.of(
                data, drawn[each.feature], coefficients[each.feature], each.parameters(), quality=each.quality
            )
            for each in found
        ]
        return [split for split in splits if split is not None]


def _spread(data: NodeData) -> Floats:
    """The standard deviation of each feature, 1 where it has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        known = ~np.isnan(data.features)
        values, weights = np.where(known, data.features, 0.0), known * data.weights
        total = np.maximum(weights.sum(axis=1), np.finfo(np.float64).tiny)
        mean = (values * weights).sum(axis=1) / total
        deviation = np.sqrt((weights * (values - mean[:, None]) ** 2).sum(axis=1) / total)
    return np.where((deviation > 0) & np.isfinite(deviation), deviation, 1.0)
