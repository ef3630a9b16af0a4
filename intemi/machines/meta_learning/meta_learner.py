"""The meta-learner: a learner that searches for a learner, and learns with the best that it finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Capsule, ConfigurationError, Job, Machine, MachineFailed, Model, parameter
from intemi.kernel.lineage import Examination
from intemi.kernel.repository.query import Query
from intemi.machines.fairness.leaks import stamps_of_search
from intemi.machines.meta_learning.calibration import current_calibration
from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.descriptions import DataDescription, describe
from intemi.machines.meta_learning.evaluation import evaluate
from intemi.machines.meta_learning.flow import Flow
from intemi.machines.meta_learning.job_runner import JobRunner
from intemi.machines.meta_learning.knowledge import Knowledge
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase, paired_p_values
from intemi.machines.meta_learning.loop import Reason, search
from intemi.machines.meta_learning.meta_features import meta_features
from intemi.machines.meta_learning.names import distinct_names, name_of, name_with_digest
from intemi.machines.meta_learning.orders import GivenOrder
from intemi.machines.meta_learning.passive_search import PassiveSearch
from intemi.machines.meta_learning.search_log import log_table
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Task
from intemi.machines.meta_learning.validation import CANDIDATE, RESULT, candidate_of, cross_validation
from intemi.machines.roles import Learner
from intemi.series import Series

SIGNIFICANT = 0.01
"""Below this p-value a candidate is worse than the best."""
SHARE = 0.75
"""Of the time that is left, for which a candidate may learn from all data before the next one is tried."""


class MetaLearner(Learner):
    """Test candidates, the most promising first, and learn with the best of them from all data.

    It is a learner itself: it is cross-validated like any other, which is the only fair estimate of what it finds, and
    may be a candidate of another one. Tests are ordinary machines: whatever is on record is not run again, so a search
    that was ended goes on where it was.

    With `seconds` it ends in time: a tenth is kept for the learning of the winner. Then it looks at the clock, and is
    run for each request. `capsule.progress` says how far it is; after `capsule.end_early()` it learns with the best so
    far.

    Results: "Best", "Quality" (the mean over the splits), "Tests" (how many finished), "Stopped" (why), and "Failures".
    "Ranking" is a table of all that finished, the best first, with the p-value of a paired t-test against the best,
    what the test takes if nothing of it is on record, in universal seconds, and the number of attempts. "As good" are
    those of them that are not significantly worse than the best, and "Cheapest" is the one of these whose test takes
    the least. "Log" has every attempt in the order in which they were started. `ranked_candidates` gives
    configurations.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, Majority, NaiveBayes, SklearnDataset
    >>> from intemi.machines.meta_learning import Flow, Set
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     found = project.run(MetaLearner(Flow((Set((Majority(), KNN(k=5), NaiveBayes())),))), data=iris.data)
    ...     found.results["Best"], found.results["Tests"], found.results["Stopped"]
    ('KNN', 3, 'nothing is left to test')
    """

    version = 2
    measured = frozenset({"Ranking", "As good", "Cheapest", "Log"})

    candidates: Flow
    strategy: Strategy = PassiveSearch(GivenOrder())
    validation: Machine = cross_validation()
    """A template with a place for the candidate at "test/candidate", and results at "test/result"."""
    measure: str = "Accuracy"
    seconds: float | None = parameter(default=None, above=0)
    reserve: float = parameter(default=0.1, at_least=0, below=1)
    """The share of the time that is kept for the winner."""
    memory: int | None = parameter(default=None, above=0)
    """How many bytes each leaf of a test may occupy, None for any number; needs a process manager."""
    knowledge: Knowledge | None = parameter(default=None, kw_only=True)
    """What was found on other data, for strategies that use it."""

    @property
    def looks_at_clock(self) -> bool:  # type: ignore[override]
        """Whether it has to end in time."""
        return self.seconds is not None

    def _lacking(self) -> list[str]:
        return []  # templates are filled while it searches

    def check(self) -> None:
        if self.measure not in self._declared:
            known = ", ".join(self._declared) or "nothing"
            raise ConfigurationError(
                f"{self.kind}: measure must be what the test reports, {known}, got {self.measure!r}"
            )

    @property
    def _declared(self) -> Mapping[str, Any]:
        result = self.validation.get(RESULT)
        return result.reports if isinstance(result, Machine) else {}

    def examine(self, examination: Examination) -> Mapping[str, str]:
        """Say of its results that they are of spoilt data, if they are."""
        return stamps_of_search(examination)

    async def run(self, job: Job, data: Any, rng: np.random.Generator) -> Model:
        begun = time.monotonic()
        ends = None if self.seconds is None else begun + self.seconds
        deadline = None if self.seconds is None else begun + self.seconds * (1 - self.reserve)
        table = job.load(data)
        sign = -1 if self._declared[self.measure] == "lowest" else 1
        setting = Setting(
            knowledge=self._known_to(table, sign),
            rng=rng,
            expected=self._expectation(describe(table), lambda test: job.is_on_record(test, data=data)),
            flow=self.candidates.begin(),
            describe=lambda: meta_features(table),
            workers=job.workers,
        )
        course = self.strategy.begin(setting)
        runner = JobRunner(job, self.test_of, Query(RESULT, self.measure), sign, data, ends, self.memory)
        reason = await search(course, runner, deadline)
        if reason is Reason.DEADLINE and job.ends_early:
            reason = Reason.EARLY
        winner, learned = await self._learned(job, course, runner, data, ends)
        names = distinct_names(attempt.candidate for attempt in runner.log)
        ranking = _ranking(course, runner, sign, names)
        as_good = ranking[ranking["p"] >= SIGNIFICANT]
        results = {
            "Best": names[winner.candidate],
            "Quality": sign * winner.quality,
            "Tests": len(course.ranking),
            "Stopped": reason.value,
            "Ranking": ranking,
            "As good": as_good,
            "Cheapest": str(as_good["candidate"][int(np.argmin(as_good["seconds"]))]),
            "Failures": {names[task.candidate]: error for task, error in runner.errors.items()},
            "Log": log_table(runner.log),
        }
        return Model(classifier=learned.classifier, results=results)

    def test_of(self, candidate: Machine) -> Machine:
        """How a candidate is tested."""
        return self.validation.fill({CANDIDATE: candidate})

    def _known_to(self, data: Data, sign: int) -> KnowledgeBase | None:
        """What was found on other data."""
        if self.knowledge is None:
            return None
        return self.knowledge.base_for(data, self.validation, self.measure, sign)

    def _expectation(
        self, data: DataDescription, is_on_record: Callable[[Machine], bool]
    ) -> Callable[[Any], Complexity]:
        """What the tests of candidates are expected to take on such data."""

        def expected(candidate: Machine) -> Complexity:
            test = self.test_of(candidate)
            found = evaluate(test, {"data": data}, current_calibration())
            return Complexity(found.seconds, found.memory, is_on_record=is_on_record(test))

        return expected

    async def _learned(
        self, job: Job, course: Course, runner: JobRunner, data: Any, ends: float | None
    ) -> tuple[Task, Capsule]:
        """The best task whose candidate learns from all data, and what has learned.

        One that fails, or has not learned within its share of the time that is left, makes way for the next. If none
        has, the one whose test took the least may take its time: rather late than nothing.
        """
        for task in course.ranking:
            assert isinstance(task.candidate, Machine)
            runner.report_learning(task.candidate)
            learned = job.request(task.candidate, name="winner", data=data)
            await job.settled(learned, timeout=None if ends is None else SHARE * max(0.0, ends - time.monotonic()))
            if learned.done and learned.error is None:
                return task, learned
            runner.report_not_learned(task, learned)
            learned.abort()
        if ends is not None and course.ranking:
            task = min(course.ranking, key=runner.whole_seconds)
            assert isinstance(task.candidate, Machine)
            learned = job.request(task.candidate, name="winner", data=data)
            await job.settled(learned)
            if learned.error is None:
                return task, learned
        raise MachineFailed(self._nothing_found(course, runner), self.kind, b"")

    def _nothing_found(self, course: Course, runner: JobRunner) -> str:
        within = "" if self.seconds is None else f" within {self.seconds:g} s"
        more = "" if self.seconds is None else "; give it more time"
        first = next((f"; {name_of(task.candidate)}: {error}" for task, error in runner.errors.items()), more)
        if course.ranking:
            best = course.ranking[0]
            why = f"{name_of(best.candidate)}: {runner.errors[best]}"
            return f"{self.kind}: none of the {len(course.ranking)} candidates tested has learned{within}; {why}"
        return f"{self.kind}: no test of {len(runner.log)} has finished{within}{first}"


def _ranking(course: Course, runner: JobRunner, sign: int, names: Mapping[Hashable, str]) -> Series:
    """What finished, the best first, with the significance of the difference from the best."""
    ranking = course.ranking
    best = ranking[0].results
    p_values = [float(paired_p_values(task.results - best)) for task in ranking]  # type: ignore[operator]
    return Series(
        {
            "quality": [sign * task.quality for task in ranking],
            "candidate": [names[task.candidate] for task in ranking],
            "p": p_values,
            "seconds": [runner.whole_seconds(task) for task in ranking],
            "attempts": [max(task.attempt, 1) for task in ranking],
        }
    )


def ranked_candidates(found: Capsule) -> list[Machine]:
    """The candidates of a finished `MetaLearner`, in the order of its ranking, as configurations to request again.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import KNN, Majority, SklearnDataset
    >>> from intemi.machines.meta_learning import Flow, Set
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     found = project.run(MetaLearner(Flow((Set((Majority(), KNN(k=5))),))), data=iris.data)
    ...     [candidate.kind for candidate in ranked_candidates(found)]
    ['KNN', 'Majority']
    """
    candidates: dict[str, Machine] = {}
    for child in found.children:
        if child.name == "test":
            candidate = candidate_of(child.config)
            candidates |= {name(candidate): candidate for name in (name_of, name_with_digest)}
    return [candidates[text] for text in found.results["Ranking"]["candidate"]]
