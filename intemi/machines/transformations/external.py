"""External transformation: what was learned on some data, applied to other data."""

from __future__ import annotations

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, Output
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Transformation


class ExternalTransformation(Machine):
    """Transform data the way other data were transformed, such as test data the way training data were."""

    reads = Reads.NOTHING
    keeps_rows = True

    data = Input(Data)
    transformation = Input(Transformation)
    transformed = Output(Data)

    def run(self, data: Data, transformation: Transformation) -> Model:
        return Model(transformed=transformation.transform(data))
