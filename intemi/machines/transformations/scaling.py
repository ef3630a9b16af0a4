"""Scaling: the transformation that standardization and normalization give."""

from __future__ import annotations

from dataclasses import dataclass

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.interfaces import Floats, Transformation


@storable
@dataclass(frozen=True, eq=False)
class Scaling(Transformation):
    """Numeric columns become (value - center) * factor + offset; nominal ones and missing values stay."""

    columns: tuple[Column, ...]
    center: Floats
    factor: Floats
    offset: float = 0.0

    def _transform(self, data: Data) -> Data:
        nominal = [index for index, column in enumerate(self.columns) if column.is_nominal]
        if len(nominal) == len(self.columns):
            return data
        features = data.features
        scaled = features - self.center[:, None]
        scaled *= self.factor[:, None]
        scaled += self.offset
        if nominal:
            scaled[nominal] = features[nominal]
        scaled.flags.writeable = False  # so the table need not copy them
        return data.with_features(self.columns, scaled)
