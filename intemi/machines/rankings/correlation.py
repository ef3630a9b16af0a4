"""Ranking by the correlation of features with the class."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import Model
from intemi.machines import weighted
from intemi.machines.interfaces import Floats
from intemi.machines.rankings.scoring import classified, indicators, ranked
from intemi.machines.roles import Ranker


class CorrelationRanking(Ranker):
    """Rank features by the absolute value of Pearson's correlation coefficient between feature and class.

    With more than two classes it is the mean of those with the indicators of the classes, weighted by their
    frequencies; and the same over the categories of a nominal feature. Rows with missing values are left out, feature
    by feature.
    """

    def run(self, data: Data) -> Model:
        return Model(ranking=ranked(data, (self._correlation(data, index) for index in range(len(data.columns)))))

    def _correlation(self, data: Data, index: int) -> float:
        values, weights, classes = classified(self.kind, data, index)
        if not len(values):
            return 0.0
        ours = indicators(values) if data.columns[index].is_nominal else values[None]
        theirs = indicators(classes)
        shares = theirs @ weights
        ours_shares = ours @ weights if data.columns[index].is_nominal else np.ones(1)
        found = np.abs(correlations(ours, theirs, weights))
        return float(ours_shares @ found @ shares / (ours_shares.sum() * shares.sum()))


def correlations(left: Floats, right: Floats, weights: Floats) -> Floats:
    """The correlation coefficient of each row of one array with each of another; 0 with what is constant.

    >>> correlations(np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, 1.0], [5.0, 5.0, 5.0]]), np.ones(3)).round(4)
    array([[0.866, 0.   ]])
    """
    answer: Floats = _unit(left, weights) @ _unit(right, weights).T
    return answer


def _unit(rows: Floats, weights: Floats) -> Floats:
    """The rows less their means, with length 1, or 0 if they are constant."""
    rows = np.array([weighted.within_one(row) for row in rows])
    shifted = rows - rows[:, :1]  # so that constant rows are exactly 0
    centered = (shifted - np.average(shifted, axis=1, weights=weights)[:, None]) * np.sqrt(weights)
    lengths = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    unit: Floats = centered / np.where(lengths > 0, lengths, 1.0)
    return unit
