"""What combiners of several learners have in common: the learners, what they are called, and inner folds."""

from __future__ import annotations

from typing import Any

from intemi.kernel import ConfigurationError, Job, Machine, MultiOutput, parameter
from intemi.machines.committees.cross_predictions import CrossPredictions
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Distributor, Learner, placeholder
from intemi.machines.transformations.changing import names_apart


class Combiner(Learner):
    """Learns from the answers of several learners. Raw it is a template: `learners.0` is a placeholder.

    All combiners ask for the same models: each learner on all data, and on the training part of each inner fold. So any
    number of combiners over the same learners train them once. `names` are what learners are called in meta attributes
    and in trees; their kinds, unless they are given.
    """

    members = MultiOutput(Classifier)

    learners: tuple[Machine, ...] = parameter(default=(placeholder(Learner),), role=Learner)
    names: tuple[str, ...] = parameter(default=(), kw_only=True)

    def check(self) -> None:
        if not self.learners:
            raise ConfigurationError(f"{self.kind}: learners must be at least one, got none")
        for place, learner in enumerate(self.learners):
            Learner.demand(learner, f"{self.kind}: learners.{place}")
        if self.names and len({*self.names}) != len(self.learners):
            raise ConfigurationError(
                f"{self.kind}: names must be {len(self.learners)} different ones, one a learner, got {self.names}"
            )

    def called(self) -> tuple[str, ...]:
        """What the learners are called."""
        return self.names or tuple(names_apart(each.kind for each in self.learners))

    def trained(self, job: Job, data: Any) -> list[Any]:
        """Each learner on all data: outputs that are classifiers."""
        return [
            job.request(each, data=data, name=name).classifier
            for each, name in zip(self.learners, self.called(), strict=True)
        ]

    def on_folds(self, job: Job, data: Any, distributor: Machine) -> list[Any]:
        """The answers of each learner for rows that it was not trained on: outputs that are predictions."""
        return [
            job.request(CrossPredictions(each, distributor), data=data, name=f"{name} on folds").predictions
            for each, name in zip(self.learners, self.called(), strict=True)
        ]


class CrossCombiner(Combiner):
    """A combiner that learns from answers for rows that were not trained on, by a `distributor` of inner folds."""

    distributor: Machine = parameter(default=InnerFolds(), role=Distributor, kw_only=True)

    def check(self) -> None:
        super().check()
        Distributor.demand(self.distributor, f"{self.kind}: distributor")
