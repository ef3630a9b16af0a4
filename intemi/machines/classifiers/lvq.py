"""Learning vector quantization: few prototypes of each class that move to where their class is (Kohonen's LVQ1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data, Table
from intemi.kernel import Input, Machine, Model, Output, parameter
from intemi.machines.classifiers.training import numbers_only, rows_to_learn_from
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Codes, Floats


class LVQ(Machine):
    """Prototypes of each class, drawn from its rows and moved by LVQ1: a row attracts the nearest one if it is of its
    class, and repels it otherwise.

    Rows come in another random order in each epoch. A prototype moves by a share of the way to the row, `rate` at the
    beginning, that falls to 0 evenly. A class with fewer rows than `per_class` has that many. With a learner after it,
    it is a learner: `sequence(Learner, LVQ(), KNN(k=1))`.

    >>> from intemi.data import Column
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     found = project.run(LVQ(per_class=1), data=project.given(data)).outputs["prototypes"]
    >>> found.features.round().tolist(), found.classes.tolist()
    ([[1.0, 8.0]], [0, 1])
    """

    reads = Reads.TARGETS

    data = Input(Data)
    prototypes = Output(Data)

    per_class: int = parameter(default=5, at_least=1, search=(1, 2, 5, 10))
    """Prototypes of each class."""
    epochs: int = parameter(default=10, at_least=1, search=(5, 10, 20))
    rate: float = parameter(default=0.1, above=0, at_most=1, search=(0.03, 0.1, 0.3))

    def run(self, data: Data, rng: np.random.Generator) -> Model:
        data = rows_to_learn_from(self.kind, data)
        rows, classes = numbers_only(self.kind, data), data.classes
        chosen = np.concatenate([self._drawn(classes == label, rng) for label in np.unique(classes)])
        found = self._moved(rows[chosen], classes[chosen], rows, classes, rng)
        return Model(prototypes=Data(Table(data.columns, found.T, data.target, classes[chosen])))

    def _drawn(self, inside: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
        places = np.flatnonzero(inside)
        return np.sort(rng.choice(places, min(self.per_class, len(places)), replace=False))

    def _moved(
        self, prototypes: Floats, owners: Codes, rows: Floats, classes: Codes, rng: np.random.Generator
    ) -> Floats:
        steps = self.epochs * len(rows)
        orders = np.concatenate([rng.permutation(len(rows)) for _ in range(self.epochs)])
        for step, place in enumerate(orders):
            ways = rows[place] - prototypes
            nearest = np.einsum("ij,ij->i", ways, ways).argmin()
            sign = 1.0 if owners[nearest] == classes[place] else -1.0
            prototypes[nearest] += sign * self.rate * (1 - step / steps) * ways[nearest]
        return prototypes
