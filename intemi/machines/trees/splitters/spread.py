"""Exhaustive search in which rows with a missing value count: in both branches, in parts, as in best-first trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.missing import heaviest
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import Gini, SplitQuality
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import TwoSets
from intemi.machines.trees.splitters.symbol_sets import every_set, order_of_symbols


class SpreadSearch(NodeSplitter):
    """Score every split into two branches, rows with a missing value spread over both as the known rows are.

    So a feature whose values are often missing separates little. A split must separate something, unless
    `allow_zero_gain`. A symbol that does not occur in the node belongs to the heavier branch, or with
    `unseen="missing"` to none, like a missing value.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, float("nan"), float("nan")], [0, 0, 1, 1, 0, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = SpreadSearch().best_splits(node, 1)
    >>> best.cuts.tolist(), round(best.quality, 6), ExhaustiveSearch().best_splits(node, 1)[0].quality
    ([2.5], 0.222222, 0.5)
    """

    quality: SplitQuality = Gini()
    nominal: TwoSets = TwoSets()
    allow_zero_gain: bool = False
    unseen: Literal["heavier", "missing"] = "heavier"

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        if data.errors <= 1e-12 * data.weight:
            return []
        plain, width = self.plain(), len(data.columns)
        incomplete = {feature for feature in range(width) if np.isnan(data.feature(feature)).any()}
        found = plain.best_splits(data, width if incomplete else count)
        if incomplete:
            found = [split for split in found if split.feature not in incomplete]
            found += [split for feature in incomplete for split in self._best_of(data, feature)]
            found.sort(key=lambda split: (-round(split.quality, 12), split.feature))
        return [_with_unseen(split) if self.unseen == "heavier" else split for split in found[:count]]

    def plain(self) -> ExhaustiveSearch:
        """The search that does the same where nothing is missing, but for symbols that do not occur."""
        return _plain(self.quality, self.nominal, self.allow_zero_gain)

    def _best_of(self, data: NodeData, feature: int) -> list[Split]:
        """The best split of a feature of which some values are missing, if it has one."""
        values = data.feature(feature)
        known = np.flatnonzero(~np.isnan(values))
        distinct, groups = np.unique(values[known], return_inverse=True)
        if len(distinct) < 2:
            return []
        table = data.select(known).table_of(groups, len(distinct))
        # The part of the missing rows that a branch gets is proportional to its weight, so each value may get its own.
        weights = table.sum(axis=1)
        completed = table + np.outer(weights / weights.sum(), data.class_weights - table.sum(axis=0))
        is_numeric = data.columns[feature].categories is None
        order = np.arange(len(distinct)) if is_numeric else order_of_symbols(table, self.nominal.settings(self.quality))
        best, left = self._best_set(completed) if order is None else self._best_beginning(completed, order)
        if best <= (-np.inf if self.allow_zero_gain else self.quality.nothing):
            return []
        if is_numeric:
            last = int(left.sum())
            cut = distinct[last - 1] + (distinct[last] / 2 - distinct[last - 1] / 2)
            cut = distinct[last - 1] if cut >= distinct[last] else cut
            split: Split | None = ThresholdSplit.of(data, feature, [cut], quality=best)
        else:
            branches = np.full(len(data.columns[feature].categories or ()), -1, dtype=np.int32)
            branches[distinct.astype(np.intp)] = np.where(left, 0, 1)
            split = SymbolSplit.of(data, feature, branches, quality=best)
        return [split] if split is not None else []

    def _best_beginning(self, table: Floats, order: NDArray[np.intp]) -> tuple[float, NDArray[np.bool_]]:
        """The quality of the best beginning of an order of values, and whether each value belongs to it."""
        quality, place = self._best(table, np.cumsum(table[order], axis=0)[:-1])
        members = np.zeros(len(order), dtype=bool)
        members[order[: place + 1]] = True
        return quality, members

    def _best_set(self, table: Floats) -> tuple[float, NDArray[np.bool_]]:
        """The same for all sets."""
        best, chosen = -np.inf, np.zeros(0, dtype=bool)
        for members in every_set(len(table), len(table) // 2):
            quality, place = self._best(table, members @ table)
            if quality > best + (1e-12 if len(chosen) else 0.0):
                best, chosen = quality, members[place]
        return best, chosen

    def _best(self, table: Floats, left: Floats) -> tuple[float, int]:
        """The largest quality of candidates, given by what they have on the left, and the first that has it."""
        totals = table.sum(axis=0)
        right = totals - left
        qualities = self.quality.binary(left, np.where(right > 1e-12 * totals, right, 0.0))
        place = int(np.argmax(qualities >= qualities.max() - 1e-12))
        return float(qualities[place]), place


@cache
def _plain(quality: SplitQuality, nominal: TwoSets, allow_zero_gain: bool) -> ExhaustiveSearch:
    return ExhaustiveSearch(quality=quality, nominal=nominal, min_branch=0.0, allow_zero_gain=allow_zero_gain)


def _with_unseen(split: Split) -> Split:
    """The split with the symbols that do not occur in the heavier branch."""
    if not isinstance(split, SymbolSplit):
        return split
    branches: Codes = np.where(split.branch_of_symbol < 0, heaviest(split), split.branch_of_symbol).astype(np.int32)
    return replace(split, branch_of_symbol=branches)
