"""k nearest neighbours: a row is of the class of most of the rows that are nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.machines.classifiers.distances import Distance, Euclidean
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.decoded import expect, expect_data
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner
from intemi.machines.search.steps import Steps

AT_ONCE = 2**21
"""Distances that are computed at one time, to keep memory within bounds."""
FEW = 16
"""Up to so many neighbors, finding one after the other is quicker than dividing all rows into nearer and farther."""


@storable
@dataclass(frozen=True, eq=False)
class NearestNeighbors(Classifier):
    """The rows that were learned, a view of their table, and how many of them are asked."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    known: Data
    k: int
    distance: Distance
    weights: Literal["uniform", "distance"]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_data(self.known, self.columns)
        expect(len(self.known) > 0 and self.known.labels == self.labels, "rows that were learned have classes")
        expect(self.known.classes.min() >= 0, "the classes of rows that were learned are known")
        expect(type(self.k) is int and self.k >= 1 and isinstance(self.distance, Distance), "neighbours are counted")

    def _probabilities(self, data: Data) -> Floats:
        known, rows = self.distance.numbers("KNN", self.known), self.distance.numbers("KNN", data)
        step = max(1, AT_ONCE // len(known))
        parts = [self._votes(rows[start : start + step], known) for start in range(0, len(rows), step)]
        votes = np.concatenate(parts) if parts else np.zeros((0, len(self.labels)))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _votes(self, rows: Floats, known: Floats) -> Floats:
        distances = self.distance.between(rows, known)
        nearest = nearest_first_rows(distances, self.k)
        votes = self.known.weights[nearest]
        if self.weights == "distance":
            votes = votes * closeness(np.take_along_axis(distances, nearest, axis=1))
        count = len(self.labels)
        places = self.known.classes[nearest] + count * np.arange(len(rows))[:, None]
        sums = np.bincount(places.ravel(), votes.ravel(), minlength=count * len(rows))
        return np.asarray(sums.reshape(-1, count), dtype=np.float64)


def nearest_first_rows(distances: Floats, k: int) -> Codes:
    """For each row the places of the k least distances, ascending; of equal ones those that come first.

    >>> nearest_first_rows(np.array([[3.0, 1.0, 2.0, 1.0, 2.0]]), 3).tolist()
    [[1, 2, 3]]
    """
    if k > FEW:
        return _by_partition(distances, k)
    left, every = distances.copy(), np.arange(len(distances))
    nearest = np.empty((k, len(distances)), dtype=np.intp)
    total = np.zeros(len(distances))
    for found in nearest:
        left.argmin(axis=1, out=found)
        total += left[every, found]
        left[every, found] = np.inf  # not to be found again
    if not np.isfinite(total).all():  # too few are finite to tell what was found from what was not
        return _by_partition(distances, k)
    nearest.sort(axis=0)
    return nearest.T.astype(np.int32)


def _by_partition(distances: Floats, k: int) -> Codes:
    """All places up to the greatest of the k least distances, fewer where that is found in several."""
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    chosen = distances <= farthest
    tied = np.flatnonzero(chosen.sum(axis=1) > k)
    if len(tied):
        nearer = distances[tied] < farthest[tied]
        equal = chosen[tied] & ~nearer
        wanted = k - nearer.sum(axis=1, keepdims=True)
        chosen[tied] = nearer | (equal & (equal.cumsum(axis=1) <= wanted))
    return np.asarray(np.nonzero(chosen)[1].reshape(-1, k), dtype=np.int32)


def closeness(distances: Floats) -> Floats:
    """The inverse of each distance; where some of a row are 0, only these count, and where all are infinite, all do."""
    with np.errstate(divide="ignore"):
        inverse = 1.0 / distances
    inverse[~inverse.any(axis=1)] = 1.0
    infinite = np.isinf(inverse)
    return np.where(infinite.any(axis=1, keepdims=True), infinite, inverse)


class KNN(Learner):
    """Answer with the class of most of the k nearest rows, of several such with the first.

    Of rows at the same distance those that come first in the data are nearer, so the answer depends on nothing but the
    data. A row votes with its weight; `weights="distance"` divides that by its distance.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     knn = project.run(KNN(k=1), data=project.given(data))
    ...     knn.outputs["classifier"].classify(data).tolist()
    [0, 0, 1, 1]
    """

    compares_distances = True
    uses_weights = True

    k: int = parameter(default=5, at_least=1)
    distance: Distance = Euclidean()
    weights: Literal["uniform", "distance"] = "uniform"

    def default_scenario(self) -> Steps:
        """Odd numbers, which make ties of two classes rare."""
        return Steps("k", start=1, step=2, count=10)

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        self.distance.numbers(self.kind, data)
        if self.k > len(data):
            raise ConfigurationError(f"KNN: k must be at most the number of rows, {len(data)}, got {self.k}")
        known = NearestNeighbors(data.columns, data.labels, data, self.k, self.distance, self.weights)
        return Model(classifier=known)
