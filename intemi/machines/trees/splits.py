"""What a test in a node can be: cuts of a numeric feature, sets of symbols, cuts of a distance or of a sum.

Splits are values: they know the weights that went down each branch, and nothing else of the data they were found on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.tree import DEVIATION, LINEAR, REVERSED, SYMBOLS, THRESHOLDS


@dataclass(frozen=True, eq=False, kw_only=True)
class Split(ABC):
    """A test of a feature and where its outcomes lead."""

    kind: ClassVar[int]
    """How the tree stores it."""

    feature: int
    branch_weights: Floats = field(default_factory=lambda: np.zeros(0))
    """Weights of the rows whose value is known, branch by branch."""
    quality: float = 0.0
    closed: tuple[bool, ...] | None = None
    """Which children must be leaves."""

    @property
    @abstractmethod
    def branch_count(self) -> int:
        """How many branches it has."""

    @abstractmethod
    def branches(self, values: Floats) -> Codes:
        """The branches of values of its feature; -1 is missing or unseen."""

    @abstractmethod
    def parameters(self) -> Floats:
        """What the tree stores of it."""

    def route(self, data: NodeData) -> Codes:
        """The branches of the rows of a node; -1 is missing or unseen."""
        return self.branches(data.feature(self.feature))

    def table(self, data: NodeData) -> Floats:
        """The class weights of each branch."""
        return data.table_of(self.route(data), self.branch_count)

    def weighed(self, data: NodeData) -> Self | None:
        """The same split with the weights of its branches; None if fewer than two of them would hold any."""
        branches = self.route(data)
        weights, occupied = kernels.rows.branch_weights(
            branches, data.classes, data.weights, self.branch_count, data.class_count
        )
        return replace(self, branch_weights=weights) if occupied >= 2 else None


def cut(values: Floats, cuts: Floats) -> Codes:
    """The interval of each value, a value at a cut lying below it; -1 for NaN."""
    return kernels.rows.cut(values, np.ascontiguousarray(cuts))


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdSplit(Split):
    """Intervals of a numeric feature.

    >>> split = ThresholdSplit(feature=0, cuts=np.array([1.5, 3.0]))
    >>> split.branches(np.array([1, 2, 3, 4, np.nan])).tolist()
    [0, 1, 1, 2, -1]
    """

    kind: ClassVar[int] = THRESHOLDS
    cuts: Floats

    @property
    def branch_count(self) -> int:
        return len(self.cuts) + 1

    def branches(self, values: Floats) -> Codes:
        return cut(values, self.cuts)

    def parameters(self) -> Floats:
        return self.cuts

    @classmethod
    def of(cls, data: NodeData, feature: int, cuts: Any, **others: Any) -> ThresholdSplit | None:
        """The split of a node at these cuts."""
        return cls(feature=feature, cuts=np.asarray(cuts, dtype=np.float64), **others).weighed(data)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReversedSplit(Split):
    """Two intervals of a numeric feature, the upper one first: a surrogate that points the other way."""

    kind: ClassVar[int] = REVERSED
    threshold: float

    @property
    def branch_count(self) -> int:
        return 2

    def branches(self, values: Floats) -> Codes:
        return np.where(np.isnan(values), -1, values <= self.threshold).astype(np.int32)

    def parameters(self) -> Floats:
        return np.array([self.threshold])


@dataclass(frozen=True, eq=False, kw_only=True)
class SymbolSplit(Split):
    """Sets of symbols of a nominal feature.

    >>> SymbolSplit(feature=0, branch_of_symbol=np.array([0, 1, -1], np.int32)).branches(np.array([1.0, 0, 2])).tolist()
    [1, 0, -1]
    """

    kind: ClassVar[int] = SYMBOLS
    branch_of_symbol: Codes
    """-1: the symbol was not seen."""

    @property
    def branch_count(self) -> int:
        return int(self.branch_of_symbol.max(initial=-1)) + 1

    def branches(self, values: Floats) -> Codes:
        return kernels.rows.branches_of_symbols(values, self.branch_of_symbol)

    def parameters(self) -> Floats:
        return self.branch_of_symbol.astype(np.float64)

    @classmethod
    def of(cls, data: NodeData, feature: int, branch_of_symbol: Any, **others: Any) -> SymbolSplit | None:
        """The split of a node by these sets."""
        branches = np.asarray(branch_of_symbol, dtype=np.int32)
        return cls(feature=feature, branch_of_symbol=branches, **others).weighed(data)


@dataclass(frozen=True, eq=False, kw_only=True)
class DeviationSplit(Split):
    """Intervals of the distance from a centre."""

    kind: ClassVar[int] = DEVIATION
    centre: float
    cuts: Floats

    @property
    def branch_count(self) -> int:
        return len(self.cuts) + 1

    def branches(self, values: Floats) -> Codes:
        return cut(np.abs(values - self.centre), self.cuts)

    def parameters(self) -> Floats:
        return np.concatenate(([self.centre], self.cuts))

    @classmethod
    def of(cls, data: NodeData, feature: int, centre: float, cuts: Any, **others: Any) -> DeviationSplit | None:
        """The split of a node at these distances."""
        cuts = np.asarray(cuts, dtype=np.float64)
        return cls(feature=feature, centre=float(centre), cuts=cuts, **others).weighed(data)


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearSplit(Split):
    """Intervals of a sum of features with coefficients.

    A row that misses one of them misses the sum, unless there is something to replace it by.
    """

    kind: ClassVar[int] = LINEAR
    features: Codes
    coefficients: Floats
    cuts: Floats
    replacements: Floats | None = None
    """What replaces missing values, feature by feature; None: nothing."""

    @property
    def branch_count(self) -> int:
        return len(self.cuts) + 1

    def branches(self, values: Floats) -> Codes:
        return cut(values, self.cuts)

    def route(self, data: NodeData) -> Codes:
        total = np.zeros(len(data))
        for feature, coefficient, replacement in zip(self.features, self.coefficients, self._replacements, strict=True):
            values = data.feature(int(feature))
            total += coefficient * np.where(np.isnan(values), replacement, values)
        return self.branches(total)

    def parameters(self) -> Floats:
        return np.concatenate(
            ([len(self.features)], self.features, self.coefficients, self._replacements, self.cuts), dtype=np.float64
        )

    @property
    def _replacements(self) -> Floats:
        return np.full(len(self.features), np.nan) if self.replacements is None else self.replacements

    @classmethod
    def of(cls, data: NodeData, features: Any, coefficients: Any, cuts: Any, **others: Any) -> LinearSplit | None:
        """The split of a node at these values of the sum."""
        features = np.asarray(features, dtype=np.int32)
        return cls(
            feature=int(features[0]),
            features=features,
            coefficients=np.asarray(coefficients, dtype=np.float64),
            cuts=np.asarray(cuts, dtype=np.float64),
            **others,
        ).weighed(data)


def split_of(kind: int, feature: int, parameters: Floats) -> Split:
    """The split that a tree stores."""
    if kind == THRESHOLDS:
        return ThresholdSplit(feature=feature, cuts=parameters)
    if kind == SYMBOLS:
        return SymbolSplit(feature=feature, branch_of_symbol=parameters.astype(np.int32))
    if kind == DEVIATION:
        return DeviationSplit(feature=feature, centre=float(parameters[0]), cuts=parameters[1:])
    if kind == REVERSED:
        return ReversedSplit(feature=feature, threshold=float(parameters[0]))
    count = int(parameters[0])
    features, coefficients, replacements, cuts = np.split(parameters[1:], [count, 2 * count, 3 * count])
    return LinearSplit(
        feature=feature,
        features=features.astype(np.int32),
        coefficients=coefficients,
        cuts=cuts,
        replacements=None if np.isnan(replacements).all() else replacements,
    )
