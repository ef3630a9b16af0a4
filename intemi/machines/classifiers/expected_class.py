"""Expected classes: one row for each class, the one that is to be expected of it."""

from __future__ import annotations

import numpy as np

from intemi.data import Data, Table
from intemi.kernel import Input, Machine, Model, Output
from intemi.machines import weighted
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.fairness.reads import Reads


class ExpectedClass(Machine):
    """One prototype for each class that occurs: the means of numeric columns, the most frequent categories of others.

    Missing values are left out; a column of which nothing is known in a class stays missing there. With a learner after
    it, it is a learner: `sequence(Learner, ExpectedClass(), KNN(k=1))` answers with the nearest class.

    >>> from intemi.data import Column
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> prototypes = ExpectedClass().run(data).outputs["prototypes"]
    >>> prototypes.features.tolist(), prototypes.classes.tolist()
    ([[1.5, 8.5]], [0, 1])
    """

    reads = Reads.TARGETS

    data = Input(Data)
    prototypes = Output(Data)

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        present = np.unique(data.classes)
        values = np.empty((len(data.columns), len(present)))
        for place, label in enumerate(present):
            inside = data.select_rows(data.classes == label)
            for index in range(len(data.columns)):
                values[index, place] = _expected(inside, index)
        return Model(prototypes=Data(Table(data.columns, values, data.target, present)))


def _expected(data: Data, index: int) -> float:
    """The mean of a column, or its most frequent category, the first of equal ones."""
    known = weighted.known(data, index)
    if not len(known.values):
        return float("nan")
    categories = data.columns[index].categories
    if categories is None:
        return float(weighted.mean(known.values, known.weights))
    return float(np.bincount(known.values.astype(np.intp), known.weights).argmax())
