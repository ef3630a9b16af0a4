"""Logistic regression, fitted by scikit-learn and kept as plain numbers."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import Model, parameter
from intemi.kernel.libraries import library
from intemi.machines.classifiers.linear_scores import LinearScores
from intemi.machines.classifiers.training import numbers_only, rows_to_learn_from
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.roles import Learner

MAX_STEPS = 1000


class Logistic(Learner):
    """Probabilities whose logarithms are linear in the features (multinomial), with a penalty on squared coefficients.

    The larger `C`, the smaller the penalty: it is scikit-learn's. Features are taken as they are; put a
    `Standardization` before if their scales differ.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> Logistic().run(data).outputs["classifier"].probabilities(data).round(2).tolist()
    [[0.96, 0.04], [0.92, 0.08], [0.08, 0.92], [0.04, 0.96]]
    """

    uses_weights = True

    C: float = parameter(default=1.0, above=0, search=(0.01, 0.1, 1.0, 10.0, 100.0))

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        values, present = numbers_only(self.kind, data), np.unique(data.classes)
        coefficients = np.zeros((len(data.labels), len(data.columns)))
        offsets = np.full(len(data.labels), -np.inf)
        offsets[present] = 0.0
        if len(present) > 1 and len(data.columns):
            found, places = self._fitted(data, values), present[-1:] if len(present) == 2 else present
            coefficients[places], offsets[places] = found
        return Model(classifier=LinearScores(data.columns, data.labels, coefficients, offsets, "softmax"))

    def _fitted(self, data: Data, values: Floats) -> tuple[Floats, Floats]:
        """Coefficients and offsets of the classes that occur; of two classes those of the second one."""
        model = library("sklearn.linear_model").LogisticRegression(C=self.C, max_iter=MAX_STEPS)
        codes: Codes = data.classes
        model.fit(values, codes, sample_weight=data.weights)
        return np.asarray(model.coef_), np.asarray(model.intercept_)
