"""Bagging: members that learn from bootstrap samples of the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intemi.data import Data
from intemi.kernel import Job, Machine, Model, MultiOutput, parameter
from intemi.kernel.machine import Best
from intemi.machines.committees.backfit import Backfit
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.out_of_bag import OutOfBag
from intemi.machines.committees.tie_rules import LowestClass, TieRule
from intemi.machines.committees.weighted_learn import accepted, draw_members
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Learner, placeholder


class Bagging(Learner):
    """Let a learner learn from so many bootstrap samples; what it learned decides together.

    Raw it is a template: any `Learner` fills it. The members of a smaller committee are the first ones of a larger one.
    With `backfit` the leaves of members, which must be trees, answer by all rows. `left` are the rows that the sample
    of each member lacks; with `out_of_bag` what the committee is worth on them is a result, "Out-of-bag error". It is
    the error of the members before backfitting, whose leaves have not counted these rows.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import DecisionTree
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     bagging = project.run(Bagging(DecisionTree(), size=5, seed=1), data=iris.data)
    ...     bagging.outputs["classifier"]
    CommitteeClassifier(5 members, Vote(inner='lowest'), classes setosa, versicolor, virginica)
    """

    version = 2
    random = True

    members = MultiOutput(Classifier)
    left = MultiOutput(Data)

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    size: int = parameter(default=10, at_least=1, search=(1, 2, 5, 10, 20, 50))
    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()
    share: float = parameter(default=1.0, above=0, at_most=1, search=(0.25, 0.5, 0.75, 1.0))
    """How many rows a sample has, as a share of all."""
    backfit: bool = False
    out_of_bag: bool = False

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")

    @property
    def uses_weights(self) -> bool:
        """Whether its learner does: rows of samples keep their weights."""
        return getattr(self.learner, "uses_weights", False)

    @property
    def holds_out(self) -> Mapping[str, str]:
        """The rows that members have not learned from; none, if they are backfitted."""
        return {} if self.backfit else {"members": "left"}

    @property
    def reports(self) -> Mapping[str, Best]:
        """The out-of-bag error, if it is asked for."""
        return {"Out-of-bag error": "lowest"} if self.out_of_bag else {}

    async def run(self, job: Job, data: Any) -> Model:
        requested = await draw_members(job, self.share, self.learner, data, self.size)
        await job.settled(*(each.learned for each in requested))
        drawn = [await accepted(job, each) for each in requested]
        members = before = [each.learned.classifier for each in drawn]
        left = [each.left for each in drawn]
        if self.backfit:
            members = [job.request(Backfit(), classifier=each, data=data, name="backfit").fitted for each in members]
        committee = job.request(
            Committee(self.rule, self.tie), data=data, members=members, weights=(), name="committee"
        )
        results: dict[str, Any] = {}
        if self.out_of_bag:
            found = job.request(OutOfBag(self.rule, self.tie), data=data, members=before, left=left, name="out-of-bag")
            await found
            results = found.results
        return Model(classifier=committee.classifier, members=members, left=left, results=results)
