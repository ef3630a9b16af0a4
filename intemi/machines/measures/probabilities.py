"""Measures of the probabilities that a classifier gives: how sure it is, and whether it may be."""

from __future__ import annotations

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.measures.measure import Measure
from intemi.machines.measures.shares import share

EPSILON = float(np.finfo(np.float64).eps)


class LogLoss(Measure):
    """The mean of −log p of the true class, with p kept from 0 and 1 by the precision of floats."""

    best = "lowest"

    def of(self, true: Codes, probabilities: Floats, weights: Floats) -> float:
        told = probabilities[np.arange(len(true)), true]
        kept = np.minimum(np.maximum(told, EPSILON), 1 - EPSILON)
        return share(-float(weights @ np.log(kept)), weights.sum())


class BrierScore(Measure):
    """The squared error of the probabilities, summed over all classes (Brier 1950): from 0 to 2.

    `half` halves it, as is usual for two classes, where it is then the squared error of the probability of either.
    """

    half: bool = False

    best = "lowest"

    def of(self, true: Codes, probabilities: Floats, weights: Floats) -> float:
        errors = probabilities.copy()
        errors[np.arange(len(true)), true] -= 1
        found = share(float(weights @ (errors**2).sum(axis=1)), weights.sum())
        return found / 2 if self.half else found


class CalibrationError(Measure):
    """How far the probability of the answered class is from the share of right answers (Guo et al. 2017, "ECE").

    Cases are put into bins of equal width by the probability of the answered class, (0, 1/bins], (1/bins, 2/bins] and
    so on, with 0 in the first. The differences of mean probability and accuracy in all bins are averaged, by weight.
    """

    bins: int = parameter(default=10, at_least=1)

    best = "lowest"

    def of(self, true: Codes, answers: Codes, probabilities: Floats, weights: Floats) -> float:
        sure = probabilities[np.arange(len(answers)), answers]
        bin_of = (np.arange(1, self.bins) / self.bins).searchsorted(sure, "left")
        gaps = np.bincount(bin_of, weights * (sure - (answers == true)), minlength=self.bins)
        return share(float(np.abs(gaps).sum()), weights.sum())


class TopKAccuracy(Measure):
    """How often the true class is among the `k` most probable ones; the first of equally probable classes come first.

    >>> TopKAccuracy(k=3).name
    'Top-3 accuracy'
    """

    k: int = parameter(default=2, at_least=1)

    @property
    def name(self) -> str:
        """The label of the result."""
        return f"Top-{self.k} accuracy"

    def of(self, true: Codes, probabilities: Floats, weights: Floats) -> float:
        told = probabilities[np.arange(len(true)), true][:, None]
        earlier = np.arange(probabilities.shape[1]) < true[:, None]
        before = (probabilities > told) | ((probabilities == told) & earlier)
        return share(float(weights @ (before.sum(axis=1) < self.k)), weights.sum())
