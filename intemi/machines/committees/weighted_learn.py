"""Weighted learning: a learner that can use weights gets data that have them, another one a sample drawn by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from intemi.data import Data
from intemi.kernel import Capsule, Input, Job, Machine, Model, MultiInput, Output, Source, parameter
from intemi.machines.classifiers.majority import Majority
from intemi.machines.committees.sampling import SAMPLES_AT_ONCE, BootstrapSampler, BootstrapSamples
from intemi.machines.committees.weights import Reweighted, Weights
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Learner, placeholder

Mode = Literal["auto", "reweight", "resample"]
"""How weights reach a learner: by the data's weights, by a sample, or whichever it can use."""
REDRAWS = 10
"""Samples of one class that are drawn again for a learner that refuses them; then the answer is that class."""


def resamples(learner: Machine, mode: Mode) -> bool:
    """Whether a learner gets a sample instead of weights."""
    return mode == "resample" or (mode == "auto" and not getattr(learner, "uses_weights", False))


class WeightedLearn(Machine):
    """Let a learner learn from data whose rows count as weights say.

    >>> from intemi.machines import KNN
    >>> WeightedLearn(KNN()).missing(), len(WeightedLearn().missing())
    ([], 1)
    """

    version = 2
    reads = Reads.TARGETS

    data = Input(Data)
    weights = MultiInput(Weights)
    classifier = Output(Classifier)

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    mode: Mode = "auto"

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")

    @property
    def is_random(self) -> bool:
        """Whether a sample is drawn, or the learner draws."""
        return self.learner.is_random or resamples(self.learner, self.mode)

    async def run(self, job: Job, data: Any, weights: Any) -> Model:
        if resamples(self.learner, self.mode):
            return Model(classifier=await learned_from_sample(job, self.learner, data, weights))
        weighted = job.request(Reweighted(), data=data, weights=weights, name="weighted")
        return Model(classifier=job.request(self.learner, data=weighted.weighted, name="learner").classifier)


async def learned_from_sample(
    job: Job, learner: Machine, data: Any, weights: Any, branch: tuple[int, ...] = ()
) -> Source:
    """What a learner learns from a sample that is drawn by weights; `branch` says whose random choices both are."""
    member = draw(job, BootstrapSampler(), learner, data, weights, branch)
    await job.settled(member.learned)
    return (await accepted(job, member)).learned.classifier


@dataclass(frozen=True)
class Drawn:
    """A sample, the rows that it lacks, and what is learned from it, as it was requested."""

    sampler: BootstrapSampler
    """What draws the sample again, if it has to be."""
    learner: Machine
    data: Any
    weights: Any
    branch: tuple[int, ...]
    """Whose random choices they are."""
    sample: Source
    left: Source
    learned: Capsule


def draw(
    job: Job, sampler: BootstrapSampler, learner: Machine, data: Any, weights: Any = (), branch: tuple[int, ...] = ()
) -> Drawn:
    """Request a sample, and what a learner learns from it."""
    drawn = job.request(sampler, data=data, weights=weights, branch=branch, name="sample")
    learned = job.request(learner, data=drawn.sample, branch=branch, name="learner")
    return Drawn(sampler, learner, data, weights, branch, drawn.sample, drawn.left, learned)


async def draw_members(job: Job, share: float, learner: Machine, data: Any, count: int) -> list[Drawn]:
    """Request samples for the first members of a committee, and what a learner learns from each."""
    members = []
    samplers = [BootstrapSamples(share, first) for first in range(0, count, SAMPLES_AT_ONCE)]
    drawn = [job.request(each, data=data, name="samples") for each in samplers]
    await job.all(*drawn)
    pairs = [pair for each in drawn for pair in zip(each.samples, each.left, strict=True)]
    for number, (sample, left) in enumerate(pairs[:count]):
        branch, comments = (number,), {"Member": number + 1}
        learned = job.request(learner, data=sample, branch=branch, comments=comments, name="learner")
        members.append(Drawn(BootstrapSampler(share), learner, data, (), branch, sample, left, learned))
    return members


async def accepted(job: Job, member: Drawn) -> Drawn:
    """The same, once it has been waited for. A sample of one class that the learner refuses is drawn again, up to ten
    times; the answer is that class, then. Any other error is raised.
    """
    drawn = member
    for attempt in range(1, REDRAWS + 1):
        if drawn.learned.context.error is None:
            return drawn
        classes = job.load(drawn.sample).classes
        if len(np.unique(classes[classes >= 0])) != 1:
            raise drawn.learned.context.error
        branch = (*member.branch, attempt)
        drawn = draw(job, member.sampler, member.learner, member.data, member.weights, branch)
        await job.settled(drawn.learned)
    if drawn.learned.context.error is None:
        return drawn
    constant = job.request(Majority(), data=drawn.sample, name="learner")
    await constant
    return replace(drawn, learned=constant)
