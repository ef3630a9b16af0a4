"""Distances between rows: of numbers, and of numbers and categories."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.data import Data
from intemi.kernel import Component, parameter
from intemi.kernel.libraries import library
from intemi.machines.classifiers.training import numbers_only
from intemi.machines.interfaces import Floats


class Distance(Component):
    """How far rows are from each other. Subclasses write `between`, and `numbers` if they take other columns."""

    def numbers(self, who: str, data: Data) -> Floats:
        """The rows of data as it compares them; an error if it cannot, on behalf of a machine."""
        return numbers_only(who, data)

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


class Mixed(Euclidean):
    """Euclidean for numeric columns, Hamming for nominal ones: two categories are 1 apart, whichever they are.

    A missing category is one more category; missing numbers are refused. Numbers count as their scale says, so bring
    them to that of categories before.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x"), Column("colour", ("red", "blue"))], [[0.0, 2.0], [0, 1]]))
    >>> rows = Mixed().numbers("doctest", data)
    >>> (Mixed().between(rows, rows) ** 2).round(9).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """

    def numbers(self, who: str, data: Data) -> Floats:
        numeric = [index for index, column in enumerate(data.columns) if not column.is_nominal]
        parts = [numbers_only(who, data.select_columns(numeric))]
        for index, column in enumerate(data.columns):
            if column.categories is not None:
                codes = np.nan_to_num(data.feature(index), nan=len(column.categories)).astype(np.intp)
                # Two rows with different ones differ in two columns: half a square each.
                parts.append(np.sqrt(0.5) * np.eye(len(column.categories) + 1)[codes])
        return np.ascontiguousarray(np.hstack(parts))


class Mahalanobis(Distance):
    """Euclidean, after the other rows were brought to unit variance in all directions.

    Directions in which the other rows do not vary do not count.

    >>> others = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 20.0], [2.0, 20.0]])
    >>> Mahalanobis().between(np.array([[1.0, 10.0]]), others).round(3).tolist()
    [[1.225, 1.225, 1.225, 1.225]]
    """

    def between(self, rows: Floats, others: Floats) -> Floats:
        # Scales of columns make no difference; within 1, no square is infinite.
        greatest = np.abs(others).max(axis=0, initial=0.0)
        scale = np.where(greatest > 0, greatest, 1.0)
        rows, others = rows / scale, others / scale
        centre = others.mean(axis=0)
        centered = others - centre
        variances, directions = np.linalg.eigh(centered.T @ centered / max(1, len(others) - 1))
        varies = variances > variances.max(initial=0.0) * max(others.shape) * np.finfo(float).eps
        unit = directions[:, varies] / np.sqrt(variances[varies])
        return _distances((rows - centre) @ unit, centered @ unit, "euclidean", 2.0)


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
