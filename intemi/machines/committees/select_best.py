"""Select-Best: the learner that is best in inner folds by a measure, trained on all data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Job, Machine, Model, MultiInput, parameter
from intemi.machines.committees.combiner import Combiner
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.committees.meta_data import answered_for
from intemi.machines.committees.predictions import Predict, Predictions
from intemi.machines.fairness.reads import Reads
from intemi.machines.measures import ClassificationAccuracy, Measure
from intemi.machines.measures.measure import Evidence
from intemi.machines.roles import Distributor


class MeasuredPredictions(Machine):
    """Measure the predictions of several classifiers.

    Results: "Values" of the measure, and "Best", the number of the first one that has the best value, from 0. Rows
    without an answer or a class do not count. A value that is not defined is worse than all others.
    """

    reads = Reads.TARGETS

    data = Input(Data)
    predictions = MultiInput(Predictions)

    measure: Measure = ClassificationAccuracy()

    def check(self) -> None:
        check_ordered(self.kind, self.measure)

    def run(self, data: Data, predictions: Sequence[Predictions]) -> Model:
        answered_for(self.kind, data, predictions, ())
        values = []
        for each in predictions:
            counts = (each.answers >= 0) & (data.classes >= 0)
            told = data.classes[counts], each.answers[counts], each.probabilities[counts], data.weights[counts]
            values.append(self.measure.measured(Evidence(*told, data.labels)))
        sign = -1 if self.measure.best == "lowest" else 1
        signed = np.nan_to_num(sign * np.array(values), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        best = int(np.argmax(signed >= signed.max() - 1e-12))
        return Model(results={"Values": tuple(values), "Best": best})


def check_ordered(kind: str, measure: Measure) -> None:
    """Refuse a measure none of whose values is better than others."""
    if measure.best is None:
        raise ConfigurationError(f"{kind}: measure must be one whose values can be ordered, got {measure!r}")


class SelectBest(Combiner):
    """Train the learner that is best in inner folds by a measure; of equal ones the first.

    The measure is taken over the answers for all rows at once. Without a `distributor` the learners are compared on the
    rows that they were trained on. With the accuracy it is the meta decision tree of a single leaf. Results: "Best",
    the name of the learner, and what the measure says of it, such as "Inner Accuracy".

    >>> from intemi.kernel import Project
    >>> from intemi.machines import Majority, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     project.run(SelectBest((Majority(), NaiveBayes())), data=iris.data).results["Best"]
    'NaiveBayes'
    """

    measure: Measure = parameter(default=ClassificationAccuracy(), kw_only=True)
    distributor: Machine | None = parameter(default=InnerFolds(), role=Distributor, kw_only=True)

    def check(self) -> None:
        super().check()
        check_ordered(self.kind, self.measure)
        if self.distributor is not None:
            Distributor.demand(self.distributor, f"{self.kind}: distributor")

    async def run(self, job: Job, data: Any) -> Model:
        if self.distributor is None:
            members = self.trained(job, data)
            told = [job.request(Predict(), data=data, classifier=each, name="predict").predictions for each in members]
        else:
            told = self.on_folds(job, data, self.distributor)
        found = job.request(MeasuredPredictions(self.measure), data=data, predictions=told, name="measured")
        await found
        best = found.results["Best"]
        name = self.called()[best]
        learned = job.request(self.learners[best], data=data, name=name)
        results = {"Best": name, f"Inner {self.measure.name}": found.results["Values"][best]}
        return Model(classifier=learned.classifier, members=[learned.classifier], results=results)
