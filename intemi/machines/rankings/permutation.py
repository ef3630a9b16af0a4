"""Ranking by what a learner loses when a feature is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Job, Machine, Model, MultiInput, Output, parameter
from intemi.machines.distributors import CVDistributor
from intemi.machines.interfaces import Classifier, FeatureRanking, Floats
from intemi.machines.measures import ClassificationAccuracy, Measure
from intemi.machines.measures.measure import measure
from intemi.machines.rankings.scoring import ranked
from intemi.machines.roles import Distributor, Learner, Ranker, placeholder
from intemi.series import Series


class PermutationRanking(Ranker):
    """Rank features by permutation importance (Breiman 2001): how much worse answers get if a feature is shuffled.

    The learner is trained on each training part that the distributor gives out, and its classifier is measured on the
    rows that were held out, with each feature shuffled in turn, `repeats` times. The importance of a feature is the
    mean over all parts; the result "Importance" lists them. Trained classifiers are machines, and are shared with all
    requests that train the same.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     found = project.run(PermutationRanking(NaiveBayes()), data=iris.data).outputs["ranking"]
    >>> [found.columns[index].name for index in found.order[:2]]
    ['petal width (cm)', 'petal length (cm)']
    """

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    distributor: Machine = parameter(default=CVDistributor(folds=5), role=Distributor)
    measure: Measure = ClassificationAccuracy()
    repeats: int = parameter(default=5, at_least=1)
    """How often each feature is shuffled, on each part."""

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")
        Distributor.demand(self.distributor, f"{self.kind}: distributor")
        if self.measure.best is None:
            raise ConfigurationError(f"{self.kind}: the values of a measure must have an order, got {self.measure!r}")

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, name="distributor", data=data)
        await parts
        importances = []
        for part in range(len(parts.training)):
            learned = job.request(self.learner, name="learner", branch=(part,), data=parts.training[part])
            importances.append(
                job.request(
                    PermutationImportance(self.measure, self.repeats),
                    name="importance",
                    branch=(part,),
                    data=parts.test[part],
                    classifier=learned.classifier,
                )
            )
        mean = job.request(MeanRanking(), name="mean", rankings=[each.ranking for each in importances])
        await mean
        return Model(ranking=mean.ranking, results={"Importance": _listed(job.load(mean.ranking))})


def _listed(ranking: FeatureRanking) -> Series:
    """Features and their values, the most useful first."""
    return Series(
        {
            "Importance": [ranking.values[index] for index in ranking.order],
            "feature": [ranking.columns[index].name for index in ranking.order],
        },
        main="Importance",
    )


class PermutationImportance(Machine):
    """How much worse the answers of a classifier get on data if a feature is shuffled: a value for each feature.

    Fair values come from rows that the classifier was not trained on, as `PermutationRanking` takes them.
    """

    data = Input(Data)
    classifier = Input(Classifier)
    ranking = Output(FeatureRanking)

    measure: Measure = ClassificationAccuracy()
    repeats: int = parameter(default=5, at_least=1)

    def run(self, data: Data, classifier: Classifier, rng: np.random.Generator) -> Model:
        before = self._measured(data, classifier)
        features = np.array([data.feature(index) for index in range(len(data.columns))], dtype=np.float64)
        lost = [self._lost(data, classifier, features, index, before, rng) for index in range(len(features))]
        return Model(ranking=ranked(data, lost))

    def _lost(
        self, data: Data, classifier: Classifier, features: Floats, index: int, before: float, rng: np.random.Generator
    ) -> float:
        """How much worse the measure is on average, with one feature shuffled."""
        kept = features[index].copy()
        after = 0.0
        for _ in range(self.repeats):
            features[index] = rng.permutation(kept)
            after += self._measured(data.with_features(data.columns, features.copy()), classifier)
        features[index] = kept
        worse = before - after / self.repeats
        return worse if self.measure.best == "highest" else -worse

    def _measured(self, data: Data, classifier: Classifier) -> float:
        value = measure([self.measure], data, classifier, self.kind)[self.measure.name]
        return float(value)


class MeanRanking(Machine):
    """The ranking by the mean of the values that several rankings give to each feature."""

    rankings = MultiInput(FeatureRanking)
    ranking = Output(FeatureRanking)

    def run(self, rankings: tuple[FeatureRanking, ...]) -> Model:
        columns = rankings[0].columns
        values = np.mean([each.values for each in rankings], axis=0)
        order = np.argsort(-values, kind="stable")
        return Model(ranking=FeatureRanking(columns, tuple(map(int, order)), tuple(map(float, values))))
