"""Wagging: members that learn from all rows, weighted by chance."""

from __future__ import annotations

from typing import Any

from intemi.kernel import ConfigurationError, Job, Machine, Model, MultiOutput, parameter
from intemi.machines.committees.backfit import Backfit
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.noise import GaussianNoise, Noise, NoiseWeights
from intemi.machines.committees.tie_rules import LowestClass, TieRule
from intemi.machines.committees.weighted_learn import resamples
from intemi.machines.committees.weights import Reweighted
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Learner, placeholder


class Wagging(Learner):
    """Let a learner that can use weights learn from the data so many times, with noise added to the weights of rows.

    Raw it is a template: any `Learner` fills it. With `backfit` the leaves of members, which must be trees, answer by
    all rows as they are.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import Average, DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     wagging = Wagging(DecisionTree(), size=5, rule=Average(), backfit=True, seed=1)
    ...     project.run(wagging, data=iris.data).outputs["classifier"]
    CommitteeClassifier(5 members, Average(), classes setosa, versicolor, virginica)
    """

    random = True

    members = MultiOutput(Classifier)

    uses_weights = True

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    size: int = parameter(default=10, at_least=1, search=(1, 2, 5, 10, 20, 50))
    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()
    noise: Noise = GaussianNoise()
    backfit: bool = False

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")
        if not self.learner.missing() and resamples(self.learner, "auto"):
            raise ConfigurationError(f"{self.kind}: learner must be able to use weights, got {self.learner!r}")

    async def run(self, job: Job, data: Any) -> Model:
        members = [self._member(job, data, index) for index in range(self.size)]
        committee = job.request(
            Committee(self.rule, self.tie), data=data, members=members, weights=(), name="committee"
        )
        return Model(classifier=committee.classifier, members=members)

    def _member(self, job: Job, data: Any, index: int) -> Any:
        comments = {"Member": index + 1}
        noise = job.request(NoiseWeights(self.noise), data=data, branch=(index,), comments=comments, name="noise")
        weighted = job.request(Reweighted(), data=data, weights=noise.weights, comments=comments, name="weighted")
        learned = job.request(self.learner, data=weighted.weighted, branch=(index,), comments=comments, name="learner")
        if not self.backfit:
            return learned.classifier
        return job.request(Backfit(), classifier=learned.classifier, data=data, name="backfit").fitted
