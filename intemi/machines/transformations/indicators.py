"""Indicators: numeric columns in place of nominal ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Model, storable
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats, Transformation
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import names_apart, with_columns


@storable
@dataclass(frozen=True)
class Indicators(Transformation):
    """Each nominal column becomes a column for each of its categories, 1 where it is and 0 where it is not."""

    columns: tuple[Column, ...]

    def _transform(self, data: Data) -> Data:
        if not any(column.is_nominal for column in self.columns):
            return data
        return with_columns(data, list(self._new_columns()), self._features(data))

    def _new_columns(self) -> Iterator[Column]:
        numeric = [column.name for column in self.columns if column.categories is None]
        names = names_apart(self._names(), taken=numeric)
        for column in self.columns:
            if column.categories is None:
                yield column
            else:
                yield from (Column(next(names)) for _ in column.categories)

    def _names(self) -> Iterator[str]:
        for column in self.columns:
            yield from (f"{column.name}={category}" for category in column.categories or ())

    def _features(self, data: Data) -> Iterator[Floats]:
        for index, column in enumerate(self.columns):
            values = data.feature(index)
            if column.categories is None:
                yield values
            else:
                for code in range(len(column.categories)):
                    yield np.where(np.isnan(values), np.nan, values == code)


class NominalToIndicators(Transformer):
    """Put in place of each nominal column a numeric one, 0 or 1, for each of its categories.

    Where a nominal value is missing, so are its indicators. A name that another column has gets a number.
    """

    version = 2
    reads = Reads.NOTHING
    former_ports = (("indicators", "transformed"),)

    def run(self, data: Data) -> Model:
        transformation = Indicators(data.columns)
        return Model(transformed=transformation.transform(data), transformation=transformation)
