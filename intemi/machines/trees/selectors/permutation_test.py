"""CTree's selector: permutation tests of association, which also say when to stop."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import best_first, moments_of, varying
from intemi.machines.trees.statistics import (
    ClassMoments,
    greatest_nominal,
    greatest_numeric,
    log_sidak,
    quadratic_nominal,
    quadratic_numeric,
    tamed,
)


class PermutationTest(FeatureSelector):
    """Rank features by the p of their association with the class; only significant ones are worth splitting on.

    `statistic` is the quadratic form of all deviations, or the largest part. With `adjustment` "bonferroni", p becomes
    1 − (1 − p)ᵐ for m features; that is the form to which partykit gives this name.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = PermutationTest().rank(node)
    >>> round(math.exp(-best.score), 6), PermutationTest(alpha=0.01).rank(node)
    (0.043308, [])
    """

    alpha: float = parameter(default=0.05, above=0, at_most=1)
    statistic: Literal["quadratic", "maximum"] = "quadratic"
    adjustment: Literal["bonferroni", "none"] = "bonferroni"

    def rank(self, data: NodeData) -> list[RankedFeature]:
        numeric, nominal = varying(data)
        log_p, ties = (self._quadratic if self.statistic == "quadratic" else self._greatest)(data, numeric, nominal)
        features = [*numeric, *nominal]
        tests = len(features) if self.adjustment == "bonferroni" else 1
        level = math.log(self.alpha)
        significant = [at for at in range(len(features)) if log_sidak(float(log_p[at]), tests) <= level]
        return best_first([features[at] for at in significant], -log_p[significant], ties[significant])

    def _quadratic(self, data: NodeData, numeric: list[int], nominal: list[int]) -> tuple[Floats, Floats]:
        tested = quadratic_numeric(_moments(data, numeric))
        of_tables = [quadratic_nominal(data.table(index)) for index in nominal]
        log_p = np.concatenate([tested.log_p, [each for *_, each in of_tables]])
        ratios = [statistic / max(df, 1) for statistic, df, _ in of_tables]
        return log_p, np.concatenate([tested.statistic / np.maximum(tested.df, 1), ratios])

    def _greatest(self, data: NodeData, numeric: list[int], nominal: list[int]) -> tuple[Floats, Floats]:
        moments = _moments(data, numeric)
        found = [greatest_numeric(moments, at) for at in range(len(numeric))]
        found += [greatest_nominal(data.table(index)) for index in nominal]
        return np.array([log_p for _, log_p in found]), np.array([greatest for greatest, _ in found])


def _moments(data: NodeData, numeric: list[int]) -> ClassMoments:
    return moments_of(data, tamed(data.features[numeric])[0])
