"""Arbiters: for each learner a second one that says where it can be believed (Ortega, Koppel and Argamon)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Input, Job, Machine, Model, MultiInput, Output, parameter, storable
from intemi.machines.committees.combiner import CrossCombiner
from intemi.machines.committees.meta_attributes import MetaAttributes, OriginalFeatures
from intemi.machines.committees.meta_data import MetaData, answered_for, answers_for
from intemi.machines.committees.meta_level import MetaLevel
from intemi.machines.committees.predictions import Predictions
from intemi.machines.decoded import expect
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner
from intemi.machines.trees.algorithms import C45

WRONG, RIGHT = "wrong", "right"
DEFAULT_ARBITER = C45()


class RightOrWrong(Machine):
    """Put in place of the class of each row of meta data whether a classifier was right about it."""

    reads = Reads.TARGETS
    keeps_rows = True

    meta = Input(Data)
    predictions = Input(Predictions)
    judged = Output(Data)

    def run(self, meta: Data, predictions: Predictions) -> Model:
        right = np.where(meta.classes < 0, -1, answers_for(meta, predictions) == meta.classes).astype(np.int32)
        table = Table(meta.columns, meta.features, Column("judgement", (WRONG, RIGHT)), right, _weights(meta))
        return Model(judged=Data(table))


def _weights(data: Data) -> Floats | None:
    return data.weights if data.is_weighted else None


@storable
@dataclass(frozen=True, eq=False)
class ArbitratedClassifier(Classifier):
    """The vote of the members that their arbiters believe; of all of them, where none is believed."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    level: MetaLevel
    arbiters: tuple[Classifier, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.level) is MetaLevel and self.level.labels == self.labels, "members fit")
        expect(len(self.arbiters) == len(self.level.members) and None not in self.level.members, "each has an arbiter")
        expect(all(isinstance(each, Classifier) and each.labels == (WRONG, RIGHT) for each in self.arbiters), "judges")

    def _probabilities(self, data: Data) -> Floats:
        answered = self.level.answered(data)
        table = self.level.attributes.table(answered)
        believed = np.array([each.classify(table) == 1 for each in self.arbiters])
        believed[:, ~believed.any(axis=0)] = True
        votes = np.zeros((len(data), len(self.labels)))
        for share, told in zip(believed, answered.predictions, strict=True):
            assert told is not None
            votes += share[:, None] * (told.answers[:, None] == np.arange(len(self.labels)))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        votes = self._probabilities(data)
        return np.asarray((votes >= votes.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1), dtype=np.int32), votes


class Arbitrate(Machine):
    """Make one classifier of members and of what says where each of them is right."""

    reads = Reads.NOTHING

    data = Input(Data)
    predictions = MultiInput(Predictions)
    members = MultiInput(Classifier)
    arbiters = MultiInput(Classifier)
    classifier = Output(Classifier)

    attributes: MetaAttributes = OriginalFeatures()
    names: tuple[str, ...] = ()

    def run(
        self,
        data: Data,
        predictions: Sequence[Predictions],
        members: Sequence[Classifier],
        arbiters: Sequence[Classifier],
    ) -> Model:
        answered = answered_for(self.kind, data, predictions, self.names)
        level = MetaLevel.of(answered, members, self.attributes)
        return Model(classifier=ArbitratedClassifier(data.columns, data.labels, level, tuple(arbiters)))


class Arbiters(CrossCombiner):
    """Learn for each learner where it is right, by an `arbiter`; those that are believed vote.

    An arbiter learns from answers of inner folds, and is told the features of the data, or other meta `attributes`.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     arbiters = project.run(Arbiters((KNN(), NaiveBayes())), data=iris.data)
    ...     len(arbiters.outputs["classifier"].arbiters)
    2
    """

    arbiter: Machine = parameter(default=DEFAULT_ARBITER, role=Learner)
    attributes: MetaAttributes = OriginalFeatures()

    def check(self) -> None:
        super().check()
        Learner.demand(self.arbiter, f"{self.kind}: arbiter")

    async def run(self, job: Job, data: Any) -> Model:
        names, members = self.called(), self.trained(job, data)
        told = self.on_folds(job, data, self.distributor)
        table = job.request(MetaData(self.attributes, names), data=data, predictions=told, name="meta data")
        arbiters = []
        for name, each in zip(names, told, strict=True):
            judged = job.request(RightOrWrong(), meta=table.meta, predictions=each, name=f"{name} is right")
            arbiters.append(job.request(self.arbiter, data=judged.judged, name=f"arbiter of {name}").classifier)
        arbitrate = Arbitrate(self.attributes, names)
        made = job.request(arbitrate, data=data, predictions=told, members=members, arbiters=arbiters, name="arbitrate")
        return Model(classifier=made.classifier, members=members)
