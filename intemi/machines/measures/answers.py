"""Measures of the answered classes: all are computed from the confusion matrix, whose rows are the true classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.measures.measure import Measure
from intemi.machines.measures.shares import share


class ClassificationAccuracy(Measure):
    """The share of right answers."""

    name = "Accuracy"

    def of(self, confusion: Floats) -> float:
        return share(confusion.trace(), confusion.sum())


class BalancedAccuracy(Measure):
    """The share of right answers within a class, averaged over the classes that occur."""

    name = "Balanced accuracy"

    def of(self, confusion: Floats) -> float:
        sizes = confusion.sum(axis=1)
        present = sizes > 0
        shares = confusion.diagonal()[present] / sizes[present]
        return share(shares.sum(), len(shares))


class Kappa(Measure):
    """How far the accuracy exceeds that of answers drawn at random with the same frequencies (Cohen 1960)."""

    def of(self, confusion: Floats) -> float:
        true, answered = confusion.sum(axis=1), confusion.sum(axis=0)
        total = answered.sum()
        wrong_by_chance = float(true @ (total - answered)) / (total or 1.0)  # exactly 0 where there is but one class
        return 1 - share(total - confusion.trace(), wrong_by_chance)


class MCC(Measure):
    """The correlation of true and answered classes (Matthews 1975; for several classes, Gorodkin 2004).

    0 where one class is all that occurs, or all that is answered.
    """

    def of(self, confusion: Floats) -> float:
        true, answered, total = confusion.sum(axis=1), confusion.sum(axis=0), confusion.sum()
        spread = (total**2 - true @ true) * (total**2 - answered @ answered)
        if spread <= 1e-14 * total**4:  # that is 0, but for rounding
            return 0.0 if total else math.nan
        return float((confusion.trace() * total - true @ answered) / math.sqrt(spread))


class MeanCost(Measure):
    """What an answer costs on average, where `cost[i][j]` is what it costs to answer class i where j is right.

    >>> MeanCost(((0, 10), (1, 0)))
    MeanCost(cost=((0.0, 10.0), (1.0, 0.0)))
    """

    cost: tuple[tuple[float, ...], ...]

    name = "Mean cost"
    best = "lowest"

    def check(self) -> None:
        if not self.cost or any(len(row) != len(self.cost) for row in self.cost):
            raise ConfigurationError(f"MeanCost: cost must have as many rows as columns, got {self.cost!r}")
        if not all(math.isfinite(each) for row in self.cost for each in row):
            raise ConfigurationError(f"MeanCost: cost must consist of finite numbers, got {self.cost!r}")

    def of(self, confusion: Floats) -> float:
        if len(self.cost) != len(confusion):
            raise ConfigurationError(
                f"MeanCost: cost is for {len(self.cost)} classes, but the data have {len(confusion)}"
            )
        return share((confusion.T * self.cost).sum(), confusion.sum())


class ConfusionMatrix(Measure):
    """The weight of the cases of each class (a row) that were answered with each class (a column)."""

    best = None

    def of(self, confusion: Floats) -> Floats:
        return confusion


class Correctness(Measure):
    """Whether the answer is right, for each row: what tests of single answers, such as McNemar's, are about."""

    name = "Correct"
    best = None

    def of(self, true: Codes, answers: Codes) -> NDArray[np.bool_]:
        return np.asarray(answers == true)


class Margins(Measure):
    """How much more probable the true class is than the best other one, for each row: above 0 the answer is right.

    Rows that weigh nothing are left out.

    >>> Margins().of(np.array([0, 1]), np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]]), np.ones(2)).round(2).tolist()
    [0.5, -0.1]
    """

    name = "Margins"
    best = None

    def of(self, true: Codes, probabilities: Floats, weights: Floats) -> Floats:
        true, probabilities = true[weights > 0], probabilities[weights > 0]
        rows = np.arange(len(true))
        others = probabilities.copy()
        others[rows, true] = -np.inf
        best = others.max(axis=1) if probabilities.shape[1] > 1 else np.zeros(len(true))
        return np.asarray(probabilities[rows, true] - best)
