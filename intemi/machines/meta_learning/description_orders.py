"""Orders by descriptions of data: what the meta-features of the present data say about candidates.

All of them are passive: fed to a `PassiveSearch`, what they predict is validated on the data at hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError, parameter
from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.orders import Order, by_weighted_score
from intemi.machines.meta_learning.scores import DifferenceScore, PValueScore, RankScore, Score
from intemi.machines.meta_learning.strategy import Setting

MAX_PAIRED = 50
"""Candidates up to which each pair of them gets a classifier of its own."""
COMPONENTS = 3
"""Principal components of differences by which meta-features are selected."""


class NearestDescriptions(Order):
    """By the mean of a score over the data sets whose descriptions are the nearest.

    The distance is the sum of differences of meta-features, each divided by its range over all data sets. What is known
    of one of both only counts as 1.

    >>> base = KnowledgeBase(("a", "b"), ("x", "y"), [[[0.9, 1.0], [0.8, 0.9]], [[0.7, 0.6], [0.9, 0.9]]],
    ...                      descriptions=np.array([[100.0], [900.0]]), described_by=("rows",))
    >>> setting = Setting(("x", "y"), base, describe=lambda: {"rows": 800.0})
    >>> NearestDescriptions(count=1).ordered(setting)
    ['y', 'x']
    """

    score: Score = PValueScore()
    count: int = parameter(default=3, at_least=1)

    def ordered(self, setting: Setting) -> list[Hashable]:
        knowledge, known, present = described(self, setting)
        weights = np.zeros(len(known))
        weights[np.argsort(description_distances(known, present), kind="stable")[: self.count]] = 1.0
        return by_weighted_score(setting.every_candidate(), knowledge, self.score, weights)


class PredictedOrder(Order):
    """By numbers that are predicted for all configurations of the knowledge base; those that it lacks come last."""

    max_features: int = parameter(default=8, at_least=1)
    """Of more meta-features those are used that tell most about differences between configurations."""

    def ordered(self, setting: Setting) -> list[Hashable]:
        knowledge, known, present = described(self, setting)
        chosen = selected_features(known, knowledge, self.max_features)
        inputs, new = _standardized(known[:, chosen], present[chosen])
        candidates = setting.every_candidate()
        columns = [knowledge.columns[each] for each in candidates if each in knowledge.columns]
        predicted = np.full(len(knowledge.configurations), -np.inf)
        predicted[columns] = self.predicted(inputs, new, knowledge, columns)
        value = {each: predicted[knowledge.columns[each]] for each in candidates if each in knowledge.columns}
        return sorted(candidates, key=lambda each: -value.get(each, -np.inf))

    @abstractmethod
    def predicted(self, inputs: Floats, new: Floats, knowledge: KnowledgeBase, columns: list[int]) -> Floats:
        """How good these configurations will be: higher is better.

        `inputs` are the descriptions of the data sets (data sets × meta-features), `new` is that of the present data,
        both in standard units and without gaps.
        """


class Regressed(PredictedOrder):
    """By scores that a ridge regression predicts from meta-features: one solution for all configurations."""

    score: Score = DifferenceScore()
    ridge: float = parameter(default=1.0, above=0)

    def predicted(self, inputs: Floats, new: Floats, knowledge: KnowledgeBase, columns: list[int]) -> Floats:
        return ridge_prediction(inputs, new, _filled(knowledge.scored(self.score)[:, columns]), self.ridge)


class PairwiseWins(PredictedOrder):
    """By the number of others that a configuration is predicted to beat.

    For each pair a linear classifier predicts the winner from meta-features: the sign of a ridge regression of 1 and
    -1. There are quadratically many, so at most 50 candidates are allowed.
    """

    ridge: float = parameter(default=1.0, above=0)

    def predicted(self, inputs: Floats, new: Floats, knowledge: KnowledgeBase, columns: list[int]) -> Floats:
        if len(columns) > MAX_PAIRED:
            raise ConfigurationError(f"{self.kind}: at most {MAX_PAIRED} candidates are compared, got {len(columns)}")
        accuracies = knowledge.accuracies[:, columns]
        pairs = np.array(list(combinations(range(len(columns)), 2)), dtype=np.intp).reshape(-1, 2)
        winners = np.nan_to_num(np.sign(accuracies[:, pairs[:, 0]] - accuracies[:, pairs[:, 1]]))
        signs = np.sign(ridge_prediction(inputs, new, winners, self.ridge))
        wins = np.zeros(len(columns))
        np.add.at(wins, pairs[:, 0], signs > 0)
        np.add.at(wins, pairs[:, 1], signs < 0)
        return wins


class ClusteringTree(PredictedOrder):
    """By the mean ranks of the data sets in one leaf of a tree over meta-features.

    A node is divided where the ranks of all configurations vary least within both parts, as in a regression tree with
    many targets (predictive clustering).
    """

    min_leaf: int = parameter(default=3, at_least=1)

    def predicted(self, inputs: Floats, new: Floats, knowledge: KnowledgeBase, columns: list[int]) -> Floats:
        targets = _filled(knowledge.scored(RankScore())[:, columns])
        rows = np.arange(len(inputs))
        while (cut := _best_cut(inputs[rows], targets[rows], self.min_leaf)) is not None:
            feature, threshold = cut
            is_left = inputs[rows, feature] <= threshold
            rows = rows[is_left == (new[feature] <= threshold)]
        return np.asarray(targets[rows].mean(axis=0))


def described(order: Order, setting: Setting) -> tuple[KnowledgeBase, Floats, Floats]:
    """The knowledge base, the meta-features of its data sets, and the same ones of the present data."""
    knowledge = setting.known_to(order)
    if knowledge.descriptions is None or setting.describe is None:
        raise ConfigurationError(f"{order.kind}: it needs descriptions of data sets, and the knowledge base has none")
    present = setting.describe()
    return knowledge, knowledge.descriptions, np.array([present.get(name, np.nan) for name in knowledge.described_by])


def description_distances(known: Floats, present: Floats) -> Floats:
    """The sum of |x - X| / range over meta-features; 0 where both are missing, 1 where one is."""
    spread = np.zeros(known.shape[1])
    there = ~np.isnan(known).all(axis=0)
    spread[there] = np.nanmax(known[:, there], axis=0) - np.nanmin(known[:, there], axis=0)
    distances = np.abs(known - present) / np.where(spread > 0, spread, 1.0)
    unknown, lacking = np.isnan(known), np.isnan(present)
    distances = np.where(unknown & lacking, 0.0, np.where(unknown ^ lacking, 1.0, distances))
    return np.asarray(distances.sum(axis=1))


def selected_features(known: Floats, knowledge: KnowledgeBase, most: int) -> NDArray[np.intp]:
    """The meta-features that correlate most with the principal components of differences, at most so many.

    The mean of the absolute rank correlations with the first three components decides.
    """
    if known.shape[1] <= most:
        return np.arange(known.shape[1])
    differences = _filled(knowledge.scored(DifferenceScore()))
    centred = differences - differences.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    components = (left * sizes)[:, :COMPONENTS]
    rankdata = library("scipy.stats").rankdata
    ranks = _unit(rankdata(_filled(known), axis=0))
    worth = np.abs(ranks.T @ _unit(rankdata(components, axis=0))).mean(axis=1)
    return np.sort(np.argsort(-worth, kind="stable")[:most])


def ridge_prediction(inputs: Floats, new: Floats, targets: Floats, ridge: float) -> Floats:
    """What a ridge regression with an offset predicts for new inputs, for each column of the targets.

    >>> ridge_prediction(np.array([[-1.0], [1.0]]), np.array([0.5]), np.array([[1.0], [3.0]]), 1e-9).round(6).tolist()
    [2.5]
    """
    offset = targets.mean(axis=0)
    weights = np.linalg.solve(inputs.T @ inputs + ridge * np.eye(inputs.shape[1]), inputs.T @ (targets - offset))
    return np.asarray(offset + new @ weights)


def _best_cut(inputs: Floats, targets: Floats, min_leaf: int) -> tuple[int, float] | None:
    """The feature and the threshold that leave least variance in both parts; None if no cut leaves less than now."""
    least, best = ((targets - targets.mean(axis=0)) ** 2).sum() * (1 - 1e-9), None
    for feature in range(inputs.shape[1]):
        order = np.argsort(inputs[:, feature], kind="stable")
        values, sorted_targets = inputs[order, feature], targets[order]
        for size in range(min_leaf, len(values) - min_leaf + 1):
            if size == len(values) or values[size - 1] == values[size]:
                continue
            parts = sorted_targets[:size], sorted_targets[size:]
            left = sum(float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts)
            if left < least:
                least, best = left, (feature, float(values[size - 1] + values[size]) / 2)
    return best


def _filled(values: Floats) -> Floats:
    """With the mean of a column in place of what is not known or not finite; 0 where nothing is."""
    usable = np.isfinite(values)
    counts = usable.sum(axis=0)
    means = np.where(usable, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    return np.where(usable, values, means)


def _standardized(known: Floats, present: Floats) -> tuple[Floats, Floats]:
    filled = _filled(known)
    mean, deviation = filled.mean(axis=0), filled.std(axis=0)
    scale = np.where(deviation > 1e-12, deviation, 1.0)
    return (filled - mean) / scale, np.where(np.isnan(present), 0.0, (present - mean) / scale)


def _unit(values: Floats) -> Floats:
    """Columns without mean and of length 1; 0 for constant ones."""
    centred = values - values.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(centred / np.where(lengths > 0, lengths, 1.0))
