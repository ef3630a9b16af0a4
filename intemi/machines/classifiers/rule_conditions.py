"""Conditions of rules: what can be asked of one feature, and which rows fulfil it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.interfaces import Codes, Floats

Truth = NDArray[np.bool_]
Sign = str
EQUAL, AT_MOST, ABOVE = "=", "<=", ">"


@storable
@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A feature has a category, is at most a value, or above it. A missing value fulfils nothing."""

    feature: int
    sign: Sign
    value: float
    """Of a nominal feature, the index of a category."""

    is_immutable: ClassVar[bool] = True

    def holds(self, values: Floats) -> Truth:
        """Which values of its feature fulfil it.

        >>> RuleCondition(0, "<=", 2.0).holds(np.array([1.0, 2.0, 3.0, np.nan])).tolist()
        [True, True, False, False]
        """
        if self.sign == EQUAL:
            return np.asarray(values == self.value)
        return np.asarray(values <= self.value if self.sign == AT_MOST else values > self.value)

    def text(self, columns: tuple[Column, ...]) -> str:
        """The condition for people."""
        column = columns[self.feature]
        value = f"{self.value:.6g}" if column.categories is None else column.categories[int(self.value)]
        return f"{column.name} {self.sign} {value}"


def conditions_on(data: Data, cuts: int) -> list[RuleCondition]:
    """Everything that can be asked: each category that occurs, and up to `cuts` thresholds of a numeric feature."""
    found: list[RuleCondition] = []
    for feature, column in enumerate(data.columns):
        values = data.feature(feature)
        if column.is_nominal:
            present = np.unique(values[~np.isnan(values)]).tolist()
            if len(present) > 1:
                found += [RuleCondition(feature, EQUAL, value) for value in present]
        else:
            for cut in _cuts(values, data.classes, cuts):
                found += [RuleCondition(feature, AT_MOST, cut), RuleCondition(feature, ABOVE, cut)]
    return found


def _cuts(values: Floats, classes: Codes, most: int) -> Iterator[float]:
    """Thresholds halfway between neighbouring values that are not both of one class only; evenly spread if many."""
    told = ~np.isnan(values)
    distinct, place = np.unique(values[told], return_inverse=True)
    if len(distinct) < 2:
        return
    lowest, highest = np.full(len(distinct), np.iinfo(np.int32).max), np.full(len(distinct), -1)
    np.minimum.at(lowest, place, classes[told])
    np.maximum.at(highest, place, classes[told])
    of_one_class = (lowest[1:] == highest[:-1]) & (lowest[:-1] == highest[1:])
    places = np.flatnonzero(~of_one_class)
    if len(places) > most:
        places = places[np.linspace(0, len(places) - 1, most).round().astype(np.intp)]
    yield from (distinct[places] / 2 + distinct[places + 1] / 2).tolist()
