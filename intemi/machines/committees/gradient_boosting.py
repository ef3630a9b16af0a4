"""Stochastic gradient boosting: small regression trees, each fitted to what those before it leave to be explained.

Friedman (2001, 2002). Of two classes, y = ±1, the score F is half the log-odds of the second one: it begins at
½ ln((1 + ȳ) / (1 - ȳ)), the residual is r = 2y / (1 + e^(2yF)), and a leaf adds Σr / Σ|r|(2 - |r|). Of K classes each
has a score, which begins at the logarithm of its share, the residuals are r = [y = k] - softmax(F)ₖ, and a leaf adds
(K - 1) / K · Σr / Σ|r|(1 - |r|).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.data import Column, Data
from intemi.kernel import Model, parameter, storable
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import numbers_only, one_hot, rows_to_learn_from
from intemi.machines.decoded import expect, expect_floats, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner

Bytes = NDArray[np.uint8]
SMALLEST_SHARE = 1e-12
"""What a class without rows is taken to have, so that its score is finite."""


@storable
@dataclass(frozen=True, eq=False)
class BoostedTrees(Classifier):
    """Regression trees whose numbers are added up to scores: one score for two classes, else one for each."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    start: Floats
    """The scores before the first tree."""
    roots: Codes
    """Where the nodes of each tree begin; the trees of one step, a score each, follow each other."""
    feature: Codes
    """What a node tests, -1 in a leaf."""
    cut: Floats
    left: Codes
    """The left child of a node, counted from the root; the right one is the next."""
    number: Floats
    """What a leaf adds to the score."""

    def check_decoded(self) -> None:
        """Refuse what compiled code could not follow."""
        super().check_decoded()
        expect_floats(self.start, 1 if len(self.labels) == 2 else len(self.labels))
        count = len(self.feature)
        for each in (self.roots, self.feature, self.left):
            expect(type(each) is np.ndarray and each.dtype == np.int32 and each.ndim == 1, "nodes are of a kind")
        expect_floats(self.cut, count)
        expect_floats(self.number, count)
        expect_indices(self.roots, max(1, count))
        expect(len(self.roots) % len(self.start) == 0, "each step has a tree for each score")
        ends = np.append(self.roots[1:], count)
        expect((ends > self.roots).all() and (not len(self.roots) or self.roots[0] == 0), "trees follow each other")
        sizes = (ends - self.roots).astype(np.int64)
        own, size = np.arange(count) - np.repeat(self.roots, sizes), np.repeat(sizes, sizes)
        inner = self.feature >= 0
        expect(len(self.left) == count and (self.feature < len(self.columns)).all(), "nodes test columns")
        expect((self.left[inner] > own[inner]).all() and (self.left[inner] + 1 < size[inner]).all(), "children follow")

    def scores(self, data: Data, steps: int | None = None) -> Floats:
        """The scores of each row after all steps, or after the first ones."""
        from intemi.machines.trees.kernels.regression import add_trees

        values = np.ascontiguousarray(numbers_only(type(self).__name__, data).T)
        roots = self.roots if steps is None else self.roots[: steps * len(self.start)]
        scores = np.tile(self.start, (len(data), 1))
        add_trees(values, roots, self.feature, self.cut, self.left, self.number, scores)
        return scores

    def _probabilities(self, data: Data) -> Floats:
        return _probabilities(self.scores(data))


def _probabilities(scores: Floats) -> Floats:
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), 2 * scores])
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


class GradientBoosting(Learner):
    """Add up `steps` small trees of at most `leaves` leaves, each learned from a random share of the rows.

    `rate` shrinks what each of them adds; of several classes each has a tree in every step.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> data = Data(Table([Column("x")], [range(10)], Column("class", ("-", "+")), y))
    >>> one_step = GradientBoosting(steps=1, leaves=2, rate=1.0, subsample=1.0)
    >>> with Project() as project:
    ...     learned = project.run(one_step, data=project.given(data)).outputs["classifier"]
    >>> learned.start.round(6).tolist(), learned.number.round(6).tolist()
    ([0.202733], [0.0, 0.833333, -0.357143])
    """

    uses_weights = True

    steps: int = parameter(default=100, at_least=0, search=(20, 50, 100, 200))
    leaves: int = parameter(default=6, at_least=2, search=(2, 4, 6, 8, 16))
    rate: float = parameter(default=0.1, above=0, at_most=1, search=(0.03, 0.1, 0.3))
    subsample: float = parameter(default=0.5, above=0, at_most=1, search=(0.5, 0.75, 1.0))

    reports: ClassVar[Mapping[str, Best]] = {"Training error": "lowest"}

    @property
    def is_random(self) -> bool:
        """Whether rows are drawn."""
        return self.subsample < 1

    def run(self, data: Data, rng: np.random.Generator | None = None) -> Model:
        data = rows_to_learn_from(self.kind, data)
        start = _start(data)
        scores, trees = np.tile(start, (len(data), 1)), list[_Tree]()
        fitting = _Fitting(np.ascontiguousarray(numbers_only(self.kind, data).T), data, self)
        for _ in range(self.steps if np.count_nonzero(np.bincount(data.classes)) > 1 else 0):
            chosen = np.ones(len(data), dtype=np.uint8)
            if rng is not None:
                chosen[rng.permutation(len(data))[max(1, round(self.subsample * len(data))) :]] = 0
            trees += fitting.step(scores, chosen)
        sizes = np.array([len(each.feature) for each in trees], dtype=np.int64)
        classifier = BoostedTrees(
            data.columns,
            data.labels,
            start,
            (sizes.cumsum() - sizes).astype(np.int32),
            *(np.concatenate([np.empty(0, kind), *(getattr(each, name) for each in trees)], dtype=kind)
              for name, kind in _PARTS.items()),
        )  # fmt: skip
        wrong = _probabilities(scores).argmax(axis=1) != data.classes
        error = float(data.weights[wrong].sum() / data.weights.sum())
        return Model(classifier=classifier, results={"Training error": error})


_PARTS: dict[str, type] = {"feature": np.int32, "cut": np.float64, "left": np.int32, "number": np.float64}


@dataclass(frozen=True, eq=False)
class _Tree:
    """The nodes of one tree."""

    feature: Codes
    cut: Floats
    left: Codes
    number: Floats


def _start(data: Data) -> Floats:
    """The scores of all rows before the first step."""
    weights = np.bincount(data.classes, data.weights, minlength=len(data.labels))
    shares = np.maximum(weights / weights.sum(), SMALLEST_SHARE)
    return np.array([0.5 * np.log(shares[1] / shares[0])]) if len(shares) == 2 else np.log(shares)


class _Fitting:
    """The training data, and how trees are fitted to them."""

    def __init__(self, values: Floats, data: Data, learner: GradientBoosting) -> None:
        self.values, self.weights, self.learner = values, np.ascontiguousarray(data.weights), learner
        self.order = np.argsort(values, axis=1, kind="stable").astype(np.int32)
        self.is_class = one_hot(data.classes, len(data.labels))

    def step(self, scores: Floats, chosen: Bytes) -> list[_Tree]:
        """One tree for each score, which is raised by it."""
        from intemi.machines.trees.kernels.regression import grow_regression

        trees, residuals = list[_Tree](), self._residuals(scores)
        for column in range(scores.shape[1]):
            targets = np.ascontiguousarray(residuals[:, column])
            feature, cut, left, leaf = grow_regression(
                self.values, self.order, chosen, targets, self.weights, self.learner.leaves
            )
            number = self.learner.rate * self._numbers(targets, leaf, chosen, len(feature), scores.shape[1])
            number[feature >= 0] = 0.0
            scores[:, column] += number[leaf]
            trees.append(_Tree(feature, cut, left, number))
        return trees

    def _residuals(self, scores: Floats) -> Floats:
        if scores.shape[1] > 1:
            return np.asarray(self.is_class - _probabilities(scores))
        signs = 2 * self.is_class[:, 1:] - 1
        return np.asarray(2 * signs / (1 + np.exp(2 * signs * scores)))

    def _numbers(self, targets: Floats, leaf: Codes, chosen: Bytes, nodes: int, classes: int) -> Floats:
        """What each leaf adds: one step of Newton's method."""
        weights, sizes = self.weights * chosen, np.abs(targets)
        whole, factor = (2.0, 1.0) if classes == 1 else (1.0, (classes - 1) / classes)
        above = np.bincount(leaf, weights * targets, minlength=nodes)
        below = np.bincount(leaf, weights * sizes * (whole - sizes), minlength=nodes)
        return np.asarray(np.where(below > 1e-150, factor * above / np.maximum(below, 1e-150), 0.0))
