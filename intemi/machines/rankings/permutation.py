"""Ranking by what a learner loses when a feature is shuffled."""

from __future__ import annotations

from typing import Any

from intemi.kernel import Job, Machine, Model, parameter
from intemi.machines.committees.importance import PermutationImportance
from intemi.machines.distributors import CVDistributor
from intemi.machines.interfaces import FeatureRanking
from intemi.machines.roles import Distributor, Learner, Ranker, placeholder
from intemi.series import Series


class PermutationRanking(Ranker):
    """Rank features by permutation importance (Breiman 2001): how many more errors there are if a feature is shuffled.

    The learner is trained on each training part that the distributor gives out. Its classifiers answer for the rows
    that were held out, as they are and with each feature shuffled, `repeats` times. The importance of a feature is the
    share of errors that this adds, the mean over all parts; the result "Importance" lists them. Trained classifiers are
    machines, and are shared with all requests that train the same.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     found = project.run(PermutationRanking(NaiveBayes()), data=iris.data).outputs["ranking"]
    >>> sorted(found.columns[index].name for index in found.order[:2])
    ['petal length (cm)', 'petal width (cm)']
    """

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    distributor: Machine = parameter(default=CVDistributor(folds=5), role=Distributor)
    repeats: int = parameter(default=5, at_least=1)
    """How often each feature is shuffled, on each part."""

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")
        Distributor.demand(self.distributor, f"{self.kind}: distributor")

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, name="distributor", data=data)
        await parts
        learned = [
            job.request(self.learner, name="learner", branch=(part,), data=parts.training[part])
            for part in range(len(parts.training))
        ]
        found = job.request(
            PermutationImportance(repetitions=self.repeats),
            name="importance",
            members=[each.classifier for each in learned],
            left=parts.test,
        )
        await found
        return Model(ranking=found.ranking, results={"Importance": importances(job.load(found.ranking))})


def importances(ranking: FeatureRanking) -> Series:
    """Features and their values, the most useful first."""
    return Series(
        {
            "Importance": [ranking.values[index] for index in ranking.order],
            "feature": [ranking.columns[index].name for index in ranking.order],
        },
        main="Importance",
    )
