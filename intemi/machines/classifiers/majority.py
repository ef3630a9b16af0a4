"""The majority classifier: what every other one must be better than."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Model, storable
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.decoded import expect_floats
from intemi.machines.interfaces import Classifier, Floats
from intemi.machines.roles import Learner


@storable
@dataclass(frozen=True, eq=False)
class MajorityClassifier(Classifier):
    """The shares of the classes, whatever the row."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    shares: Floats

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_floats(self.shares, len(self.labels))

    def _probabilities(self, data: Data) -> Floats:
        return np.tile(self.shares, (len(data), 1))


class Majority(Learner):
    """Answer with the most frequent class (the first of several), and with the shares of the classes.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 3]], Column("class", ("a", "b")), [0, 1, 1]))
    >>> with Project() as project:
    ...     majority = project.run(Majority(), data=project.given(data))
    ...     [data.labels[code] for code in majority.outputs["classifier"].classify(data)]
    ['b', 'b', 'b']
    """

    uses_weights = True

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        weights = weight_of_classes(data)
        return Model(classifier=MajorityClassifier(data.columns, data.labels, weights / weights.sum()))
