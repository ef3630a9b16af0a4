"""Ranking by a forest, on the rows that its trees never saw."""

from __future__ import annotations

from typing import Any

from intemi.kernel import ConfigurationError, Job, Machine, Model, parameter
from intemi.machines.committees.forest_algorithms import RandomForest
from intemi.machines.committees.importance import PermutationImportance
from intemi.machines.rankings.permutation import importances
from intemi.machines.roles import Learner, Ranker


class ForestRanking(Ranker):
    """Rank features by a forest (Breiman 2001): how many more errors its trees make if a feature is shuffled.

    Each tree answers for the rows that its sample lacks (out-of-bag), so no rows are held out. The importance of a
    feature is the share of errors that shuffling adds, the mean over all trees; the result "Importance" lists them.
    `forest` is any bagging; its trees are shared with all requests that grow the same.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     found = project.run(ForestRanking(RandomForest(trees=10), seed=1), data=iris.data).outputs["ranking"]
    >>> sorted(found.columns[index].name for index in found.order[:2])
    ['petal length (cm)', 'petal width (cm)']
    """

    forest: Machine = parameter(default=RandomForest(), role=Learner)
    repeats: int = parameter(default=1, at_least=1)
    """How often each feature is shuffled, for each tree."""

    def check(self) -> None:
        Learner.demand(self.forest, f"{self.kind}: forest")
        if getattr(self.forest, "holds_out", {}).get("members") != "left":
            raise ConfigurationError(
                f"{self.kind}: forest must give its members and the rows that they never saw, as Bagging without "
                f"backfitting and RandomForest do, got {self.forest!r}"
            )

    async def run(self, job: Job, data: Any) -> Model:
        forest = job.request(self.forest, name="forest", data=data)
        await forest
        found = job.request(
            PermutationImportance(repetitions=self.repeats), name="importance", members=forest.members, left=forest.left
        )
        await found
        return Model(ranking=found.ranking, results={"Importance": importances(job.load(found.ranking))})
