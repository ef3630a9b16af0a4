"""Measures of classification, of a confusion matrix or of probabilities; rows of the matrix are the true classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats


def confusion_matrix(true: Codes, answered: Codes, weights: Floats, count: int) -> Floats:
    """The weight of the cases of each class (a row) that were answered with each class (a column)."""
    sums = np.bincount(true * count + answered, weights, minlength=count * count)
    return np.asarray(sums.reshape(count, count), dtype=np.float64)


def accuracy(confusion: Floats) -> float:
    """The share of right answers."""
    return _share(np.trace(confusion), confusion.sum())


def balanced_accuracy(confusion: Floats) -> float:
    """The share of right answers within a class, averaged over the classes that occur."""
    sizes = confusion.sum(axis=1)
    present = sizes > 0
    return float(np.mean(np.diag(confusion)[present] / sizes[present])) if present.any() else np.nan


def kappa(confusion: Floats) -> float:
    """How far the accuracy exceeds that of answers drawn at random with the same frequencies (Cohen)."""
    expected = confusion.sum(axis=1) @ confusion.sum(axis=0) / (confusion.sum() or 1.0)
    return _share(np.trace(confusion) - expected, confusion.sum() - expected)


def log_loss(true: Codes, probabilities: Floats, weights: Floats) -> float:
    """The mean of −log p of the true class, with p kept from 0 and 1 by the precision of floats."""
    tiny = np.finfo(np.float64).eps
    told = np.clip(probabilities[np.arange(len(true)), true], tiny, 1 - tiny)
    return _share(-float(weights @ np.log(told)), weights.sum())


def auc(true: Codes, probabilities: Floats, weights: Floats) -> float:
    """The area under the ROC curve of each class against the rest, averaged over the classes that occur."""
    areas = [_area(true == label, probabilities[:, label], weights) for label in range(probabilities.shape[1])]
    defined = [area for area in areas if not np.isnan(area)]
    return float(np.mean(defined)) if defined else np.nan


def _area(positive: NDArray[np.bool_], scores: Floats, weights: Floats) -> float:
    """How often a positive case has a higher score than a negative one; half of the time where they are equal."""
    distinct, place = np.unique(scores, return_inverse=True)
    up = np.bincount(place, weights * positive, minlength=len(distinct))
    down = np.bincount(place, weights * ~positive, minlength=len(distinct))
    return _share(float(up @ (np.cumsum(down) - down / 2)), up.sum() * down.sum())


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else np.nan
