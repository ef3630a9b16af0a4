"""Several splits of each feature: more to choose from for searches that look further than the next split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.scores import SLACK, scores_of
from intemi.machines.trees.splitters.symbol_sets import beginnings, every_set, order_of_symbols


class SeveralPerFeature(NodeSplitter):
    """The best splits that an exhaustive search scores, at most `per_feature` of them of the same feature.

    The search alone proposes the best split of each feature, which keeps a beam diverse. Where two splits of a feature
    are equally good, the first one comes first. The best of all is that of the search itself.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [split.cuts.tolist() for split in SeveralPerFeature(per_feature=3).best_splits(node, 5)]
    [[3.5], [5.5], [2.5]]
    """

    splitter: ExhaustiveSearch = ExhaustiveSearch()
    per_feature: int = parameter(default=2, at_least=1, search=(1, 2, 3))

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        if count == 1 or self.per_feature == 1:
            return self.splitter.best_splits(data, count)
        best = self.splitter.best_splits(data, len(data.columns))  # one of each feature
        node = _Node(self.splitter, data)
        others = [*best[1:], *(each for first in best for each in node.after(first, self.per_feature - 1))]
        others.sort(key=lambda split: (-round(split.quality, 12), split.feature))
        return [*best[:1], *others][:count]


class _Candidate(NamedTuple):
    rank: float
    """What decides among splits of the feature: for C4.5's cuts, gain and not quality."""
    quality: float
    test: Any
    """The values on both sides of the cut, or whether each symbol that occurs is on the left."""


class _Node:
    """The rows of a node, and all splits of them that a search scores."""

    def __init__(self, search: ExhaustiveSearch, data: NodeData) -> None:
        from intemi.machines.trees.kernels.settings import LEAST_QUALITY

        self.search = search
        self.data = data
        self.settings = search.nominal.settings(search.quality)
        self.least_quality = search.settings(data.class_count)[LEAST_QUALITY]

    def after(self, first: Split, most: int) -> list[Split]:
        """The best splits of the feature of a split, apart from that one."""
        is_numeric = isinstance(first, ThresholdSplit)
        best: list[_Candidate] = []
        for left, tests in self._cuts(first.feature) if is_numeric else self._sets(first.feature):
            best += self._best(left, tests, is_numeric, most + 1)
            best = sorted(best, key=lambda each: -round(each.rank, 12))[: most + 1]
        made = [self._split(first.feature, each) for each in best if each.quality > self.least_quality]
        return [each for each in made if not np.array_equal(each.parameters(), first.parameters())][:most]

    def _best(self, left: Floats, tests: Sequence[Any], is_numeric: bool, most: int) -> list[_Candidate]:
        """The best of some candidates, by their class weights on the left; the last of these are those of all rows."""
        legal = self._legal(left, is_numeric)
        if not len(legal):
            return []
        right = left[-1] - left[legal]
        right[right <= 1e-12 * left[-1]] = 0.0
        tables = np.stack([left[legal], right], axis=1)
        scores = scores_of(self.search, self.data, tables, cuts=len(legal) if is_numeric else 1)
        ranks = scores.gains if is_numeric else scores.qualities
        places = np.argsort(-ranks.round(12), kind="stable")[:most]
        return [_Candidate(float(ranks[i]), float(scores.qualities[i]), tests[legal[i]]) for i in places]

    def _legal(self, left: Floats, is_numeric: bool) -> NDArray[np.intp]:
        """Which candidates leave enough on both sides."""
        weights = left.sum(axis=1)
        known = float(weights[-1]) if len(weights) else 0.0
        least = self.search.min_branch
        if is_numeric and isinstance(self.search.quality, FilteredGainRatio):
            least = max(least, min(25.0, 0.1 * known / self.data.class_count))
        enough = (weights[:-1] >= least - SLACK) & (known - weights[:-1] >= least - SLACK)
        return np.flatnonzero(enough & (weights[:-1] > 0) & (weights[:-1] < known))

    def _cuts(self, feature: int) -> Iterator[tuple[Floats, Sequence[Any]]]:
        """The class weights below each cut of a numeric feature, and the values beside it."""
        values = self.data.feature(feature)
        distinct, groups = np.unique(values[~np.isnan(values)], return_inverse=True)
        table = self.data.select(np.flatnonzero(~np.isnan(values))).table_of(groups, len(distinct))
        yield np.cumsum(table, axis=0), list(pairwise(distinct))

    def _sets(self, feature: int) -> Iterator[tuple[Floats, Sequence[Any]]]:
        """The class weights of the sets of symbols that are tried, some at a time, and which symbols these are."""
        table = self.data.table(feature)
        table = table[table.any(axis=1)]
        if "MULTIWAY" in self.settings:
            return
        order = order_of_symbols(table[:, table.any(axis=0)], self.settings, self.search.min_branch)
        for members in self._enumerated(len(table)) if order is None else [beginnings(order)]:
            yield np.vstack([members @ table, table.sum(axis=0)]), list(members)

    def _enumerated(self, count: int) -> Iterator[NDArray[np.bool_]]:
        from intemi.machines.trees.kernels.symbols import largest_set

        wanted = self.settings["WANTED"] or self.average_cuts
        return every_set(count, largest_set(count, wanted < 0, wanted))

    @cached_property
    def average_cuts(self) -> float:
        """How many legal cuts a numeric feature has on average; if there is none, what the node weighs."""
        numeric = [index for index, column in enumerate(self.data.columns) if not column.is_nominal]
        counts = [len(self._legal(left, is_numeric=True)) for index in numeric for left, _ in self._cuts(index)]
        return float(np.mean(counts)) if counts else self.data.weight

    def _split(self, feature: int, candidate: _Candidate) -> Split:
        made: Split | None
        if self.data.columns[feature].is_nominal:
            branches = np.full(len(self.data.columns[feature].categories or ()), -1, dtype=np.int32)
            branches[self.data.table(feature).any(axis=1)] = np.where(candidate.test, 0, 1)
            made = SymbolSplit.of(self.data, feature, branches, quality=candidate.quality)
        else:
            cut = self.search.threshold_between(self.data, feature, *map(float, candidate.test))
            made = ThresholdSplit.of(self.data, feature, [cut], quality=candidate.quality)
        assert made is not None
        return made
