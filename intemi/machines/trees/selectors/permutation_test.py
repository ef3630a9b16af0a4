"""CTree's selector: permutation tests of association, which also say when to stop."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import best_first, moments_of
from intemi.machines.trees.statistics import (
    ClassMoments,
    greatest_nominal,
    greatest_numeric,
    log_p_by_resampling,
    log_sidak,
    quadratic_nominal,
    quadratic_numeric,
    quadratic_of_parts,
    tamed,
)

Flags = NDArray[np.bool_]
_MOST = 1_000_000
"""Rows with repetitions among which classes may be dealt out."""


class PermutationTest(FeatureSelector):
    """Rank features by the p of their association with the class; only significant ones are worth splitting on.

    `statistic` is the quadratic form of all deviations, or the largest part. With `adjustment` "bonferroni", p becomes
    1 − (1 − p)ᵐ for m features; that is the form to which partykit gives this name. Features that cannot be tested, as
    all rows whose value is known are of one class, do not count.

    p is that of the limit distribution, or with `resample` found by dealing out the classes that many times, which is
    right in small nodes too. No p is below 1 / (1 + resample), so many features need many permutations: too few for
    anything to be significant are refused. Weights count as repetitions of rows: where they are not whole numbers, or
    more than a million together, the limit has to do.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = PermutationTest().rank(node)
    >>> round(math.exp(-best.score), 6), PermutationTest(alpha=0.01).rank(node)
    (0.043308, [])
    """

    version = 2

    alpha: float = parameter(default=0.05, above=0, at_most=1, search=(0.01, 0.05, 0.1, 0.2))
    statistic: Literal["quadratic", "maximum"] = "quadratic"
    adjustment: Literal["bonferroni", "none"] = "bonferroni"
    resample: int | None = parameter(default=None, at_least=1)

    @property
    def is_random(self) -> bool:
        """Whether classes are dealt out."""
        return self.resample is not None

    def rank(self, data: NodeData) -> list[RankedFeature]:
        numeric, nominal, *_ = data.varying
        testing = self._quadratic if self.statistic == "quadratic" else self._greatest
        log_p, ties, can_be_tested = testing(data, numeric, nominal)
        features = [feature for feature, can in zip([*numeric, *nominal], can_be_tested, strict=True) if can]
        log_p, ties = log_p[can_be_tested], ties[can_be_tested]
        tests = len(features) if self.adjustment == "bonferroni" else 1
        level = math.log(self.alpha) + 1e-12
        if self.resample is not None and features and data.weight <= _MOST and (data.weights % 1 == 0).all():
            if log_sidak(-math.log1p(self.resample), tests) > level:
                raise ConfigurationError(
                    f"{self.kind}: resample must be large enough for one of {tests} tests to be significant at "
                    f"alpha={self.alpha}, at least {self._fewest(tests)}, got {self.resample}"
                )
            log_p = self._by_resampling(data, features, self.resample)
        significant = [at for at in range(len(features)) if log_sidak(float(log_p[at]), tests) <= level]
        return best_first([features[at] for at in significant], -log_p[significant], ties[significant])

    def settings(self) -> dict[str, float] | None:
        if self.statistic != "quadratic" or self.resample is not None:
            return None
        adjusts = float(self.adjustment == "bonferroni")
        return {"SELECTOR": kernels.selecting.PERMUTATION_TEST, "LEVEL": self.alpha, "ADJUSTS": adjusts}

    def _quadratic(self, data: NodeData, numeric: list[int], nominal: list[int]) -> tuple[Floats, Floats, Flags]:
        varying, tested = data.varying, quadratic_numeric(_moments(data, numeric))
        if nominal:
            starts, counts = varying.starts[nominal], data.symbols[nominal]
            tested = tested.and_those(quadratic_of_parts(varying.tables, starts, counts))
        return tested.log_p, tested.statistic / np.maximum(tested.df, 1), tested.df > 0

    def _greatest(self, data: NodeData, numeric: list[int], nominal: list[int]) -> tuple[Floats, Floats, Flags]:
        moments, tables = _moments(data, numeric), [data.table(index) for index in nominal]
        found = [greatest_numeric(moments, at) for at in range(len(numeric))]
        found += [greatest_nominal(table) for table in tables]
        of_tables = np.array([quadratic_nominal(table)[1] > 0 for table in tables], dtype=bool)
        can_be_tested = np.concatenate([quadratic_numeric(moments).df > 0, of_tables])
        return np.array([log_p for _, log_p in found]), np.array([greatest for greatest, _ in found]), can_be_tested

    def _fewest(self, tests: int) -> int:
        """How many permutations the smallest p that is significant takes."""
        fewest = math.floor(-1 / math.expm1(math.log1p(-self.alpha) / tests)) - 1
        while log_sidak(-math.log1p(fewest), tests) > math.log(self.alpha) + 1e-12:
            fewest += 1
        return fewest

    def _by_resampling(self, data: NodeData, features: list[int], times: int) -> Floats:
        rows = np.repeat(np.arange(len(data)), data.weights.astype(np.intp))
        # Features of which the same values are known are tested together; where all are known, these are all.
        together: dict[bytes, list[int]] = {}
        for at, feature in enumerate(features):
            together.setdefault(np.isnan(data.feature(feature)).tobytes(), []).append(at)
        log_p = np.zeros(len(features))
        for missing, places in together.items():
            known = rows[~np.frombuffer(missing, dtype=bool)[rows]]
            parts = [_parts(data, features[at])[known] for at in places]
            # Always the same permutations: equal features have equal p.
            log_p[places] = log_p_by_resampling(parts, data.classes[known], times, data.rng(), self.statistic)
        return log_p


def _parts(data: NodeData, feature: int) -> Floats:
    """The numbers of a feature as a column, or a column of indicators for each symbol that occurs."""
    values = data.feature(feature)
    if not data.columns[feature].is_nominal:
        return tamed(values[None])[0].T
    present = np.flatnonzero(data.table(feature).sum(axis=1) > 0)
    return np.asarray(values[:, None] == present, dtype=np.float64)


def _moments(data: NodeData, numeric: list[int]) -> ClassMoments:
    return moments_of(data, tamed(data.features[numeric])[0])
