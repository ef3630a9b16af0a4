"""Distances between rows of numbers."""

from __future__ import annotations

from intemi.kernel import Component, parameter
from intemi.machines.interfaces import Floats


class Distance(Component):
    """How far rows of numbers are from each other."""

    def between(self, rows: Floats, others: Floats) -> Floats:
        """The distance from each row to each of the others."""
        raise NotImplementedError(f"{self.kind}: write its method between")


class Euclidean(Distance):
    """The root of the sum of squared differences.

    >>> Euclidean().between([[0.0, 0.0]], [[3.0, 4.0], [0.0, 2.0]]).tolist()
    [[5.0, 2.0]]
    """

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "euclidean")


class Manhattan(Distance):
    """The sum of absolute differences."""

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "cityblock")


class Minkowski(Distance):
    """The p-norm of the differences: Manhattan for p = 1, Euclidean for p = 2."""

    p: float = parameter(default=3.0, at_least=1)

    def between(self, rows: Floats, others: Floats) -> Floats:
        return _distances(rows, others, "minkowski", p=self.p)


def _distances(rows: Floats, others: Floats, name: str, **options: float) -> Floats:
    from scipy.spatial.distance import cdist

    distances: Floats = cdist(rows, others, name, **options)
    return distances
