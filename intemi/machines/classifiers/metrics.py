"""Measures of classification, of a confusion matrix or of probabilities; rows of the matrix are the true classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats

EPSILON = float(np.finfo(np.float64).eps)


def confusion_matrix(true: Codes, answered: Codes, weights: Floats, count: int) -> Floats:
    """The weight of the cases of each class (a row) that were answered with each class (a column)."""
    sums = np.bincount(true * count + answered, weights, minlength=count * count)
    return np.asarray(sums.reshape(count, count), dtype=np.float64)


def accuracy(confusion: Floats) -> float:
    """The share of right answers."""
    return _share(confusion.trace(), confusion.sum())


def balanced_accuracy(confusion: Floats) -> float:
    """The share of right answers within a class, averaged over the classes that occur."""
    sizes = confusion.sum(axis=1)
    present = sizes > 0
    shares = confusion.diagonal()[present] / sizes[present]
    return _share(shares.sum(), len(shares))


def kappa(confusion: Floats) -> float:
    """How far the accuracy exceeds that of answers drawn at random with the same frequencies (Cohen)."""
    total = confusion.sum()
    expected = confusion.sum(axis=1) @ confusion.sum(axis=0) / (total or 1.0)
    return _share(confusion.trace() - expected, total - expected)


def log_loss(true: Codes, probabilities: Floats, weights: Floats) -> float:
    """The mean of −log p of the true class, with p kept from 0 and 1 by the precision of floats."""
    told = probabilities[np.arange(len(true)), true]
    kept = np.minimum(np.maximum(told, EPSILON), 1 - EPSILON)
    return _share(-float(weights @ np.log(kept)), weights.sum())


def auc(true: Codes, probabilities: Floats, weights: Floats) -> float:
    """The area under the ROC curve of each class against the rest, averaged over the classes that occur."""
    areas = [_area(true == label, scores, weights) for label, scores in enumerate(probabilities.T)]
    defined = [area for area in areas if area == area]
    return sum(defined) / len(defined) if defined else np.nan


def _area(positive: NDArray[np.bool_], scores: Floats, weights: Floats) -> float:
    """How often a positive case has a higher score than a negative one; half of the time where they are equal."""
    negative = ~positive
    others, theirs, ours = scores[negative], weights[negative], weights[positive]
    order = others.argsort()
    others = others[order]
    up_to = np.zeros(len(others) + 1)
    theirs[order].cumsum(out=up_to[1:])
    below, reached = (up_to[others.searchsorted(scores[positive], side)] for side in ("left", "right"))
    return _share(float(ours @ (below + reached)) / 2, ours.sum() * up_to[-1])


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else np.nan
