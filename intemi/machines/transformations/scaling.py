"""Scaling: the transformation that standardization and normalization give."""

from __future__ import annotations

from dataclasses import dataclass

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.interfaces import Floats, Transformation
from intemi.machines.transformations.changing import with_columns


@storable
@dataclass(frozen=True, eq=False)
class Scaling(Transformation):
    """Numeric columns become (value - center) * factor + offset; nominal ones and missing values stay."""

    columns: tuple[Column, ...]
    center: Floats
    factor: Floats
    offset: float = 0.0

    def _transform(self, data: Data) -> Data:
        if all(column.is_nominal for column in self.columns):
            return data
        return with_columns(data, self.columns, (self._scaled(data, index) for index in range(len(self.columns))))

    def _scaled(self, data: Data, index: int) -> Floats:
        values = data.feature(index)
        if self.columns[index].is_nominal:
            return values
        scaled: Floats = (values - self.center[index]) * self.factor[index] + self.offset
        return scaled
