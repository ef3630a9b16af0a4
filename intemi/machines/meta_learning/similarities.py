"""Similarities: how much a data set of the knowledge base resembles the present one, by results of the same machines.

They compare the shapes of profiles, not their levels: a data set that is harder for all machines alike is similar.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.kernel import Component, parameter
from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats


class Similarity(Component):
    """A weight for each data set: 0 if it says nothing about the present one."""

    @abstractmethod
    def weights(self, profile: Floats, known: Floats) -> Floats:
        """The weights, for the results of some machines on the present data and on others.

        `profile`: a result for each machine. `known`: data sets × the same machines, NaN where a result is not known.
        """


class Pearson(Similarity):
    """The correlation coefficient; data sets that correlate negatively are ignored, not turned over.

    >>> Pearson().weights(np.array([0.7, 0.8, 0.9]), np.array([[0.5, 0.6, 0.7], [0.9, 0.8, 0.7]])).round(6).tolist()
    [1.0, 0.0]
    """

    def weights(self, profile: Floats, known: Floats) -> Floats:
        return np.maximum(correlations(profile, known), 0.0)


class Spearman(Similarity):
    """The correlation of ranks; those that correlate negatively are ignored."""

    def weights(self, profile: Floats, known: Floats) -> Floats:
        rankdata = library("scipy.stats").rankdata
        seen = np.where(np.isnan(known), np.nan, profile)
        ranks = rankdata(seen, axis=1, nan_policy="omit")
        return np.maximum(correlations(ranks, rankdata(known, axis=1, nan_policy="omit")), 0.0)


class Concordance(Similarity):
    """The share of pairs of machines that are in the same order, less the share of those that are not; at least 0."""

    def weights(self, profile: Floats, known: Floats) -> Floats:
        first, second = np.triu_indices(len(profile), 1)
        agreement = np.sign(profile[first] - profile[second]) * np.sign(known[:, first] - known[:, second])
        counts = (~np.isnan(agreement)).sum(axis=1)
        return np.asarray(np.maximum(np.nansum(agreement, axis=1) / np.maximum(counts, 1), 0.0))


class Nearest(Similarity):
    """1 for the nearest data sets, 0 for others; distances are Euclidean, between results in standard units.

    Without `standardize` levels count as well as shapes.

    >>> profile, known = np.array([0.1, 0.3]), np.array([[0.8, 0.9], [0.3, 0.1], [0.2, 0.4]])
    >>> Nearest(count=2).weights(profile, known).tolist()
    [1.0, 0.0, 1.0]
    """

    count: int = parameter(default=5, at_least=1, search=(1, 3, 5, 9))
    standardize: bool = True

    def weights(self, profile: Floats, known: Floats) -> Floats:
        distances = squared_distances(profile, known, self.standardize)
        chosen = np.argsort(distances, kind="stable")[: self.count]
        weights = np.zeros(len(known))
        weights[chosen] = np.isfinite(distances[chosen])
        return weights


class InverseDistance(Similarity):
    """1 / (1 + d²), where d is the distance between results in standard units."""

    standardize: bool = True

    def weights(self, profile: Floats, known: Floats) -> Floats:
        return np.asarray(1 / (1 + squared_distances(profile, known, self.standardize)))


def correlations(profile: Floats, known: Floats) -> Floats:
    """Pearson's coefficient of the profile with each row, over what is known of both; 0 where one is constant.

    The profile may be a row for each row of the others.
    """
    there = ~np.isnan(known)
    left, right = _centred(np.where(there, profile, 0.0), there), _centred(np.where(there, known, 0.0), there)
    products, variances = (left * right).sum(axis=1), (left**2).sum(axis=1) * (right**2).sum(axis=1)
    flat = variances <= 1e-24
    return np.where(flat, 0.0, products / np.sqrt(np.where(flat, 1.0, variances)))


def squared_distances(profile: Floats, known: Floats, standardize: bool) -> Floats:
    """The mean squared difference from each row, times the number of machines; infinite if nothing is known of both."""
    there = ~np.isnan(known)
    left, right = np.where(there, profile, 0.0), np.where(there, known, 0.0)
    if standardize:
        left, right = _standardized(left, there), _standardized(right, there)
    counts = there.sum(axis=1)
    sums = (((left - right) * there) ** 2).sum(axis=1)
    return np.where(counts > 0, sums * len(profile) / np.maximum(counts, 1), np.inf)


def _centred(values: Floats, there: Floats) -> Floats:
    counts = np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.asarray((values - values.sum(axis=1, keepdims=True) / counts) * there)


def _standardized(values: Floats, there: Floats) -> Floats:
    centred = _centred(values, there)
    deviations = np.sqrt((centred**2).sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1, keepdims=True), 1))
    return np.asarray(centred / np.where(deviations > 1e-12, deviations, 1.0))
