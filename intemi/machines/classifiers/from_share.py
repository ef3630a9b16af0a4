"""Learning from a share of the rows: a point of a learning curve."""

from __future__ import annotations

from typing import Any

from intemi.kernel import Job, Machine, Model, parameter
from intemi.machines.distributors import HoldOutDistributor
from intemi.machines.roles import Learner, placeholder


class FromShare(Learner):
    """Learn from a share of the rows, in which classes are as frequent as in all.

    With `vary: {share: [0.1, 0.3, 1]}` in a file, or `learning_curve` in Python, it tells how good a learner is when
    there are fewer data.

    >>> from intemi.machines.classifiers.majority import Majority
    >>> FromShare(Majority(), share=0.2).share
    0.2
    """

    random = True

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    share: float = parameter(default=0.5, above=0, at_most=1)

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")

    async def run(self, job: Job, data: Any) -> Model:
        if self.share < 1:
            part = job.request(HoldOutDistributor(share=self.share), name="part", data=data)
            await part
            data = part.training[0]
        return Model(classifier=job.request(self.learner, name="learner", data=data).classifier)
