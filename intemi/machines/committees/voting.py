"""Voting: several learners, each trained on all data, decide together."""

from __future__ import annotations

from typing import Any

from intemi.kernel import Job, Model
from intemi.machines.committees.combiner import Combiner
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import DecisionRule, Vote
from intemi.machines.committees.tie_rules import LowestClass, TieRule


class Voting(Combiner):
    """Train several learners and let them vote, or decide by any other rule.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, Average, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     voting = project.run(Voting((KNN(), NaiveBayes()), Average()), data=iris.data)
    ...     len(voting.outputs["members"])
    2
    """

    rule: DecisionRule = Vote()
    tie: TieRule = LowestClass()

    async def run(self, job: Job, data: Any) -> Model:
        members = self.trained(job, data)
        committee = Committee(rule=self.rule, tie=self.tie)
        decided = job.request(committee, data=data, members=members, weights=(), name="committee")
        return Model(classifier=decided.classifier, members=members)
