"""Missing-value policies: where rows go whose value of the tested feature is missing, or a symbol nobody saw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import MissingPolicy
from intemi.machines.trees.kernels.settings import ROUNDING
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import Accuracy
from intemi.machines.trees.splits import LinearSplit, ReversedSplit, Split, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import TwoSets


class MajorityBranch(MissingPolicy):
    """The branch that most of the known rows took."""

    def default_branch(self, data: NodeData, split: Split) -> int:
        return heaviest(split)


class Fractional(MissingPolicy):
    """All branches, in parts as large as their shares of the known rows."""

    def default_branch(self, data: NodeData, split: Split) -> int:
        return -1


class ImputeNode(MissingPolicy):
    """The branch of the mean of the node's known values, or of the most frequent symbol.

    Where features are added up, each that is missing counts with its mean.
    """

    version = 2

    def completed(self, data: NodeData, split: Split) -> Split:
        if not isinstance(split, LinearSplit):
            return split
        means = np.array([_mean(data.feature(int(feature)), data.weights) for feature in split.features])
        return replace(split, replacements=means) if np.isfinite(means).all() else split

    def default_branch(self, data: NodeData, split: Split) -> int:
        values, weights = data.feature(split.feature), data.weights
        if isinstance(split, LinearSplit):
            typical = np.nan if split.replacements is None else float(split.coefficients @ split.replacements)
        elif data.columns[split.feature].is_nominal:
            known = ~np.isnan(values)
            typical = float(np.argmax(np.bincount(values[known].astype(np.intp), weights[known])))
        else:
            # A mean that is at a cut but for rounding is below it.
            typical = _mean(values, weights) - ROUNDING * _mean(np.abs(values), weights)
        found = int(split.branches(np.array([typical]))[0])
        return found if found >= 0 else heaviest(split)


def _mean(values: Floats, weights: Floats) -> float:
    """The mean of the values that are known; NaN if none is."""
    return kernels.rows.mean(values, weights)


class Surrogates(MissingPolicy):
    """The branch that another split points to, one that divides the known rows much like this one; else the majority's.

    Of each other feature the split that agrees best is a candidate; it is kept if it does better than sending all rows
    to the heavier branch. Splits into more than two branches have no surrogates.
    """

    version = 2

    most: int = parameter(default=5, at_least=0, search=(0, 1, 5))

    def default_branch(self, data: NodeData, split: Split) -> int:
        return heaviest(split)

    def surrogates(self, data: NodeData, split: Split) -> list[Split]:
        if split.branch_count != 2 or self.most == 0:
            return []
        sides = split.route(data)
        known = np.flatnonzero(sides >= 0)
        imitated = data.select(known).with_classes(sides[known], 2)
        search = ExhaustiveSearch(quality=Accuracy(), nominal=TwoSets(), min_branch=0.0)
        found = []
        for feature in range(len(data.columns)):
            if feature == split.feature:
                continue
            for candidate in search.best_splits_of(imitated, feature, 1):
                table = candidate.table(imitated)
                base = table.sum(axis=0).max() / table.sum()
                if candidate.quality > base + 1e-12:
                    found.append(((candidate.quality - base) / (1 - base), _turned(candidate, table)))
        found.sort(key=lambda pair: (-round(pair[0], 12), pair[1].feature))
        return [surrogate for _, surrogate in found[: self.most]]


def _turned(split: Split, table: np.ndarray) -> Split:
    """The split with its branches exchanged, if it points the other way."""
    if table[0, 0] + table[1, 1] >= table[0, 1] + table[1, 0]:
        return split
    if isinstance(split, SymbolSplit):
        branches = np.where(split.branch_of_symbol < 0, -1, 1 - split.branch_of_symbol).astype(np.int32)
        return SymbolSplit(feature=split.feature, branch_of_symbol=branches, quality=split.quality)
    assert isinstance(split, ThresholdSplit)
    return ReversedSplit(feature=split.feature, threshold=float(split.cuts[0]), quality=split.quality)


def heaviest(split: Split) -> int:
    """The branch with the largest weight, of equal ones the first."""
    best = 0
    for branch, weight in enumerate(split.branch_weights):
        if weight > split.branch_weights[best] + 1e-12:
            best = branch
    return best
