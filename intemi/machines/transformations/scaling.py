"""Scaling: the transformation that standardization and normalization give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines import weighted
from intemi.machines.decoded import expect_floats
from intemi.machines.interfaces import Floats, Transformation


@storable
@dataclass(frozen=True, eq=False)
class Scaling(Transformation):
    """Numeric columns become (value - center) * factor + offset; nominal ones and missing values stay.

    What exceeds the greatest number is infinite.
    """

    columns: tuple[Column, ...]
    center: Floats
    factor: Floats
    offset: float = 0.0

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_floats(self.center, len(self.columns))
        expect_floats(self.factor, len(self.columns))

    def _transform(self, data: Data) -> Data:
        nominal = [index for index, column in enumerate(self.columns) if column.is_nominal]
        if len(nominal) == len(self.columns):
            return data
        scaled = weighted.made_in_parts(data, self._scaled)
        for index in nominal:
            scaled[index] = data.feature(index)
        scaled.flags.writeable = False  # so the table need not copy them
        return data.with_features(self.columns, scaled)

    def _scaled(self, values: Floats, rows: slice) -> Floats:
        center, factor = self.center[rows, None], self.factor[rows, None]
        try:
            with np.errstate(over="raise"):
                scaled = values - center
                scaled *= factor
                scaled += self.offset
        except FloatingPointError:  # differences of halves are always finite
            with np.errstate(over="ignore"):
                scaled = (values / 2 - center / 2) * (2 * factor) + self.offset
        return scaled
