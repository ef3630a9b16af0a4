"""Classifiers of two levels: members answer, and a classifier of their answers has the last word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.committees.cross_predictions import training_weight
from intemi.machines.committees.meta_attributes import Answered, MetaAttributes
from intemi.machines.committees.predictions import Predictions, predictions_of
from intemi.machines.decoded import expect
from intemi.machines.interfaces import Classifier, Codes, Floats


@storable
@dataclass(frozen=True, eq=False)
class MetaLevel:
    """Members, and how their answers become meta attributes. A member that no answer depends on is None."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    members: tuple[Classifier | None, ...]
    attributes: MetaAttributes
    weighed: tuple[bool, ...]
    """Which members tell how much of their training data is behind an answer."""
    training_weight: float
    """The weight of all rows that the members were trained on."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        expect(len(self.names) == len(self.members) == len(self.weighed) > 0, "each member has a name")
        known = [each for each in self.members if each is not None]
        expect(all(isinstance(each, Classifier) and each.labels == self.labels for each in known), "members fit")
        expect(isinstance(self.attributes, MetaAttributes), "the meta level has attributes")
        expect(type(self.training_weight) is float and self.training_weight > 0, "members were trained on rows")

    @classmethod
    def of(cls, answered: Answered, members: Sequence[Classifier | None], attributes: MetaAttributes) -> MetaLevel:
        """The level of members that were trained on all data that others like them have answered for."""
        weight = training_weight(answered.data)
        return cls(answered.labels, answered.names, tuple(members), attributes, answered.weighed, weight)

    def answered(self, data: Data) -> Answered:
        """What the members answer for data."""
        told = [None if each is None else self._told(each, data) for each in self.members]
        return Answered(data, self.names, self.labels, told, self.weighed)

    def _told(self, member: Classifier, data: Data) -> Predictions:
        told = predictions_of(member, data)
        return told if told.weights is None else replace(told, weights=told.weights / self.training_weight)


@storable
@dataclass(frozen=True, eq=False)
class StackedClassifier(Classifier):
    """The answers of members, told to a classifier of meta attributes, which answers with a class."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    level: MetaLevel
    meta: Classifier

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.level) is MetaLevel and self.level.labels == self.labels, "members fit")
        expect(isinstance(self.meta, Classifier) and self.meta.labels == self.labels, "the meta level has the classes")

    def _probabilities(self, data: Data) -> Floats:
        return self._answers(data)[1]

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        return self.meta.answers(self.level.attributes.table(self.level.answered(data)))


@storable
@dataclass(frozen=True, eq=False)
class RoutedClassifier(Classifier):
    """A classifier of meta attributes names the member that answers; where it names several, their mean does."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    level: MetaLevel
    meta: Classifier
    """Its classes are the members."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.level) is MetaLevel and self.level.labels == self.labels, "members fit")
        expect(isinstance(self.meta, Classifier) and self.meta.labels == self.level.names, "members are named")

    @property
    def used(self) -> tuple[str, ...]:
        """The members that are asked."""
        return tuple(name for name, each in zip(self.level.names, self.level.members, strict=True) if each is not None)

    def _probabilities(self, data: Data) -> Floats:
        return self._answers(data)[1]

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        answered = self.level.answered(data)
        shares = self.meta.probabilities(self.level.attributes.table(answered))
        answers, probabilities = np.full(len(data), -1, dtype=np.int32), np.zeros((len(data), len(self.labels)))
        for share, told in zip(shares.T, answered.predictions, strict=True):
            if told is not None:
                probabilities += share[:, None] * told.probabilities
                alone = share >= 1.0 - 1e-12
                answers[alone] = told.answers[alone]
        several = answers < 0
        answers[several] = probabilities[several].argmax(axis=1)
        return answers, probabilities
