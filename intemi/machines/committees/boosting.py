"""Boosting: members that learn one after the other, each from rows weighted by what those before it got wrong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import (
    ConfigurationError,
    Input,
    Job,
    Machine,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Source,
    parameter,
)
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.committees.answers import places_of
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.decision_rules import EQUAL, DecisionRule
from intemi.machines.committees.rows_that_count import RowsThatCount
from intemi.machines.committees.tie_rules import LowestClass, TieRule
from intemi.machines.committees.update_rules import AdaBoost, Round, UpdateRule
from intemi.machines.committees.weighted_learn import Mode, learned_from_sample, resamples
from intemi.machines.committees.weights import Weights, reweighted, shares_of
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner, placeholder

Flags = NDArray[np.bool_]
High = Literal["stop", "reset", "reset_keep"]
"""A member of too high an error: leave it out and end; or make all weights equal and go on, without it, or with it and
a vote of 0."""
Zero = Literal["clip_stop", "reset", "weka", "sklearn"]
"""A member without errors: end with it, its error taken to be 1 / 2n; the same, but make all weights equal and go on;
end without it, unless it is the first; or end with it and a vote of 1."""


class Judged(NamedTuple):
    """What becomes of a member."""

    vote: float
    status: str
    kept: bool
    following: Weights | None
    """The weights for the next member; None: it was the last."""


class BoostUpdate(Machine):
    """Judge a member on the rows as they are weighted, and weigh them for the next one.

    `updated` are the new weights, and `weighted` the data that have them. Rows without a class do not count: they
    weigh nothing, and are not among the weighted data.

    Results: "Error" (weighted), "Vote weight", and "Status", which says how boosting goes on.

    >>> BoostUpdate().reads
    <Reads.TARGETS: 'targets'>
    """

    version = 3
    reads = Reads.TARGETS
    keeps_rows = True

    data = Input(Data)
    weights = MultiInput(Weights)
    member = Input(Classifier)
    updated = Output(Weights)
    weighted = Output(Data)
    vote = Output(float)
    kept = Output(bool)
    ended = Output(bool)

    variant: UpdateRule = AdaBoost()
    high: High = "stop"
    zero: Zero = "clip_stop"

    def run(self, data: Data, weights: Sequence[Weights], member: Classifier) -> Model:
        has_class = data.classes >= 0
        if not has_class.any():
            raise ConfigurationError(f"{self.kind}: at least one row with a class is needed, got none")
        known = data if has_class.all() else data.select_rows(has_class)
        given = self._round(known, _of_rows(has_class, data, weights), member)
        error = self.variant.error(given)
        vote, status, kept, following = self._judged(known, given, error)
        return Model(
            updated=Weights(np.empty(0)) if following is None else _on_all_rows(has_class, following),
            weighted=data if following is None else reweighted(known, (following,)),
            vote=vote,
            kept=kept,
            ended=following is None,
            results={"Error": error, "Vote weight": vote, "Status": status},
        )

    def _round(self, data: Data, before: Weights, member: Classifier) -> Round:
        answers, probabilities = _answered(self.variant, data, member)
        return Round(
            before.shares,
            data.classes,
            answers,
            len(data.labels),
            before.step,
            before.memory,
            probabilities,
        )

    def _judged(self, data: Data, given: Round, error: float) -> Judged:
        """What becomes of a member with an error."""
        rule = self.variant
        if rule.judges and error >= rule.limit(given.classes) - EQUAL:
            if self.high == "stop":
                return Judged(0.0, "error too high", False, None)
            return Judged(0.0, "reset", self.high == "reset_keep", _equal(data))
        if rule.judges and error <= EQUAL:
            if self.zero in ("weka", "sklearn"):
                return Judged(1.0, "no error", self.zero == "sklearn", None)
            vote = rule.vote(1 / (2 * len(data)), given.classes)
            return Judged(vote, "no error", True, _equal(data) if self.zero == "reset" else None)
        new = rule.updated(given, error)
        following = Weights(new.shares, given.step + 1, new.memory)
        return Judged(rule.vote(error, given.classes), "goes on", True, following)


def _equal(data: Data) -> Weights:
    """The weights that boosting begins with: those of the data."""
    return Weights(shares_of(data, ()))


def _of_rows(chosen: Flags, data: Data, weights: Sequence[Weights]) -> Weights:
    """The weights that chosen rows have among themselves; if none are given, those that boosting begins with."""
    before = weights[0] if weights else _equal(data)
    shares = shares_of(data, (before,))
    if chosen.all():
        return before
    shares = shares[chosen] / shares[chosen].sum()
    return Weights(shares, before.step, None if before.memory is None else before.memory[chosen])


def _on_all_rows(chosen: Flags, weights: Weights) -> Weights:
    """The weights of chosen rows, with zeros for all others."""
    if chosen.all():
        return weights
    return Weights(
        _with_zeros(chosen, weights.shares),
        weights.step,
        None if weights.memory is None else _with_zeros(chosen, weights.memory),
    )


def _with_zeros(chosen: Flags, values: Floats) -> Floats:
    spread = np.zeros((len(chosen), *values.shape[1:]))
    spread[chosen] = values
    return spread


def _answered(rule: UpdateRule, data: Data, member: Classifier) -> tuple[Codes, Floats | None]:
    """What a member answers, in terms of the classes of the data."""
    answers, probabilities = member.answers(data) if rule.needs_probabilities else (member.classify(data), None)
    if member.labels == data.labels:
        return answers, probabilities
    places = places_of(member, data.labels)
    if probabilities is not None:
        aligned = np.zeros((len(data), len(data.labels)))
        aligned[:, places] = probabilities
        probabilities = aligned
    return places[answers], probabilities


class Boosting(Learner):
    """Learn members one after the other, each from rows weighted by what those before it got wrong; they vote.

    Raw it is a template: any `Learner` fills it. `variant` says how weights change and what votes count; `mode`,
    whether the learner gets weights or samples drawn by them (by default weights, if it can use them); `high` and
    `zero`, what happens to a member whose error is too high, or 0. If no member has a vote, the first decides alone.

    The members of a smaller committee are the first ones of a larger one, and all variants have the first in common: it
    is trained once. With samples it is also the first member of `Bagging`, if all rows have a class: rows without one
    take no part.

    Results: "Members", and "Status": "complete", "ended early" or "no boosting possible". What each step found is in
    the results of its `BoostUpdate`.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import DecisionStump
    >>> from intemi.machines.loading import SklearnDataset
    >>> with Project() as project:
    ...     cancer = project.request(SklearnDataset("breast_cancer"))
    ...     boosted = project.run(Boosting(DecisionStump(), size=5), data=cancer.data)
    ...     boosted.outputs["classifier"], boosted.results
    (CommitteeClassifier(5 members, WeightedVote(inner='lowest'), classes malignant, benign), \
{'Members': 5, 'Status': 'complete'})
    """

    version = 3

    members = MultiOutput(Classifier)
    votes = MultiOutput(float)

    uses_weights = True

    learner: Machine = parameter(default=placeholder(Learner), role=Learner)
    size: int = parameter(default=10, at_least=1, search=(1, 2, 5, 10, 20, 50))
    variant: UpdateRule = AdaBoost()
    mode: Mode = "auto"
    high: High = "stop"
    zero: Zero = "clip_stop"
    rule: DecisionRule | None = None
    """How members decide; None: as the variant says."""
    tie: TieRule = LowestClass()

    @property
    def is_random(self) -> bool:
        """Whether samples are drawn, or the learner draws."""
        return self.learner.is_random or resamples(self.learner, self.mode)

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")

    async def run(self, job: Job, data: Any) -> Model:
        if resamples(self.learner, self.mode):
            data = self._rows_to_draw_from(job, data)
        update = _update(self.variant, self.high, self.zero)
        learned: list[Source] = []
        votes: dict[int, Source] = {}
        """Of the members that are kept, by the number of their step."""
        weights: Any = ()
        weighted, ended = data, False
        while len(learned) < self.size and not ended:
            number = len(learned)
            member = await self._member(job, number, data, weights, weighted)
            step = job.request(
                update, data=data, weights=weights, member=member, comments={"Step": number + 1}, name="update"
            )
            await step
            learned.append(member)
            if job.load(step.kept):
                votes[number] = step.vote
            ended = job.load(step.ended)
            weights, weighted = step.updated, step.weighted
        if not any(job.load(vote) > 0 for vote in votes.values()):
            votes = {}
        members = [learned[number] for number in votes or [0]]  # the first member alone has the vote 1
        committee = job.request(
            Committee(self.rule or self.variant.rule, self.tie),
            data=data,
            members=members,
            weights=list(votes.values()),
            name="committee",
        )
        status = "no boosting possible" if not votes else "ended early" if ended else "complete"
        return Model(
            classifier=committee.classifier,
            members=members,
            votes=list(votes.values()),
            results={"Members": len(members), "Status": status},
        )

    def _rows_to_draw_from(self, job: Job, data: Any) -> Any:
        """The data, without rows that do not count: samples would be smaller by those that are drawn."""
        table = job.load(data)
        if rows_to_learn_from(self.kind, table) is table:
            return data
        return job.request(RowsThatCount(), data=data, name="rows that count").counting

    async def _member(self, job: Job, number: int, data: Any, weights: Any, weighted: Any) -> Source:
        """What is learned in a step: from a sample that is drawn by weights, or from data that have them."""
        if resamples(self.learner, self.mode):
            return await learned_from_sample(job, self.learner, data, weights, branch=(number,))
        comments = {"Step": number + 1}
        return job.request(self.learner, data=weighted, branch=(number,), comments=comments, name="learner").classifier


@lru_cache(maxsize=256)
def _update(variant: UpdateRule, high: High, zero: Zero) -> BoostUpdate:
    """The update of every step; remembered, since folds and sizes ask for the same."""
    return BoostUpdate(variant, high, zero)
