"""Out-of-bag: what a committee answers for the rows it learned from, each by those members that never saw the row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Model, Output
from intemi.machines.committees.answers import ABSTAINS, LABELS, Answers, answers_of, needed_by
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.predictions import Predictions
from intemi.machines.committees.tie_rules import LowestClass, TieRule, decision
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import HeldOutTest

Truths = NDArray[np.bool_]


class OutOfBag(HeldOutTest):
    """Let members answer for the rows that were left out of their samples; they decide together as a committee does.

    Results: "Out-of-bag error", the share of wrong answers among the rows that some member never saw, and their number,
    "Out-of-bag rows". It is a fair estimate: members that have learned from the targets of rows that they answer for,
    as after `Backfit`, are refused.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import Bagging, DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     bagging = project.request(Bagging(DecisionTree(), seed=1), data=iris.data)
    ...     found = project.run(OutOfBag(), data=iris.data, members=bagging.members, left=bagging.left)
    ...     found.results["Out-of-bag rows"], found.results["Out-of-bag error"] < 0.1
    (148, True)
    """

    reads = Reads.TARGETS

    data = Input(Data)
    predictions = Output(Predictions)

    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()

    def run(self, data: Data, members: Sequence[Classifier], left: Sequence[Data]) -> Model:
        unseen = has_left(self.kind, data, members, left)
        answers = answers_out_of_bag(data, members, unseen, needed_by(self.rule, self.tie))
        labels, shares = decision(self.rule, self.tie, answers)
        answered: Truths = np.asarray(unseen.any(axis=0))
        labels = np.where(answered, labels, np.int32(ABSTAINS))
        shares = np.where(answered[:, None], shares, 0.0)
        counted = answered & (data.classes >= 0)
        weights, wrong = data.weights[counted], labels[counted] != data.classes[counted]
        error = float(weights @ wrong / weights.sum()) if counted.any() else float("nan")
        return Model(
            predictions=Predictions(data.labels, data.origins, labels, shares),
            results={"Out-of-bag error": error, "Out-of-bag rows": int(counted.sum())},
        )


def answers_out_of_bag(data: Data, members: Sequence[Classifier], unseen: Truths, needs: Collection[str]) -> Answers:
    """What members answer for data; each abstains on the rows that it has seen."""
    priors = np.bincount(data.classes[data.classes >= 0], minlength=len(data.labels)) + 0.0
    nothing = _no_answers(data, len(members), needs)
    answers = Answers(np.ones(len(members)), priors / priors.sum(), data.origins, **nothing)
    for member, (classifier, rows) in enumerate(zip(members, unseen, strict=True)):
        if rows.any():
            own = answers_of([classifier], data.select_rows(rows), data.labels, np.ones(1), answers.priors, needs)
            for name in needs:
                getattr(answers, name)[member, rows] = getattr(own, name)[0]
    return answers


def _no_answers(data: Data, members: int, needs: Collection[str]) -> dict[str, Any]:
    """What members answer that all abstain on all rows."""
    size = members, len(data)
    return {
        name: np.full(size, ABSTAINS, dtype=np.int32) if name == LABELS else np.zeros((*size, len(data.labels)))
        for name in needs
    }


def has_left(who: str, data: Data, members: Sequence[Classifier], left: Sequence[Data]) -> Truths:
    """Which rows of data were left out of the sample of which member: truth values, members × rows."""
    if len(members) != len(left):
        raise ConfigurationError(f"{who}: left must be one for each of {len(members)} members, got {len(left)}")
    rows, left_out = data.origins, [each.origins for each in left]
    is_left = np.zeros((len(left), 1 + max(each.max(initial=0) for each in (rows, *left_out))), dtype=bool)
    for member, each in enumerate(left_out):
        is_left[member, each] = True
    return is_left[:, rows]
