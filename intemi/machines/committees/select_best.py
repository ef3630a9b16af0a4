"""Select-Best: the learner that does best in inner cross-validation, trained on all data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Job, Machine, Model, MultiInput, parameter
from intemi.machines.committees.combiner import Combiner
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.committees.meta_data import answered_for
from intemi.machines.committees.predictions import Predict, Predictions
from intemi.machines.fairness.reads import Reads
from intemi.machines.roles import Distributor


class ErrorsOfPredictions(Machine):
    """Compare predictions of several classifiers with the classes of data.

    Results: "Errors", the weighted share that each gets wrong, and "Best", the number of the first one that gets fewest
    wrong, from 0. Rows without an answer or a class do not count.
    """

    reads = Reads.TARGETS

    data = Input(Data)
    predictions = MultiInput(Predictions)

    def run(self, data: Data, predictions: Sequence[Predictions]) -> Model:
        answered_for(self.kind, data, predictions, ())
        errors = []
        for each in predictions:
            counts = (each.answers >= 0) & (data.classes >= 0)
            wrong = data.weights[counts & (each.answers != data.classes)].sum()
            errors.append(float(wrong / data.weights[counts].sum()))
        best = int(np.argmax(np.array(errors) <= min(errors) + 1e-12))
        return Model(results={"Errors": tuple(errors), "Best": best})


class SelectBest(Combiner):
    """Train the learner that makes the fewest errors in inner folds; of equal ones the first.

    Without a `distributor` they are compared on the rows that they were trained on. It is the meta decision tree of a
    single leaf. Results: "Best", the name of the learner, and its "Inner error".

    >>> from intemi.kernel import Project
    >>> from intemi.machines import Majority, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     project.run(SelectBest((Majority(), NaiveBayes())), data=iris.data).results["Best"]
    'NaiveBayes'
    """

    distributor: Machine | None = parameter(default=InnerFolds(), role=Distributor, kw_only=True)

    def check(self) -> None:
        super().check()
        if self.distributor is not None:
            Distributor.demand(self.distributor, f"{self.kind}: distributor")

    async def run(self, job: Job, data: Any) -> Model:
        if self.distributor is None:
            members = self.trained(job, data)
            told = [job.request(Predict(), data=data, classifier=each, name="predict").predictions for each in members]
        else:
            told = self.on_folds(job, data, self.distributor)
        found = job.request(ErrorsOfPredictions(), data=data, predictions=told, name="errors")
        await found
        best = found.results["Best"]
        name = self.called()[best]
        learned = job.request(self.learners[best], data=data, name=name)
        results = {"Best": name, "Inner error": found.results["Errors"][best]}
        return Model(classifier=learned.classifier, members=[learned.classifier], results=results)
