"""k nearest neighbours, with the k that does best when each row is asked about without itself."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import Model, parameter
from intemi.machines.classifiers.distances import Distance, Euclidean
from intemi.machines.classifiers.knn import AT_ONCE, NearestNeighbors
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.interfaces import Floats
from intemi.machines.roles import Learner


class TunedKNN(Learner):
    """Answer with the class of most of the k nearest rows; k is chosen by leave-one-out, the smallest of equal ones.

    Up to `most` neighbours are tried. Distances are computed once for all of them. What it learns is what `KNN` with
    the chosen k would be. Results: "k" and the "Leave-one-out error" of that k.

    >>> from intemi.data import Column, Table
    >>> x, y = [1, 2, 3, 4, 11, 12, 13, 14], [0, 1, 0, 0, 1, 1, 0, 1]
    >>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
    >>> TunedKNN().run(data).results
    {'k': 3, 'Leave-one-out error': 0.25}
    """

    most: int = parameter(default=30, at_least=1, search=(10, 30, 100))
    distance: Distance = Euclidean()

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        errors = self._errors(data, self.distance.numbers(self.kind, data))
        best = int(np.argmax(errors <= errors.min() + 1e-12)) if len(errors) else 0
        known = NearestNeighbors(data.columns, data.labels, data, best + 1, self.distance, "uniform")
        error = float(errors[best]) if len(errors) else float("nan")
        return Model(classifier=known, results={"k": best + 1, "Leave-one-out error": error})

    def _errors(self, data: Data, rows: Floats) -> Floats:
        """The weighted share of rows that each k from 1 gets wrong."""
        most, size = min(self.most, len(data) - 1), len(data)
        wrong = np.zeros(most)
        step = max(1, AT_ONCE // size)
        for start in range(0, size if most else 0, step):
            places = np.arange(start, min(start + step, size))
            distances = self.distance.between(rows[places], rows)
            distances[places - start, places] = np.inf
            wrong += self._wrong(data, places, np.argsort(distances, axis=1, kind="stable")[:, :most])
        return np.asarray(wrong / data.weights.sum())

    def _wrong(self, data: Data, places: np.ndarray, nearest: np.ndarray) -> Floats:
        """The weight of some rows that are wrong, for each k; neighbours are in the order of their distance."""
        classes, weights = data.classes, data.weights
        votes = np.zeros((len(places), len(data.labels)))
        wrong = np.empty(nearest.shape[1])
        every = np.arange(len(places))
        for k, neighbour in enumerate(nearest.T):
            votes[every, classes[neighbour]] += weights[neighbour]
            wrong[k] = weights[places][votes.argmax(axis=1) != classes[places]].sum()
        return wrong
