"""Permutation importance: how much worse members are on rows that they never saw if a feature is mixed up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model, Output, parameter
from intemi.machines.committees.answers import LABELS, answers_of
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Codes, FeatureRanking, Floats
from intemi.machines.roles import HeldOutTest


class PermutationImportance(HeldOutTest):
    """Rank features by the mean increase of the members' errors on out-of-bag rows after permuting the feature.

    A row whose class is not known does not count, nor does a member that saw all rows. Members that have learned from
    the targets of their out-of-bag rows, as after `Backfit`, are refused.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import Bagging, DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     bagging = project.request(Bagging(DecisionTree(), seed=1), data=iris.data)
    ...     found = project.run(PermutationImportance(seed=1), members=bagging.members, left=bagging.left)
    ...     sorted(found.outputs["ranking"].order[:2])
    [2, 3]
    """

    reads = Reads.TARGETS

    ranking = Output(FeatureRanking)

    repetitions: int = parameter(default=1, at_least=1, search=(1, 5, 10))
    """How often a feature is permuted for each member."""

    def run(self, members: Sequence[Classifier], left: Sequence[Data], rng: np.random.Generator) -> Model:
        if not members or len(members) != len(left):
            raise ConfigurationError(
                f"{self.kind}: left must be one for each of {len(members)} members, got {len(left)}"
            )
        increases = [
            self._increase(member, data.select_rows(data.classes >= 0), rng)
            for member, data in zip(members, left, strict=True)
            if (data.classes >= 0).any()
        ]
        columns = left[0].columns
        values = np.mean(increases, axis=0) if increases else np.zeros(len(columns))
        order = np.argsort(-values, kind="stable")
        return Model(ranking=FeatureRanking(columns, tuple(order.tolist()), tuple(values.tolist())))

    def _increase(self, member: Classifier, data: Data, rng: np.random.Generator) -> Floats:
        """How many more errors a member makes, as a share of rows, for each feature that is permuted."""
        before = np.count_nonzero(_answers(member, data) != data.classes)
        increase = np.zeros(len(data.columns))
        features = data.features
        for index in range(len(data.columns)):
            for _ in range(self.repetitions):
                mixed = features.copy()
                mixed[index] = rng.permutation(features[index])
                after = np.count_nonzero(_answers(member, data.with_features(data.columns, mixed)) != data.classes)
                increase[index] += after - before
        return increase / (len(data) * self.repetitions)


def _answers(member: Classifier, data: Data) -> Codes:
    """The classes that a member answers, as the data number them."""
    told = answers_of([member], data, data.labels, np.ones(1), np.ones(len(data.labels)), (LABELS,)).labels
    assert told is not None
    answers: Codes = told[0]
    return answers
