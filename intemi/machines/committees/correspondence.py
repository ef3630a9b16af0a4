"""Correspondence analysis of nominal columns, and the nearest class among its coordinates: what SCANN learns by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.machines.classifiers.training import one_hot, rows_to_learn_from
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner

SMALLEST = 1e-8
"""Axes with smaller singular values are left out."""
SAME = 1e-9
"""Distances that differ by less are equal."""


@storable
@dataclass(frozen=True, eq=False)
class Correspondence(Classifier):
    """Coordinates of rows of nominal columns, and the centre of each class among them."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    masses: Floats
    """The share of each category of each column; 0 if it did not occur."""
    axes: Floats
    """Categories × axes: what they add to the coordinates."""
    singular_values: Floats
    centroids: Floats
    """Classes × axes; infinite for a class that did not occur."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(all(each.categories is not None for each in self.columns), "correspondence is of nominal columns")
        count, dimensions = sum(len(each.categories or ()) for each in self.columns), len(self.singular_values)
        expect_floats(self.singular_values, None)
        expect_floats(self.masses, count)
        expect_floats(self.axes, count, dimensions)
        expect_floats(self.centroids, len(self.labels), dimensions)

    def coordinates(self, data: Data) -> Floats:
        """Where rows lie, one after the other."""
        profiles = indicators(data) / len(self.columns)
        return np.asarray((profiles - self.masses) @ self.axes)

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        """The nearest centre; of several at the same distance, the class that most of the columns have."""
        places = self.coordinates(data)
        distances = np.sqrt(((places[:, None, :] - self.centroids) ** 2).sum(axis=2))
        nearest = distances <= distances.min(axis=1, keepdims=True) + SAME
        answers = np.where(nearest, self._votes(data), -1.0).argmax(axis=1).astype(np.int32)
        return answers, one_hot(answers, len(self.labels))

    def _votes(self, data: Data) -> Floats:
        votes = np.zeros((len(data), len(self.labels)))
        for index, column in enumerate(self.columns):
            if column.categories == self.labels:
                told = np.flatnonzero(~np.isnan(data.feature(index)))
                votes[told, data.feature(index)[told].astype(np.intp)] += 1
        return votes

    def _probabilities(self, data: Data) -> Floats:
        return self._answers(data)[1]


class CorrespondenceAnalysis(Learner):
    """Answer with the class whose centre is nearest, in the coordinates of correspondence analysis of nominal columns.

    All axes are kept, or with a `share` the fewest that reach this share of the inertia. Rows count the same, whatever
    their weights. Results: "Axes" and "Inertia".

    >>> from intemi.data import Table
    >>> columns = [Column("first", ("a", "b")), Column("second", ("a", "b"))]
    >>> data = Data(Table(columns, [[0, 0, 1, 1], [0, 1, 1, 1]], Column("class", ("a", "b")), [0, 0, 1, 1]))
    >>> CorrespondenceAnalysis().run(data).outputs["classifier"].singular_values.round(6).tolist()
    [0.888074, 0.459701]
    """

    share: float | None = parameter(default=None, above=0, at_most=1)

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        if not data.columns or not all(column.is_nominal for column in data.columns):
            raise ConfigurationError(f"{self.kind}: nominal columns are needed, got {data!r}")
        table = indicators(data)
        masses = table.mean(axis=0) / len(data.columns)
        occurs = masses > 0
        root = np.sqrt(masses[occurs])
        deviations = (table[:, occurs] / len(data.columns) - masses[occurs]) / root / np.sqrt(len(data))
        _, values, directions = np.linalg.svd(deviations, full_matrices=False)
        kept = self._kept(values)
        axes = np.zeros((len(masses), kept))
        axes[occurs] = _signed(directions[:kept]).T / root[:, None]
        made = Correspondence(
            data.columns, data.labels, masses, axes, values[:kept], np.empty((len(data.labels), kept))
        )
        places = made.coordinates(data)
        centroids = np.full((len(data.labels), kept), np.inf)
        for label in np.unique(data.classes).tolist():
            centroids[label] = places[data.classes == label].mean(axis=0)
        classifier = Correspondence(data.columns, data.labels, masses, axes, values[:kept], centroids)
        return Model(classifier=classifier, results={"Axes": kept, "Inertia": float((values**2).sum())})

    def _kept(self, values: Floats) -> int:
        count = int((values > SMALLEST).sum())
        if self.share is None or not count:
            return count
        reached = np.cumsum(values**2) / (values**2).sum()
        return min(count, int(np.searchsorted(reached, self.share - SAME)) + 1)


def indicators(data: Data) -> Floats:
    """Rows × categories of all columns: 1 where the row has it. A missing value has none."""
    parts = []
    for index, column in enumerate(data.columns):
        codes = np.arange(len(column.categories or ()))
        parts.append(data.feature(index)[:, None] == codes)
    return np.concatenate(parts, axis=1).astype(np.float64)


def _signed(directions: Floats) -> Floats:
    """Directions whose greatest coefficient is positive: the sign of an axis is arbitrary, so it is settled."""
    if not directions.size:
        return directions
    greatest = np.abs(directions).round(9).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), greatest])
    return np.asarray(directions * signs[:, None])
