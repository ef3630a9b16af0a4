"""Imputation: something in place of missing values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Component, Model, storable
from intemi.machines import weighted
from intemi.machines.decoded import expect_floats
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats, Transformation
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import with_columns


class Typical(Component):
    """What stands for the values of a numeric column. Subclasses write `value`."""

    @abstractmethod
    def value(self, values: Floats, weights: Floats) -> float:
        """The value that stands for these; there is at least one."""


class Mean(Typical):
    """The mean."""

    def value(self, values: Floats, weights: Floats) -> float:
        return float(weighted.mean(values, weights))


class Median(Typical):
    """The median."""

    def value(self, values: Floats, weights: Floats) -> float:
        return float(weighted.quantiles(values, weights, 2)[1])


class MostFrequent(Typical):
    """The most frequent value, the least of several."""

    def value(self, values: Floats, weights: Floats) -> float:
        return weighted.most_frequent(values, weights)


@storable
@dataclass(frozen=True, eq=False)
class Replacement(Transformation):
    """Missing values of each column become one value; data without missing values stay as they are."""

    columns: tuple[Column, ...]
    values: Floats

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_floats(self.values, len(self.columns))

    def _transform(self, data: Data) -> Data:
        if not any(np.isnan(data.feature(index)).any() for index in range(len(self.columns))):
            return data
        return with_columns(data, self.columns, self._features(data))

    def _features(self, data: Data) -> Iterator[Floats]:
        for index, replacement in enumerate(self.values):
            values = data.feature(index)
            yield np.where(np.isnan(values), replacement, values)


class Imputation(Transformer):
    """Put a typical value in place of missing ones, in nominal columns the most frequent category.

    A column of which nothing is known becomes 0 or the first category: nothing is missing afterwards.
    """

    version = 2
    reads = Reads.FEATURES
    former_ports = (("imputed", "transformed"),)

    numeric: Typical = Mean()

    def run(self, data: Data) -> Model:
        replacement = Replacement(data.columns, np.array([self._value(data, i) for i in range(len(data.columns))]))
        return Model(transformed=replacement.transform(data), transformation=replacement)

    def _value(self, data: Data, index: int) -> float:
        known = weighted.known(data, index)
        typical = MostFrequent() if data.columns[index].is_nominal else self.numeric
        return typical.value(known.values, known.weights) if len(known.values) else 0.0
