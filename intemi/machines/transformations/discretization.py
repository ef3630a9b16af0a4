"""Discretization: numeric columns become nominal ones, whose categories are intervals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Component, Model, parameter, storable
from intemi.machines import weighted
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Codes, Floats, Transformation
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import numeric, with_columns


class DiscretizationStrategy(Component):
    """Where to cut a column into intervals. Subclasses write `thresholds`.

    One that does not look at classes says so by `reads = Reads.FEATURES`.
    """

    reads = Reads.TARGETS

    @abstractmethod
    def thresholds(self, values: Floats, weights: Floats, classes: Codes | None) -> Floats:
        """The bounds between intervals in ascending order, each the least value of the upper one.

        There is at least one value, none is missing; classes are given if there is a target.
        """


class EqualWidth(DiscretizationStrategy):
    """Intervals of equal width between the least and the greatest value."""

    reads = Reads.FEATURES

    bins: int = parameter(default=5, at_least=2, search=(2, 3, 5, 10, 20))

    def thresholds(self, values: Floats, weights: Floats, classes: Codes | None) -> Floats:
        low, high = values.min(), values.max()
        if low == high:
            return np.empty(0)
        return np.unique(2 * np.linspace(low / 2, high / 2, self.bins + 1)[1:-1])  # the width itself may be infinite


class EqualFrequency(DiscretizationStrategy):
    """Intervals with equally many (or heavy) rows, as far as equal values allow."""

    reads = Reads.FEATURES

    bins: int = parameter(default=5, at_least=2, search=(2, 3, 5, 10, 20))

    def thresholds(self, values: Floats, weights: Floats, classes: Codes | None) -> Floats:
        return np.unique(weighted.quantiles(values, weights, self.bins))[1:-1]


@storable
@dataclass(frozen=True, eq=False)
class Intervals(Transformation):
    """Numeric columns become the intervals between thresholds; a value at a threshold is in the upper one."""

    columns: tuple[Column, ...]
    thresholds: tuple[Floats | None, ...]
    """One array for each numeric column, None for each nominal one."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.thresholds) is tuple and len(self.thresholds) == len(self.columns), "all have thresholds")
        for column, thresholds in zip(self.columns, self.thresholds, strict=True):
            if thresholds is None:
                expect(column.is_nominal, "a numeric column has thresholds")
            else:
                expect_floats(thresholds, None)

    def _transform(self, data: Data) -> Data:
        if all(column.is_nominal for column in self.columns):
            return data
        return with_columns(data, list(self._new_columns()), self._features(data))

    def _new_columns(self) -> Iterator[Column]:
        for column, thresholds in zip(self.columns, self.thresholds, strict=True):
            yield column if thresholds is None else Column(column.name, interval_names(thresholds))

    def _features(self, data: Data) -> Iterator[Floats]:
        for index, thresholds in enumerate(self.thresholds):
            values = data.feature(index)
            yield values if thresholds is None else intervals(values, thresholds)


class Discretization(Transformer):
    """Make nominal columns of the numeric ones, cut where a strategy says; missing values stay missing."""

    version = 2
    former_ports = (("discretized", "transformed"),)

    strategy: DiscretizationStrategy = EqualWidth()

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """What its strategy learns from."""
        return self.strategy.reads

    def run(self, data: Data) -> Model:
        thresholds: list[Floats | None] = [None] * len(data.columns)
        for index in numeric(data.columns):
            thresholds[index] = thresholds_of(self.strategy, data, index)
        cut = Intervals(data.columns, tuple(thresholds))
        return Model(
            transformed=cut.transform(data),
            transformation=cut,
            results={"Thresholds": sum(0 if each is None else len(each) for each in thresholds)},
        )


def thresholds_of(strategy: DiscretizationStrategy, data: Data, index: int) -> Floats:
    """Where a strategy cuts one column of data; nowhere if nothing is known."""
    known = weighted.known(data, index)
    return strategy.thresholds(known.values, known.weights, known.classes) if len(known.values) else np.empty(0)


def intervals(values: Floats, thresholds: Floats) -> Floats:
    """For each value the number of its interval.

    >>> intervals(np.array([0.0, 1.0, np.nan, 9.0]), np.array([1.0, 2.0]))
    array([ 0.,  1., nan,  2.])
    """
    return np.where(np.isnan(values), np.nan, np.searchsorted(thresholds, values, side="right"))


def interval_names(thresholds: Floats) -> tuple[str, ...]:
    """What the intervals are called.

    >>> interval_names(np.array([0.5, 2.0]))
    ('below 0.5', '0.5 to 2', '2 and above')
    """
    if not len(thresholds):
        return ("all",)
    shown = [f"{threshold:.6g}" for threshold in thresholds]
    if len(set(shown)) < len(shown):
        shown = [repr(float(threshold)) for threshold in thresholds]
    between = [f"{low} to {high}" for low, high in pairwise(shown)]
    return (f"below {shown[0]}", *between, f"{shown[-1]} and above")
