"""The classifier that a committee is: members, their vote weights, and how they decide together.

The store keeps no second copy of what members share with it: trees and tables are kept once, and a committee refers to
them by digest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.committees.answers import LABELS, Answers, answers_of, needed_by
from intemi.machines.committees.decision_rules import DecisionRule
from intemi.machines.committees.tie_rules import TieRule, decision
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Classifier, Codes, Floats

MAX_CELLS = 2**21
"""Members × rows × classes that are worked on together."""


@storable
@dataclass(frozen=True, eq=False)
class CommitteeClassifier(Classifier):
    """Lets its members answer, and decides by a rule. Its classes are those of the committee's training data."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    members: tuple[Classifier, ...]
    weights: Floats
    """The vote weight of each member, at least 0."""
    priors: Floats
    """The shares of the classes in the training data."""
    rule: DecisionRule
    tie: TieRule

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.members) is tuple and len(self.members) > 0, "a committee has members")
        known = set(self.labels)
        for member in self.members:
            expect(isinstance(member, Classifier) and known.issuperset(member.labels), "the members are classifiers")
        expect_floats(self.weights, len(self.members))
        expect_floats(self.priors, len(self.labels))
        expect(isinstance(self.rule, DecisionRule) and isinstance(self.tie, TieRule), "a committee has rules")

    def __repr__(self) -> str:
        return f"CommitteeClassifier({len(self.members)} members, {self.rule!r}, classes {', '.join(self.labels)})"

    def member_answers(self, data: Data, needs: Collection[str] | None = None) -> Answers:
        """What the members answer, aligned to the classes of the committee; what its rules need, if nothing is said."""
        needs = needed_by(self.rule, self.tie) if needs is None else needs
        return answers_of(self.members, data, self.labels, self.weights, self.priors, needs)

    def _probabilities(self, data: Data) -> Floats:
        return self._answers(data)[1]

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        needs = needed_by(self.rule, self.tie)
        cells = len(self.members) * (1 if needs == {LABELS} else len(self.labels))
        at_once = max(1, MAX_CELLS // cells)
        if len(data) <= at_once:
            return decision(self.rule, self.tie, self.member_answers(data, needs))
        parts: list[Any] = [
            decision(self.rule, self.tie, self.member_answers(data.select_rows(rows), needs))
            for rows in np.split(np.arange(len(data)), range(at_once, len(data), at_once))
        ]
        labels, probabilities = zip(*parts, strict=True)
        return np.concatenate(labels), np.concatenate(probabilities)
