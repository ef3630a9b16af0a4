"""Rows that count: those that a learner learns from, before samples are drawn from them."""

from __future__ import annotations

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, Output
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.fairness.reads import Reads


class RowsThatCount(Machine):
    """The rows whose class is known and whose weight is not 0.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 3]], Column("class", ("a", "b")), [0, -1, 1]))
    >>> RowsThatCount().run(data).outputs["counting"].feature(0).tolist()
    [1.0, 3.0]
    """

    reads = Reads.TARGETS
    keeps_rows = True

    data = Input(Data)
    counting = Output(Data)

    def run(self, data: Data) -> Model:
        return Model(counting=rows_to_learn_from(self.kind, data))
