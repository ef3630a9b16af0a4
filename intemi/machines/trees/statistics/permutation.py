"""Conditional inference: the association of a feature with the class, against its distribution over permutations.

The statistics are those of Strasser and Weber in the closed forms they have for classes: with T the sums of a feature
(or of the indicators of its categories) in classes, `quadratic` is (T − μ)ᵀ Σ⁺ (T − μ), `greatest` is max |T − μ| /
√diag Σ.
"""

from __future__ import annotations

import math

import numpy as np

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.statistics.contingency import pearson_of_parts, without_empty
from intemi.machines.trees.statistics.moments import ClassMoments
from intemi.machines.trees.statistics.tails import log_p_chi_squared
from intemi.machines.trees.statistics.variance import Tested


def quadratic_numeric(moments: ClassMoments) -> Tested:
    """(W − 1) SSB / SST of each numeric feature, a χ² with one degree of freedom less than classes.

    >>> from intemi.machines.trees.statistics.moments import class_moments
    >>> classes = np.array([0, 0, 0, 1, 0, 1, 1, 1], np.int32)
    >>> statistic, df, log_p = quadratic_numeric(class_moments(np.arange(8.0)[None], classes, np.ones(8), 2))
    >>> statistic.round(6), df, np.exp(log_p).round(6)
    (array([4.083333]), array([1.]), array([0.043308]))
    """
    between, total = moments.between, moments.between + moments.within
    constant = total <= 0
    df = np.where(constant | (moments.total <= 1), 0.0, np.maximum(moments.present - 1, 0.0))
    statistic = np.where(df > 0, (moments.total - 1) * between / np.where(constant, 1.0, total), 0.0)
    return Tested(statistic, df, log_p_chi_squared(statistic, df))


def quadratic_nominal(table: Floats) -> tuple[float, int, float]:
    """Statistic, degrees of freedom and log p of a table of categories by classes: (W − 1)/W of Pearson's χ².

    >>> statistic, df, log_p = quadratic_nominal(np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]))
    >>> round(statistic, 6), df, round(math.exp(log_p), 6)
    (3.293333, 2, 0.192691)
    """
    starts, counts = np.zeros(1, dtype=np.int32), np.full(1, len(table), dtype=np.int32)
    [statistic], [df], [log_p] = quadratic_of_parts(table, starts, counts)
    return float(statistic), int(df), float(log_p)


def quadratic_of_parts(tables: Floats, starts: Codes, counts: Codes) -> Tested:
    """The same of tables that are one below the other: of so many rows from these on."""
    chi2, df = pearson_of_parts(tables, starts, counts)
    total = np.array([tables[start : start + count].sum() for start, count in zip(starts, counts, strict=True)])
    possible = (df > 0) & (total > 1)
    df = np.where(possible, df, 0.0)
    statistic = np.where(possible, (total - 1) / np.where(possible, total, 1.0) * chi2, 0.0)
    return Tested(statistic, df, log_p_chi_squared(statistic, df))


def greatest_numeric(moments: ClassMoments, feature: int) -> tuple[float, float]:
    """The greatest standardized sum of a numeric feature over classes, and its log p.

    >>> from intemi.machines.trees.statistics.moments import class_moments
    >>> classes = np.array([0, 0, 0, 1, 0, 1, 1, 1], np.int32)
    >>> moments = class_moments(np.arange(8.0)[None], classes, np.ones(8), 2)
    >>> greatest, log_p = greatest_numeric(moments, 0)
    >>> round(greatest, 6), round(math.exp(log_p), 6)
    (2.020726, 0.043308)
    """
    there = moments.weights[feature] > 0
    weights = moments.weights[feature, there]
    total = float(weights.sum())
    squares = float((moments.between + moments.within)[feature])
    if len(weights) < 2 or total <= 1 or squares <= 0:
        return 0.0, 0.0
    priors = weights / total
    sums = weights * (moments.means[feature, there] - moments.mean[feature])
    covariance = (np.diag(priors) - np.outer(priors, priors)) * (squares * total / (total - 1))
    return _greatest(sums, covariance)


def greatest_nominal(table: Floats) -> tuple[float, float]:
    """The greatest standardized cell of a table of categories by classes, and its log p.

    >>> greatest, _ = greatest_nominal(np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]))
    >>> round(greatest, 6)
    1.699673
    """
    table = without_empty(table)
    if min(table.shape) < 2 or table.sum() <= 1:
        return 0.0, 0.0
    total = float(table.sum())
    rows, priors = table.sum(axis=1), table.sum(axis=0) / total
    spread = np.diag(rows) - np.outer(rows, rows) / total
    covariance = np.kron(np.diag(priors) - np.outer(priors, priors), spread) * total / (total - 1)
    return _greatest((table - np.outer(rows, priors)).T.ravel(), covariance)


def _greatest(deviations: Floats, covariance: Floats) -> tuple[float, float]:
    """max |d| / √variance, and the log p of the maximum of normal variables with that covariance."""
    variances = np.diag(covariance)
    useful = variances > 1e-10 * variances.max(initial=0.0)
    scale = np.sqrt(variances[useful])
    greatest = float((np.abs(deviations[useful]) / scale).max(initial=0.0))
    correlation = covariance[np.ix_(useful, useful)] / np.outer(scale, scale)
    return greatest, log_p_of_maximum(greatest, correlation)


def log_p_of_maximum(greatest: float, correlation: Floats) -> float:
    """The log p of the largest absolute value of normal variables; of a singular correlation as well.

    Small ones are those of the bound by the sum over the variables (opposite ones counted once), which is close then.

    >>> round(math.exp(log_p_of_maximum(1.959964, np.array([[1.0, -1.0], [-1.0, 1.0]]))), 6)
    0.05
    """
    log_ndtr = library("scipy.special").log_ndtr

    different = _different(correlation)
    bound = math.log(2 * len(different)) + float(log_ndtr(-greatest))
    if len(different) == 1 or bound < math.log(1e-4):
        return min(0.0, bound)
    multivariate_normal = library("scipy.stats").multivariate_normal

    size = len(different)
    inside = multivariate_normal.cdf(
        np.full(size, greatest),
        lower_limit=np.full(size, -greatest),
        cov=correlation[np.ix_(different, different)],
        allow_singular=True,
        maxpts=25_000,  # as in R's mvtnorm: good for three digits in some hundredths of a second
        abseps=1e-4,
        releps=0,
        rng=np.random.default_rng(0),  # points of an integration, not a choice
    )
    return min(0.0, bound, math.log(max(1.0 - float(inside), 1e-300)))


def _different(correlation: Floats) -> list[int]:
    """Variables that are neither equal nor opposite to an earlier one."""
    kept: list[int] = []
    for index in range(len(correlation)):
        if all(abs(correlation[index, other]) < 1 - 1e-9 for other in kept):
            kept.append(index)
    return kept
