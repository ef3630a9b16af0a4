"""Effect sizes: how large a difference is, whatever the number of items; a test only says how sure it is."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from intemi.analysis.samples import Floats, numbers, refuse_several_data_sets, settled
from intemi.analysis.stamps import without_stamps
from intemi.analysis.table import ManyMachines
from intemi.analysis.transformation import Transformation, one_row
from intemi.kernel.registered import Registered
from intemi.series import Series

T = TypeVar("T", bound=type)

EFFECT_SIZES: Registered[Any] = Registered("effect size")
"""Effect sizes of two learners on one data set, by the names of their classes."""


def effect_size(cls: T) -> T:
    """Let comparisons use an effect size by the name of its class: `intemi compare --effect CohensD`.

    The class makes effect sizes without arguments. One is called with the values of two learners, as series, and gives
    a series of one item: the size, and its "magnitude" in words.

    >>> sorted(EFFECT_SIZES)
    ['CliffsDelta', 'CohensD', 'VarghaDelaney']
    """
    EFFECT_SIZES.add(cls.__name__, cls)
    return cls


@dataclass(frozen=True, repr=False, kw_only=True)
class EffectSize(Transformation):
    """What all effect sizes of two series have in common: items need not be paired, and are of one data set."""

    over: str = "data"

    label: ClassVar[str]
    variant: ClassVar[str]
    limits: ClassVar[tuple[float, float, float]]
    """From where on the distance from `none` is small, medium, large."""
    none: ClassVar[float] = 0.0
    """Its value where there is no difference."""

    def __call__(self, first: Series, second: Series) -> Series:
        self._check_measures(first, second)
        refuse_several_data_sets(self._refuse, self.over, first, second)
        a, b = numbers(first, self._refuse), numbers(second, self._refuse)
        if not len(a) or not len(b):
            self._refuse("both series must have items, one of them is empty")
        both = np.concatenate([a, b])
        both = settled(both, float(np.abs(both).max()))
        size = self._size(both[: len(a)], both[len(a) :])
        found = {self.label: size, "magnitude": self.magnitude(size), "n": len(a), "n of second": len(b)}
        return one_row(self.label, {**found, "variant": self.variant})

    def magnitude(self, size: float) -> str:
        """A size in words.

        >>> CohensD().magnitude(-0.6), CliffsDelta().magnitude(0.1), VarghaDelaney().magnitude(0.2)
        ('medium', 'negligible', 'large')
        """
        if math.isnan(size):
            return "not defined"
        passed = sum(abs(size - self.none) >= limit - 1e-12 for limit in self.limits)
        return ("negligible", "small", "medium", "large")[passed]

    @abstractmethod
    def _size(self, first: Floats, second: Floats) -> float:
        """The size of the difference of two samples."""


@effect_size
@dataclass(frozen=True, repr=False, kw_only=True)
class CohensD(EffectSize):
    """The difference of means in pooled standard deviations (Cohen 1988); 0 if there is none.

    d = (mean(a) − mean(b)) / s, s² = ((n − 1) s_a² + (m − 1) s_b²) / (n + m − 2). Not defined (NaN) for single items.

    >>> knn, svm = Series({"Accuracy": [0.9, 0.8, 0.7]}), Series({"Accuracy": [0.8, 0.7, 0.6]})
    >>> found = CohensD()(knn, svm).row(0)
    >>> round(found["d"], 3), found["magnitude"]
    (1.0, 'large')
    """

    label = "d"
    variant = "Cohen's d, pooled standard deviation; small from 0.2, medium from 0.5, large from 0.8"
    limits = (0.2, 0.5, 0.8)

    def _size(self, first: Floats, second: Floats) -> float:
        difference = float(first.mean() - second.mean())
        degrees = len(first) + len(second) - 2
        if difference == 0:
            return 0.0
        if degrees < 1:
            return math.nan
        squares = float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
        return difference / math.sqrt(squares / degrees) if squares > 0 else math.copysign(math.inf, difference)


@effect_size
@dataclass(frozen=True, repr=False, kw_only=True)
class CliffsDelta(EffectSize):
    """How much more often an item of the first is the higher one than the lower one, over all pairs (Cliff 1993).

    >>> knn, svm = Series({"Accuracy": [0.9, 0.8, 0.7]}), Series({"Accuracy": [0.8, 0.7, 0.6]})
    >>> round(float(CliffsDelta()(knn, svm)["delta"][0]), 3)
    0.556
    """

    label = "delta"
    variant = "Cliff's delta; small from 0.147, medium from 0.33, large from 0.474 (Romano et al. 2006)"
    limits = (0.147, 0.33, 0.474)

    def _size(self, first: Floats, second: Floats) -> float:
        return float(np.sign(first[:, None] - second).mean())


@effect_size
@dataclass(frozen=True, repr=False, kw_only=True)
class VarghaDelaney(EffectSize):
    """The probability that an item of the first is higher than one of the second; equal ones count half (A₁₂, 2000).

    >>> knn, svm = Series({"Accuracy": [0.9, 0.8, 0.7]}), Series({"Accuracy": [0.8, 0.7, 0.6]})
    >>> round(float(VarghaDelaney()(knn, svm)["A12"][0]), 3)
    0.778
    """

    label = "A12"
    variant = "A₁₂ of Vargha and Delaney; 0.5 is no difference, small from 0.56, medium from 0.64, large from 0.71"
    limits = (0.06, 0.14, 0.21)
    none = 0.5

    def _size(self, first: Floats, second: Floats) -> float:
        return float((np.sign(first[:, None] - second).mean() + 1) / 2)


A12: EffectSize = VarghaDelaney()


@dataclass(frozen=True, repr=False, kw_only=True)
class EffectSizes(ManyMachines):
    """The effect size of each machine `against` another one, on each data set: an item for each.

    A size above that of no difference means that the machine is better: higher values, or lower ones if these are best.

    >>> names = {"machine": ["knn"] * 3 + ["svm"] * 3, "data": ["iris"] * 6, "Fold": [1, 2, 3] * 2}
    >>> results = Series({"Accuracy": [0.9, 0.8, 0.7, 0.8, 0.7, 0.6], **names})
    >>> found = EffectSizes(against="svm")(results)
    >>> list(found["machine"]), list(found["magnitude"])
    (['knn'], ['large'])
    """

    against: Any
    size: EffectSize = A12

    def __call__(self, series: Series) -> Series:
        table = self._table(series, data=1)
        if self.against not in table.machines:
            known = ", ".join(map(repr, table.machines))
            self._refuse(f"against must be one of {known}, got {self.against!r}")
        fair = without_stamps(series).without(self.of, self.over)
        fair = fair if self.best == "highest" else fair * -1.0
        rows = []
        for machine in table.machines:
            for data in table.data if machine != self.against else ():
                first, second = (fair[table.positions[each, data]] for each in (machine, self.against))
                found = self.size(first, second)
                rows.append({**found.row(0), self.of: machine, "against": self.against, self.over: data})
        order = (self.size.label, "magnitude", self.of, "against", self.over, "variant")
        return Series({label: [row[label] for row in rows] for label in order}, main=self.size.label)

    def _references(self) -> tuple[Any, ...]:
        return (self.against,)
