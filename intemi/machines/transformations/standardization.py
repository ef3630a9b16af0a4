"""Standardization: zero mean and unit deviation."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model, parameter
from intemi.machines import weighted
from intemi.machines.fairness.reads import Reads
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import numeric
from intemi.machines.transformations.scaling import Scaling


class Standardization(Transformer):
    """Scale numeric columns to zero mean and unit deviation, as measured on the incoming data.

    Constant columns become 0. `ddof` degrees of freedom are taken off the number of values.
    """

    version = 2
    reads = Reads.FEATURES
    former_ports = (("standardized", "transformed"),)

    ddof: int = parameter(default=1, at_least=0)

    def run(self, data: Data) -> Model:
        center, factor = np.zeros(len(data.columns)), np.ones(len(data.columns))
        for indices, values, weights in weighted.known_of_each(data, numeric(data.columns)):
            if values.size:
                center[indices], deviation = weighted.mean_and_deviation(values, weights, self.ddof)
                factor[indices] = 1 / np.where(deviation > 0, deviation, 1.0)
        if not factor.all():
            name = data.columns[int(factor.argmin())].name
            raise ConfigurationError(f"{self.kind}: the deviation of the column {name!r} exceeds all numbers")
        scaling = Scaling(data.columns, center, factor)
        return Model(transformed=scaling.transform(data), transformation=scaling)
