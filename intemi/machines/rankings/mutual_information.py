"""Ranking by mutual information."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import Model
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.rankings.scoring import classified, ranked
from intemi.machines.roles import Ranker
from intemi.machines.transformations.discretization import DiscretizationStrategy, intervals, thresholds_of
from intemi.machines.transformations.mdl import MDL


class MutualInformationRanking(Ranker):
    """Rank features by the information (in bits) that they and the class have in common.

    Numeric features are discretized first. A feature tells nothing where it is missing, so the information is that of
    the rows where it is known times their share.
    """

    discretization: DiscretizationStrategy = MDL()

    def run(self, data: Data) -> Model:
        return Model(ranking=ranked(data, (self._information(data, index) for index in range(len(data.columns)))))

    def _information(self, data: Data, index: int) -> float:
        values, weights, classes = classified(self.kind, data, index)
        if not len(values):
            return 0.0
        if not data.columns[index].is_nominal:
            values = intervals(values, thresholds_of(self.discretization, data, index))
        share = float(weights.sum() / data.weights[data.classes >= 0].sum())
        return share * mutual_information(values.astype(np.intp), classes, weights)


def mutual_information(left: Codes, right: Codes, weights: Floats) -> float:
    """The mutual information of two codings of rows, in bits.

    >>> mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.ones(4))
    1.0
    """
    wide = int(right.max()) + 1
    counts = np.bincount(left * wide + right, weights, minlength=(int(left.max()) + 1) * wide).reshape(-1, wide)
    joint = counts / counts.sum()
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    present = joint > 0
    return max(0.0, float((joint[present] * np.log2(joint[present] / independent[present])).sum()))
