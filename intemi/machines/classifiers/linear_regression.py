"""Multi-response linear regression: a linear function for each class that is to be 1 on its rows and 0 on others."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import Model, parameter
from intemi.machines.classifiers.linear_scores import LinearScores
from intemi.machines.classifiers.training import numbers_only, one_hot, rows_to_learn_from
from intemi.machines.roles import Learner


class LinearRegression(Learner):
    """Fit 0 and 1 for each class by least squares; the class of the largest value is answered.

    `ridge` is added to the squares of all coefficients but the offset, relative to the number of rows: it settles what
    features that depend on each other leave open. On probabilities it is a good meta-learner (Ting and Witten).

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> LinearRegression().run(data).outputs["classifier"].classify(data).tolist()
    [0, 0, 1, 1]
    """

    uses_weights = True

    ridge: float = parameter(default=1e-8, above=0, search=(1e-8, 1e-4, 1e-2, 1.0))

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        values, weights = numbers_only(self.kind, data), data.weights
        targets = one_hot(data.classes, len(data.labels))
        total = weights.sum()
        center, middle = weights @ values / total, weights @ targets / total
        differences = values - center
        weighted = differences.T * weights
        square = weighted @ differences
        square[np.diag_indices_from(square)] += self.ridge * total
        coefficients = np.linalg.solve(square, weighted @ (targets - middle)).T
        offsets = middle - coefficients @ center
        return Model(classifier=LinearScores(data.columns, data.labels, coefficients, offsets, "clipped"))
