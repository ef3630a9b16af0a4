"""Normalization: all values within a range."""

from __future__ import annotations

import math

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model
from intemi.machines import weighted
from intemi.machines.fairness.reads import Reads
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import numeric
from intemi.machines.transformations.scaling import Scaling


class Normalization(Transformer):
    """Scale numeric columns so that the incoming data reach from `low` to `high`; constant columns become `low`.

    >>> Normalization(low=1, high=0)
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: Normalization: high must be above low, got low=1.0 and high=0.0
    """

    version = 2
    reads = Reads.FEATURES
    former_ports = (("normalized", "transformed"),)

    low: float = 0.0
    high: float = 1.0

    def check(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ConfigurationError(f"{self.kind}: high must be above low, got low={self.low} and high={self.high}")

    def run(self, data: Data) -> Model:
        center, factor = np.zeros(len(data.columns)), np.ones(len(data.columns))
        wanted = self.high / 2 - self.low / 2
        for index in numeric(data.columns):
            values = weighted.known(data, index).values
            if len(values):
                center[index] = low = float(values.min())
                half = float(values.max()) / 2 - low / 2  # the whole may exceed the greatest number
                factor[index] = wanted / (half if half >= weighted.TINY * max(1.0, wanted) else 0.5)
        scaling = Scaling(data.columns, center, factor, self.low)
        return Model(transformed=scaling.transform(data), transformation=scaling)
