"""Stacking: a learner that learns from the answers of other learners, for rows that these have not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intemi.kernel import Job, Machine, Model, parameter
from intemi.kernel.machine import Best
from intemi.machines.classifiers.logistic import Logistic
from intemi.machines.committees.combiner import CrossCombiner
from intemi.machines.committees.meta_attributes import MetaAttributes, PredictedProbabilities
from intemi.machines.committees.meta_data import MetaData
from intemi.machines.committees.route import Stack
from intemi.machines.roles import Learner


class Stacking(CrossCombiner):
    """Learn the class from what several learners answer; `meta` is the learner that does, `attributes` what it is told.

    Answers to learn from are those of inner folds; in use, members are trained on all data (Wolpert, 1992). Results of
    the meta-learner, such as the size of a tree, are its own.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, NaiveBayes, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     stacking = project.run(Stacking((KNN(), NaiveBayes())), data=iris.data)
    ...     stacking.outputs["classifier"].meta.coefficients.shape
    (3, 6)
    """

    meta: Machine = parameter(default=Logistic(), role=Learner)
    attributes: MetaAttributes = PredictedProbabilities()

    @property
    def reports(self) -> Mapping[str, Best]:
        """Those of the meta-learner."""
        return self.meta.reports

    def check(self) -> None:
        super().check()
        Learner.demand(self.meta, f"{self.kind}: meta")

    async def run(self, job: Job, data: Any) -> Model:
        members, told = self.trained(job, data), self.on_folds(job, data, self.distributor)
        table = job.request(MetaData(self.attributes, self.called()), data=data, predictions=told, name="meta data")
        meta = job.request(self.meta, data=table.meta, name="meta")
        stack = Stack(self.attributes, self.called())
        made = job.request(stack, data=data, predictions=told, members=members, meta=meta.classifier, name="stack")
        await meta
        return Model(classifier=made.classifier, members=members, results=meta.results)
