"""Analysis of variance: whether the means, or the spreads, of numeric features differ between classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.statistics.moments import ClassMoments, class_moments, distances
from intemi.machines.trees.statistics.tails import log_p_beta


class Tested(NamedTuple):
    """What a test says of each of some features."""

    statistic: Floats
    df: Floats
    """Degrees of freedom; of an F test those of the numerator."""
    log_p: Floats

    def and_those(self, other: Tested) -> Tested:
        """What was said of these features, and of others."""
        return Tested(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def analysis_of_variance(moments: ClassMoments) -> Tested:
    """One-way F tests. A feature without a spread within classes has F = ∞ if means differ, else 0.

    >>> features, classes = np.array([[1.0, 2, 3, 4, 5, 6, 7, 9, 11]]), np.repeat([0, 1, 2], 3).astype(np.int32)
    >>> f, df, log_p = analysis_of_variance(class_moments(features, classes, np.ones(9), 3))
    >>> f, df, np.exp(log_p).round(7)
    (array([18.5]), array([2.]), array([0.0027167]))
    """
    f, df, *tail = kernels.moments.f_tests(moments.total, moments.present, moments.between, moments.within)
    return Tested(f, df, log_p_beta(*tail))


def levene(features: Floats, classes: Codes, weights: Floats, moments: ClassMoments) -> Tested:
    """F tests of the distances from the means of the classes.

    >>> features, classes = np.array([[1.0, 2, 3, 4, 5, 6, 7, 9, 11]]), np.repeat([0, 1, 2], 3).astype(np.int32)
    >>> moments = class_moments(features, classes, np.ones(9), 3)
    >>> levene(features, classes, np.ones(9), moments).statistic.round(7)
    array([0.6666667])
    """
    means = moments.means
    return analysis_of_variance(class_moments(distances(features, means, classes), classes, weights, means.shape[1]))
