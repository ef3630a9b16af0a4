"""Ranking by the F statistic of the analysis of variance."""

from __future__ import annotations

import math

import numpy as np

from intemi.data import Data
from intemi.kernel import Model
from intemi.machines import weighted
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.rankings.scoring import classified, indicators, ranked
from intemi.machines.roles import Ranker


class FScoreRanking(Ranker):
    """Rank features by the F statistic: how much they differ between classes, against how much within classes.

    That of a nominal feature is Light and Margolin's (1971): the variation is that of the indicators of its categories
    together. Rows with missing values are left out, feature by feature.
    """

    def run(self, data: Data) -> Model:
        return Model(ranking=ranked(data, (self._statistic(data, index) for index in range(len(data.columns)))))

    def _statistic(self, data: Data, index: int) -> float:
        values, weights, classes = classified(self.kind, data, index)
        if not len(values):
            return 0.0
        return f_statistic(indicators(values) if data.columns[index].is_nominal else values[None], weights, classes)


def f_statistic(rows: Floats, weights: Floats, classes: Codes) -> float:
    """F of the one-way analysis of variance of all rows together.

    It is 0 if there is no difference between classes, and infinite if there is but none within them.

    >>> f_statistic(np.array([[1.0, 2.0, 4.0, 5.0]]), np.ones(4), np.array([0, 0, 1, 1]))
    18.0
    """
    labels = np.unique(classes)
    between = within = 0.0
    for values in weighted.within_one(rows):  # F is the same, and no square is infinite
        average = float(weighted.mean(values, weights))
        for label in labels:
            inside = classes == label
            own = float(weighted.mean(values[inside], weights[inside]))
            between += float(weights[inside].sum()) * (own - average) ** 2
            within += float((weights[inside] * (values[inside] - own) ** 2).sum())
    if between == 0:
        return 0.0
    if within == 0:
        return math.inf
    return (between / (len(labels) - 1)) / (within / (len(values) - len(labels)))
