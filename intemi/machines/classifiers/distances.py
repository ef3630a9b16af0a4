"""Distances between rows of numbers."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.kernel import Component, parameter
from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats


class Distance(Component):
    """How far rows of numbers are from each other."""

    @abstractmethod
    def between(self, rows: Floats, others: Floats) -> Floats:
        """The distance from each row to each of the others."""


class Euclidean(Distance):
    """The root of the sum of squared differences.

    >>> Euclidean().between([[0.0, 0.0]], [[3.0, 4.0], [0.0, 2.0]]).tolist()
    [[5.0, 2.0]]
    """

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "euclidean", 2.0)


class Manhattan(Distance):
    """The sum of absolute differences."""

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "cityblock", 1.0)


class Minkowski(Distance):
    """The p-norm of the differences: Manhattan for p = 1, Euclidean for p = 2."""

    p: float = parameter(default=3.0, at_least=1, search=(1.0, 2.0, 3.0, 4.0))

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "minkowski", self.p, p=self.p)


def _distances(rows: Floats, others: Floats, name: str, norm: float, **options: float) -> Floats:
    cdist = library("scipy.spatial.distance").cdist

    distances: Floats = cdist(rows, others, name, **options)
    if (
        distances.max(initial=0.0) == np.inf
    ):  # powers of differences exceed the greatest number long before distances do
        for row in np.flatnonzero(np.isinf(distances).any(axis=1)):
            far = np.isinf(distances[row])
            distances[row, far] = _far(rows[row], others[far], norm)
    return distances


def _far(row: Floats, others: Floats, norm: float) -> Floats:
    """The greatest difference times the norm of all relative to it; of halves, whose difference is always finite."""
    halves = np.abs(row / 2 - others / 2)
    greatest = halves.max(axis=1)
    relative = np.linalg.norm(halves / greatest[:, None], ord=norm, axis=1)
    with np.errstate(over="ignore"):
        return np.asarray(2 * greatest * relative)
