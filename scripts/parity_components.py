"""Components that only imitate other programs: what they do on purpose or by accident, and we do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.machines.trees.components import MissingPolicy, NodeSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.quality import Gini, SplitQuality
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit, split_of
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import TwoSets
from intemi.machines.trees.splitters.several_per_feature import SeveralPerFeature
from intemi.machines.trees.splitters.spread import SpreadSearch
from intemi.machines.trees.tree import SYMBOLS, Tree

if TYPE_CHECKING:
    from intemi.machines.trees.quality.quality import Address

# rpart without surrogates: a row whose tested value is missing goes no further. Here it gets a branch of its own.

BEHIND = 2
"""The branch of those left behind."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _SetsAndRest(SymbolSplit):
    """Two sets of symbols, and a third branch that no symbol leads to."""

    @property
    def branch_count(self) -> int:
        return BEHIND + 1


class LeavesBehind(NodeSplitter):
    """Splits into two branches get a third one, a leaf."""

    splitter: NodeSplitter = ExhaustiveSearch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        return [_with_rest(split) for split in self.splitter.best_splits(data, count)]


def _with_rest(split: Split) -> Split:
    weights, closed = np.append(split.branch_weights, 0.0), (False, False, True)
    if isinstance(split, ThresholdSplit):
        return replace(split, cuts=np.append(split.cuts, np.inf), branch_weights=weights, closed=closed)
    assert isinstance(split, SymbolSplit)
    return _SetsAndRest(
        feature=split.feature,
        branch_of_symbol=split.branch_of_symbol,
        branch_weights=weights,
        quality=split.quality,
        closed=closed,
    )


class StayBehind(MissingPolicy):
    """Rows with a missing value take the third branch."""

    def default_branch(self, data: NodeData, split: Split) -> int:
        return BEHIND


class UndoVainSplits(DirectPruning):
    """Undo splits below which no errors are saved; rows left behind count as errors of neither branch."""

    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        as_leaf = tree.weights - tree.class_weights.max(axis=1)
        as_tree = as_leaf.copy()
        for node in range(len(tree) - 1, -1, -1):
            if tree.branch_count[node]:
                as_tree[node] = as_tree[list(tree.children(node))[:BEHIND]].sum()
        return cut_at(tree, np.flatnonzero((tree.branch_count > 0) & (as_tree >= as_leaf - 1e-9)))


def left_behind(tree: Tree) -> NDArray[np.bool_]:
    """Whether each node holds rows that were left behind by its parent, as truth values."""
    inner = np.flatnonzero(tree.branch_count > BEHIND)
    behind = np.zeros(len(tree), dtype=bool)
    behind[tree.first_child[inner] + BEHIND] = True
    return behind


# Ties: any program may take any of the splits that are equally good.


class AnyOfEqual(NodeSplitter):
    """One of the best splits of an exhaustive search, drawn where several are equally good."""

    splitter: ExhaustiveSearch = ExhaustiveSearch()
    number: int = 0
    """Of the draw."""

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        found = SeveralPerFeature(splitter=self.splitter, per_feature=5).best_splits(data, 5 * len(data.columns))
        equal = [split for split in found if split.quality >= found[0].quality - 1e-9]
        random = np.random.default_rng([self.number, len(data.path), *data.path])
        return [equal[random.integers(len(equal))]] if equal else []


# WEKA's SimpleCart and BFTree: of more than four symbols and two classes, the order is that of all training data.


class OrderOfAllRows(NodeSplitter):
    """Like `SpreadSearch`, but many symbols are ordered by their class profiles in all training data, not in the node.

    What does not occur in the node is counted with the first symbol that does. `profiles` are counts of symbols ×
    classes, a table for each nominal feature.
    """

    quality: SplitQuality = Gini()
    profiles: tuple[tuple[tuple[int, ...], ...], ...] = ()
    few: ClassVar[int] = 4

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        if data.errors <= 1e-12 * data.weight:
            return []
        features = range(len(data.columns))
        many = [feature for feature in features if data.class_count > 2 and len(_present(data, feature)) > self.few]
        others = [feature for feature in features if feature not in many]
        search = SpreadSearch(quality=self.quality, nominal=TwoSets(enumerated=self.few))
        found: list[Split] = []
        if others:
            rest = data.with_features([data.columns[feature] for feature in others], data.features[others])
            found += [replace(split, feature=others[split.feature]) for split in search.best_splits(rest, 1)]
        found += [split for feature in many if (split := self._best_of(data, feature)) is not None]
        found.sort(key=lambda split: (-round(split.quality, 12), split.feature))
        return found[:count]

    def _best_of(self, data: NodeData, feature: int) -> Split | None:
        present, everything = _present(data, feature), np.array(self.profiles[feature], dtype=np.float64)
        profiles = everything[present]
        profiles[0] += everything.sum(axis=0) - profiles.sum(axis=0)
        weights = profiles.sum(axis=1, keepdims=True)
        away = profiles / weights - everything.sum(axis=0) / everything.sum()
        direction = np.linalg.eigh((away * weights).T @ away)[1][:, -1]
        ordered = present[np.argsort(away @ direction, kind="stable")]
        known = data.table(feature)[ordered]
        shares = known.sum(axis=1) / known.sum()
        spread = known + np.outer(shares, data.class_weights - known.sum(axis=0))
        left = np.cumsum(spread, axis=0)[:-1]
        right = spread.sum(axis=0) - left
        qualities = self.quality.binary(left, np.where(right > 1e-9, right, 0.0))
        last = int(np.argmax(qualities >= qualities.max() - 1e-12))
        if qualities[last] <= self.quality.nothing:
            return None
        branches = np.full(len(everything), int(shares[: last + 1].sum() < 0.5), dtype=np.int32)
        branches[ordered[: last + 1]], branches[ordered[last + 1 :]] = 0, 1
        return SymbolSplit.of(data, feature, branches, quality=float(qualities[last]))


def _present(data: NodeData, feature: int) -> NDArray[np.intp]:
    """The symbols of a nominal feature that occur in the node; of a numeric one none."""
    categories = data.columns[feature].categories
    if categories is None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(data.table(feature).sum(axis=1) > 0)


def profiles(data: Data) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """How often each symbol of each feature occurs with each class; a missing value counts as the first symbol."""
    tables: list[tuple[tuple[int, ...], ...]] = []
    for feature, column in enumerate(data.columns):
        table = np.zeros((len(column.categories or ()), len(data.labels)), dtype=int)
        if len(table):
            np.add.at(table, (np.nan_to_num(data.feature(feature)).astype(int), data.classes), 1)
        tables.append(_tuples(table.tolist()))
    return tuple(tables)


def _tuples(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in rows)


class UnroundedGini(SplitQuality):
    """Gini gain as SimpleCart computes it, term by term: of splits that are equally good, rounding chooses one."""

    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 0.0

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        left, right, both = 0.0, 0.0, 0.0
        for c in range(classes):
            left += table[c]
            right += table[classes + c]
            both += table[c] + table[classes + c]
        squares, left_squares, right_squares = 0.0, 0.0, 0.0
        for c in range(classes):
            share = (table[c] + table[classes + c]) / both
            squares += share * share
            share = table[c] / left
            left_squares += share * share
            share = table[classes + c] / right
            right_squares += share * share
        gain = (1 - squares) - left / both * (1 - left_squares) - right / both * (1 - right_squares)
        clean = round(gain * 1e10) / 1e10
        context[1] = (gain - clean) * 1e20  # what is lost decides between equal ones
        return clean


# partykit cuts at the largest value of the node that is below, not halfway to the next one: that matters to new cases.


def cut_at_values(tree: Tree, data: Data) -> Tree:
    """The same tree, its thresholds at values of the training cases in the nodes."""
    parameters, rows = tree.parameters.copy(), {0: np.arange(len(data))}
    for node in range(len(tree)):
        if not tree.branch_count[node]:
            continue
        test = int(tree.test_start[node])
        split = split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
        values = data.feature(split.feature)[rows[node]]
        if isinstance(split, ThresholdSplit):
            parameters[tree.parameter_start[test]] = values[values <= split.cuts[0]].max()
        branches = np.where(np.isnan(values), tree.default_branch[node], split.branches(values))
        for branch, child in enumerate(tree.children(node)):
            rows[child] = rows[node][branches == branch]
    return replace(tree, parameters=parameters)


# rpart sends a value that is the cut to the right, we send it to the left.


def cuts_to_the_right(tree: Tree) -> Tree:
    """The same tree, except that values at a threshold are above it."""
    of_symbols = np.repeat(tree.kind == SYMBOLS, np.diff(tree.parameter_start))
    return replace(tree, parameters=np.where(of_symbols, tree.parameters, np.nextafter(tree.parameters, -np.inf)))


# J48 with binary splits: a symbol that a node has not seen is one of "the others", which matters when it is raised.


def unseen_with_others(tree: Tree) -> Tree:
    """The same tree, except that unseen symbols take the second branch and do not count as missing."""
    of_symbols = np.repeat(tree.kind == SYMBOLS, np.diff(tree.parameter_start))
    return replace(tree, parameters=np.where(of_symbols & (tree.parameters < 0), 1.0, tree.parameters))
