"""Cascading: each learner is told, beside the data, what all learners before it answer (Gama and Brazdil)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intemi.data import Column, Data
from intemi.kernel import Input, Job, Machine, Model, MultiInput, Output, parameter, storable
from intemi.machines.committees.combiner import Combiner
from intemi.machines.committees.cross_predictions import CrossPredictions
from intemi.machines.committees.meta_attributes import (
    Answered,
    AttributeUnion,
    OriginalFeatures,
    PredictedProbabilities,
)
from intemi.machines.committees.meta_data import MetaData
from intemi.machines.committees.predictions import Predict, predictions_of
from intemi.machines.decoded import expect
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Distributor

EXTENDED = AttributeUnion((OriginalFeatures(), PredictedProbabilities()))
"""What the next level is told: everything that this one was told, and what it answers."""


@storable
@dataclass(frozen=True, eq=False)
class CascadedClassifier(Classifier):
    """Classifiers of which each is told what those before it answer; the last one answers."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    names: tuple[str, ...]
    levels: tuple[Classifier, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(len(self.names) == len(self.levels) > 0, "each level has a name")
        expect(all(isinstance(each, Classifier) and each.labels == self.labels for each in self.levels), "levels fit")

    def _probabilities(self, data: Data) -> Floats:
        return self.levels[-1].probabilities(self._extended(data))

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        return self.levels[-1].answers(self._extended(data))

    def _extended(self, data: Data) -> Data:
        for name, level in zip(self.names[:-1], self.levels[:-1], strict=True):
            told = predictions_of(level, data)
            data = EXTENDED.table(Answered(data, (name,), self.labels, [told], (False,)))
        return data


class Cascade(Machine):
    """Make one classifier of classifiers, each of which was told what those before it answer."""

    reads = Reads.NOTHING

    data = Input(Data)
    levels = MultiInput(Classifier)
    classifier = Output(Classifier)

    names: tuple[str, ...]

    def run(self, data: Data, levels: Sequence[Classifier]) -> Model:
        return Model(classifier=CascadedClassifier(data.columns, data.labels, self.names, tuple(levels)))


class Cascading(Combiner):
    """Train learners one after the other, each on the data with the probabilities that those before it answer.

    Probabilities for training rows are those of the model that was trained on them, as in the original; with a
    `distributor`, of models that were not. What varies least should come first.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import C45, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     cascade = project.run(Cascading((NaiveBayes(), C45())), data=iris.data)
    ...     [len(level.columns) for level in cascade.outputs["members"]]
    [4, 7]
    """

    distributor: Machine | None = parameter(default=None, role=Distributor, kw_only=True)

    def check(self) -> None:
        super().check()
        if self.distributor is not None:
            Distributor.demand(self.distributor, f"{self.kind}: distributor")

    async def run(self, job: Job, data: Any) -> Model:
        names, extended, levels = self.called(), data, list[Any]()
        for name, learner in zip(names, self.learners, strict=True):
            levels.append(job.request(learner, data=extended, name=name).classifier)
            if len(levels) < len(names):
                told = self._told(job, learner, extended, levels[-1])
                table = job.request(MetaData(EXTENDED, (name,)), data=extended, predictions=[told], name="extended")
                extended = table.meta
        made = job.request(Cascade(names), data=data, levels=levels, name="cascade")
        return Model(classifier=made.classifier, members=levels)

    def _told(self, job: Job, learner: Machine, data: Any, learned: Any) -> Any:
        if self.distributor is None:
            return job.request(Predict(), data=data, classifier=learned, name="predict").predictions
        return job.request(CrossPredictions(learner, self.distributor), data=data, name="on folds").predictions
