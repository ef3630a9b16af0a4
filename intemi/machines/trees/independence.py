"""Growth that ends where a test finds no dependence: of the classes on any feature, or on the branches of a split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import Growth, SplitAcceptor, StopCriterion
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.tables import intervals_of
from intemi.machines.trees.splits import Split
from intemi.machines.trees.statistics.adjustment import log_sidak
from intemi.machines.trees.statistics.contingency import fisher_exact, pearson, without_empty
from intemi.machines.trees.statistics.tails import log_p_chi_squared

FEW = 5.0
"""With fewer cases expected in a cell of a 2 × 2 table, χ² is not to be trusted."""

MANY = 1e5
"""The tables of more cases are too many to go through all of them, and χ² is as good."""


class IndependenceTestStop(StopCriterion):
    """Stop at a node where the classes do not depend on any feature: χ² of its values, or of the quarters of numbers.

    Of two values and two classes, few of them, Fisher's exact test is made. Since many features are tested, p of the
    strongest is corrected for the number of those that vary in the node.
    """

    version = 2

    alpha: float = parameter(default=0.05, above=0, below=1, search=(0.01, 0.05, 0.1, 0.2))
    correction: Literal["bonferroni", "sidak", "none"] = "bonferroni"

    def stops(self, data: NodeData, growth: Growth) -> bool:
        numeric, nominal, *_ = data.varying
        count = len(numeric) + len(nominal)
        if not count:
            return True
        least = min(_p_of_feature(data, feature) for feature in (*numeric, *nominal))
        if self.correction == "bonferroni":
            least = min(1.0, count * least)
        elif self.correction == "sidak" and least > 0:
            least = math.exp(log_sidak(math.log(least), count))
        return least > self.alpha


class IndependenceTestAcceptor(SplitAcceptor):
    """Accept a split on whose branches the classes depend: by χ², or where there are two of each by Fisher's test."""

    alpha: float = parameter(default=0.05, above=0, below=1, search=(0.01, 0.05, 0.1, 0.2))
    test: Literal["chi2", "fisher"] = "chi2"

    def accepts(self, data: NodeData, split: Split, parts: Sequence[NodeData]) -> bool:
        table = without_empty(np.array([part.class_weights for part in parts]))
        return (_fisher(table) if self.test == "fisher" and table.shape == (2, 2) else _chi2(table)) <= self.alpha


def _p_of_feature(data: NodeData, feature: int) -> float:
    """How likely so strong a dependence of the classes on a feature is by chance."""
    if data.columns[feature].is_nominal:
        table = without_empty(data.table(feature))
    elif np.isnan(data.feature(feature)).all():
        return 1.0
    else:
        table = without_empty(data.table_of(intervals_of(data, feature, 4), 4))
    if table.shape != (2, 2):
        return _chi2(table)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return _fisher(table) if expected.min() < FEW else _chi2(table)


def _chi2(table: Floats) -> float:
    return math.exp(float(log_p_chi_squared(*pearson(table)))) if table.size else 1.0


def _fisher(table: Floats) -> float:
    """Parts of cases are rounded: the test counts."""
    return _chi2(table) if table.sum() > MANY else fisher_exact(np.rint(table).astype(np.int64))
