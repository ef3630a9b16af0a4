"""Randomization: members that learn from the same rows and differ by what their learner draws."""

from __future__ import annotations

from typing import Any

from intemi.kernel import ConfigurationError, Job, Machine, Model, MultiOutput, parameter
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.tie_rules import LowestClass, TieRule
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Learner, placeholder


class Randomization(Learner):
    """Let a learner that draws learn so many times from the same data; what it learned decides together.

    Raw it is a template: any `Learner` that makes random choices fills it. The members of a smaller committee are the
    first ones of a larger one.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> from intemi.machines.trees import RandomTopSplit
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     found = project.run(Randomization(DecisionTree(splitter=RandomTopSplit()), size=5), data=iris.data)
    ...     len({str(member) for member in found.outputs["members"]})
    5
    """

    random = True

    members = MultiOutput(Classifier)

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    size: int = parameter(default=10, at_least=1, search=(1, 2, 5, 10, 20, 50))
    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")
        if not self.learner.missing() and not self.learner.is_random:
            raise ConfigurationError(
                f"{self.kind}: learner must make random choices, or all members are the same, got {self.learner}"
            )

    @property
    def uses_weights(self) -> bool:
        """Whether its learner does."""
        return getattr(self.learner, "uses_weights", False)

    async def run(self, job: Job, data: Any) -> Model:
        members = [
            job.request(
                self.learner, data=data, branch=(index,), comments={"Member": index + 1}, name="learner"
            ).classifier
            for index in range(self.size)
        ]
        committee = job.request(
            Committee(self.rule, self.tie), data=data, members=members, weights=(), name="committee"
        )
        return Model(classifier=committee.classifier, members=members)
