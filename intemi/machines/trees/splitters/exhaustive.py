"""Exhaustive search: every cut of every numeric feature and every split of every nominal one, scored by a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.kernels.settings import settings_of
from intemi.machines.trees.limits import Limits
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio, Gini, SplitQuality
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.nominal import NominalSplits, TwoSets
from intemi.machines.trees.splitters.scores import scores_of


class ExhaustiveSearch(NodeSplitter):
    """Score every split of every feature, and take the best.

    Splits are made of rows whose value is known; with `scale` their quality is multiplied by the share of these. A
    branch must weigh at least `min_branch`. A split must separate something, unless `allow_zero_gain`. Thresholds are
    halfway between two values, or with `threshold="value"` the largest value of the training data that is not above,
    but for rounding.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = ExhaustiveSearch().best_splits(node, 1)
    >>> best.cuts.tolist(), round(best.quality, 6)
    ([3.5], 0.3)
    """

    version = 2

    quality: SplitQuality = Gini()
    nominal: NominalSplits = TwoSets()
    min_branch: float = parameter(default=1.0, at_least=0, search=(1.0, 2.0, 5.0, 10.0, 20.0))
    scale: bool = False
    allow_zero_gain: bool = False
    threshold: Literal["middle", "value"] = "middle"

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        return self.best_splits_among(data, range(len(data.columns)), count)

    def best_splits_of(self, data: NodeData, feature: int, count: int) -> list[Split]:
        """The same for one feature."""
        return self.best_splits_among(data, [feature], count)

    def best_splits_among(self, data: NodeData, features: Sequence[int], count: int) -> list[Split]:
        """The same for some features; of equally good ones the first comes first."""
        if len(data) < 2 or data.errors <= 1e-12 * data.weight or not len(features):
            return []
        found = _Found(self, data, features)
        chosen = found.chosen()
        if chosen < 0:
            return []
        splits = [found.split(chosen)]
        if count > 1:
            others = [place for place in found.ranked() if place != chosen]
            splits += [found.split(place) for place in others[: count - 1]]
        return splits

    def threshold_between(self, data: NodeData, feature: int, below: float, above: float) -> float:
        """Where to cut between two neighbouring values of a feature."""
        middle = below + (above - below) / 2
        middle = below if middle >= above else middle
        return middle if self.threshold == "middle" else data.largest_value(feature, middle)

    def settings(self, classes: int, limits: Limits | None = None, **others: float) -> Floats:
        """What the kernels are told; others by the names that `kernels.settings` gives them."""
        filtered = isinstance(self.quality, FilteredGainRatio)
        values = {
            "LEAST_BRANCH": self.min_branch,
            "LEAST_QUALITY": -np.inf if self.allow_zero_gain else self.quality.nothing,
            "AT_BORDERS": float(self.quality.convex),
            "SCALES": float(self.scale),
            "FILTERED": (2.0 if self.quality.mdl else 1.0) if isinstance(self.quality, FilteredGainRatio) else 0.0,
            **(limits or Limits()).settings(),
            "CLASSES": float(classes),
            **others,
            **self.nominal.settings(self.quality),
        }
        if filtered and self.allow_zero_gain:
            values["LEAST_QUALITY"] = 0.0
        return settings_of(values)


@dataclass
class _Found:
    """The best split of each feature of a node."""

    search: ExhaustiveSearch
    data: NodeData
    features: Sequence[int]

    def __post_init__(self) -> None:
        from intemi.machines.trees.kernels.cells import fill_cells, shifts

        data, count = self.data, len(self.features)
        size, k = len(data), data.class_count
        columns = [data.columns[feature] for feature in self.features]
        self.symbols = np.array([len(column.categories or ()) for column in columns], dtype=np.int32)
        self.layout = np.array(shifts(size, k), dtype=np.int64)
        self.values = np.stack([data.feature(feature) for feature in self.features])
        order = np.stack([data.order(feature) for feature in self.features])
        self.cells = np.empty(self.values.shape, dtype=np.int64)
        rows, once = np.arange(size, dtype=np.int32), np.ones(size, dtype=np.int32)
        places = np.arange(count, dtype=np.int32)
        fill_cells(self.values, order, places, rows, once, self.symbols, places, data.classes, self.layout, self.cells)
        self.settings = self.search.settings(k)
        self.context = self.search.quality.context()
        self.branch = np.empty(max(2, int(self.symbols.max())), dtype=np.int32)
        self.found = np.empty((count, 5))
        self.average = self._ask(-1, np.nan)
        self.sets: dict[int, Codes] = {}
        if not self.search.nominal.is_compiled:
            for place in np.flatnonzero(self.symbols).tolist():
                self._ask_for_sets(place)

    def _ask(self, only: int, average: float) -> float:
        """Ask all features for their best splits, or only one of them again."""
        from intemi.machines.trees.kernels.alone import best_of_features

        data, m = self.data, len(self.features)
        asked = np.arange(m, dtype=np.int32) if only < 0 else np.array([only], dtype=np.int32)
        return best_of_features(
            self.search.quality.address,
            self.cells,
            self.layout,
            self.symbols,
            asked,
            data.classes,
            data.weights,
            data.class_weights,
            self.settings,
            average,
            self.context,
            self.branch,
            self.found,
        )

    def _ask_for_sets(self, place: int) -> None:
        """Ask how the symbols of a feature are divided where kernels do not know, and write down what that is worth."""
        from intemi.machines.trees.kernels.found import GAIN, POSITION, QUALITY, TIES

        data, feature, found = self.data, self.features[place], self.found[place]
        found[[QUALITY, TIES, GAIN]] = -np.inf
        table = data.table(feature)
        if (table.sum(axis=1) > 0).sum() < 2:
            return
        sets = self.search.nominal.sets(table, max(0.0, data.weight - float(table.sum())), self.search.min_branch)
        if sets is None:
            return
        self.sets[place] = sets
        count = int(sets.max()) + 1
        split = SymbolSplit(feature=feature, branch_of_symbol=sets)
        scores = scores_of(self.search, data, split.table(data)[None])
        found[[QUALITY, TIES, GAIN, POSITION]] = scores.qualities[0], scores.tie, scores.gains[0], count

    def chosen(self) -> int:
        """The place of the best one, -1 if there is none."""
        from intemi.machines.trees.kernels.node import chosen_feature

        return int(chosen_feature(self.found, self.symbols, self.settings, self.data.training_weight))

    def ranked(self) -> list[int]:
        """The places of all that are legal, the best one first."""
        from intemi.machines.trees.kernels.settings import LEAST_QUALITY

        legal = [place for place in range(len(self.found)) if self.found[place, 0] > self.settings[LEAST_QUALITY]]
        return sorted(legal, key=lambda place: (-self.found[place, 0], -self.found[place, 1]))

    def split(self, place: int) -> Split:
        """The split of the feature at a place."""
        feature, quality = self.features[place], float(self.found[place, 0])
        made: Split | None
        if self.symbols[place] == 0:
            made = ThresholdSplit.of(self.data, feature, [self._threshold(place)], quality=quality)
        else:
            made = SymbolSplit.of(self.data, feature, self._branches(place), quality=quality)
        assert made is not None
        return made

    def _threshold(self, place: int) -> float:
        position = int(self.found[place, 3])
        rows = self.data.order(self.features[place])
        below, above = (float(self.values[place, rows[each]]) for each in (position - 1, position))
        return self.search.threshold_between(self.data, self.features[place], below, above)

    def _branches(self, place: int) -> Codes:
        if place in self.sets:
            return self.sets[place]
        if len(self.features) > 1:  # else it was asked last
            self._ask(place, self.average)
        return self.branch[: self.symbols[place]].copy()
