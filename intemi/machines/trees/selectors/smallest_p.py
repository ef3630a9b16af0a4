"""QUEST's selector, CRUISE's 1D one as well: the smallest p, of tests that do not favour features of many values."""

from __future__ import annotations

import math

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes
from intemi.machines.trees import kernels
from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData, Varying
from intemi.machines.trees.selectors.ranking import best_first, moments_of
from intemi.machines.trees.statistics import (
    Tested,
    analysis_of_variance,
    bonferroni_level,
    levene,
    log_p_chi_squared,
    pearson_of_parts,
    tamed,
)


class SmallestP(FeatureSelector):
    """Rank features by p: of the F test for numeric ones, of the χ² test for nominal ones.

    If the smallest is not significant, but that of Levene's test of some numeric feature is, these are ranked by
    Levene's test, for the use of their distances from the mean.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [4, 4.5, 5, 5.5, 6, -1, 0, 5, 10, 11], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> [best] = SmallestP().rank(node)
    >>> round(math.exp(-best.score), 6), best.use_deviation
    (0.010243, True)
    """

    version = 2

    alpha: float = parameter(default=0.05, above=0, below=1, search=(0.01, 0.05, 0.1, 0.2))

    def rank(self, data: NodeData) -> list[RankedFeature]:
        numeric, nominal, *_ = data.varying
        if not numeric and not nominal:
            return []
        features, _ = tamed(data.features[numeric])
        moments = moments_of(data, features)
        by_value = analysis_of_variance(moments)
        if nominal:
            by_value = by_value.and_those(_of_tables(data.varying, data.symbols))
        ranked = best_first([*numeric, *nominal], -by_value.log_p, by_value.statistic / np.maximum(by_value.df, 1))
        count = len(data.columns)
        if self._is_significant(ranked[0], count) or not numeric:
            return ranked
        spread = levene(features, data.classes, data.weights, moments)
        by_spread = best_first(numeric, -spread.log_p, spread.statistic, use_deviation=True)
        tests = count + sum(not column.is_nominal for column in data.columns)
        return by_spread if self._is_significant(by_spread[0], tests) else ranked

    def settings(self) -> dict[str, float]:
        return {"SELECTOR": kernels.selecting.SMALLEST_P, "LEVEL": self.alpha}

    def _is_significant(self, best: RankedFeature, tests: int) -> bool:
        return -best.score < math.log(bonferroni_level(self.alpha, tests))


def _of_tables(varying: Varying, symbols: Codes) -> Tested:
    chi2, df = pearson_of_parts(varying.tables, varying.starts[varying.nominal], symbols[varying.nominal])
    return Tested(chi2, df, log_p_chi_squared(chi2, df))
