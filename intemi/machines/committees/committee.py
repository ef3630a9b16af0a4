"""The committee: classifiers that decide together, as one classifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, Output, parameter
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.committees.answers import places_of
from intemi.machines.committees.classifier import CommitteeClassifier
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.tie_rules import LowestClass, TieRule
from intemi.machines.interfaces import Classifier


class Committee(Machine):
    """Make one classifier of several.

    `data` are what the committee learns from: its columns, its classes and their shares are theirs. `weights` are the
    vote weights of the members; bound to nothing, `weights=()`, all are 1. With a `size` only the first members count.

    >>> from intemi.data import Column, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, Majority, NaiveBayes
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9, 9]], Column("class", ("low", "high")), [0, 0, 1, 1, 1]))
    >>> with Project() as project:
    ...     given = project.given(data)
    ...     members = [project.request(each, data=given).classifier for each in (KNN(k=1), NaiveBayes(), Majority())]
    ...     committee = project.run(Committee(), data=given, members=members, weights=())
    ...     committee.outputs["classifier"].classify(data).tolist()
    [0, 0, 1, 1, 1]
    """

    data = Input(Data)
    members = MultiInput(Classifier)
    weights = MultiInput(float)
    classifier = Output(Classifier)

    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()
    size: int | None = parameter(default=None, at_least=1)

    def run(self, data: Data, members: Sequence[Classifier], weights: Sequence[float]) -> Model:
        if not members:
            raise ConfigurationError(f"{self.kind}: members must be at least one classifier, got none")
        if weights and len(weights) != len(members):
            raise ConfigurationError(
                f"{self.kind}: weights must be one for each of {len(members)} members, got {len(weights)}"
            )
        votes = np.array(weights or [1.0] * len(members), dtype=np.float64)[: self.size]
        if not (np.isfinite(votes) & (votes >= 0)).all():
            raise ConfigurationError(f"{self.kind}: weights must be finite and at least 0, got {votes.min()}")
        return Model(classifier=committee_of(data, tuple(members)[: self.size], votes, self.rule, self.tie, self.kind))


def committee_of(
    data: Data,
    members: tuple[Classifier, ...],
    weights: np.ndarray,
    rule: DecisionRule,
    tie: TieRule,
    who: str = "Committee",
) -> CommitteeClassifier:
    """The committee of some members for the columns and classes of the data that they were learned from."""
    for member in members:
        places_of(member, data.labels)
    shares = weight_of_classes(rows_to_learn_from(who, data))
    return CommitteeClassifier(data.columns, data.labels, members, weights, shares / shares.sum(), rule, tie)
