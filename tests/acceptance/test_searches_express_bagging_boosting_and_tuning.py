"""Bagging, boosting and parameter search are searches: written as strategies of the common loop, they give the same
models as the machines, so that these have nothing left to train.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any

import pytest

from intemi.kernel import Capsule, Job, Model, Project, content_digest
from intemi.machines import KNN, CVDistributor, DecisionStump, Learner, SklearnDataset
from intemi.machines.committees import Bagging, Boosting, Committee
from intemi.machines.committees.boosting import BoostUpdate
from intemi.machines.committees.sampling import BootstrapSamples
from intemi.machines.committees.update_rules import AdaBoost
from intemi.machines.meta_learning import (
    Course,
    Flow,
    MetaLearner,
    Outcome,
    Set,
    Setting,
    Strategy,
    Task,
    cross_validation,
    search,
)
from intemi.machines.search import Scenario, Steps
from intemi.machines.tuning import tuned_by


class Requests:
    """A runner whose tasks are requests of a composite; the candidate of a task is the number of a member."""

    def __init__(self, job: Job, request: Callable[[Any], Capsule]) -> None:
        self._job, self._request = job, request
        self.capsules: dict[Task, Capsule] = {}

    def start(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            self.capsules[task] = self._request(task.candidate)

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        done = await self._job.any(*(self.capsules[task] for task in tasks))
        task = next(task for task in tasks if self.capsules[task] is done[0])
        task.outcome = Outcome.FINISHED
        return task

    def stop(self, tasks: Collection[Task]) -> None:
        for task in tasks:
            self.capsules[task].abort()


class AllMembers(Course):
    """Bagging: all members at once."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._waiting = [Task(number) for number in range(size)]

    def tasks(self) -> list[Task]:
        fresh, self._waiting = self._waiting, []
        return fresh


class OneAfterTheOther(Course):
    """Boosting: a member when the one before it was judged, until one is the last."""

    def __init__(self, size: int, judge: Callable[[Task], bool]) -> None:
        super().__init__()
        self._size, self._judge, self._is_last = size, judge, False

    def tasks(self) -> list[Task]:
        number = len(self.finished)
        return [] if number == self._size else [Task(number)]

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._is_last = self._judge(task)

    @property
    def should_stop(self) -> bool:
        return self._is_last


class BaggingSearch(Learner):
    """Bagging as a search."""

    random = True
    size: int = 5

    async def run(self, job: Job, data: Any) -> Model:
        samples = job.request(BootstrapSamples(), data=data)
        await samples
        runner = Requests(
            job, lambda number: job.request(DecisionStump(), data=samples.samples[number], branch=(number,))
        )
        await search(AllMembers(self.size), runner)
        members = [capsule.classifier for capsule in runner.capsules.values()]
        return Model(classifier=job.request(Committee(), data=data, members=members, weights=()).classifier)


class BoostingSearch(Learner):
    """AdaBoost as a search. A task is a member and its judgement, so that weights are known when the next begins."""

    size: int = 5

    async def run(self, job: Job, data: Any) -> Model:
        judged: list[Capsule] = []
        learned: list[Capsule] = []

        def request(number: int) -> Capsule:
            weights, weighted = (judged[-1].updated, judged[-1].weighted) if judged else ((), data)
            learned.append(job.request(DecisionStump(), data=weighted, branch=(number,)))
            judged.append(
                job.request(BoostUpdate(), data=data, weights=weights, member=learned[-1].classifier, name="update")
            )
            return judged[-1]

        course = OneAfterTheOther(self.size, lambda task: bool(job.load(judged[-1].ended)))
        await search(course, Requests(job, request))
        kept = [number for number, each in enumerate(judged) if job.load(each.kept)]
        committee = job.request(
            Committee(AdaBoost().rule),
            data=data,
            members=[learned[number].classifier for number in kept],
            weights=[judged[number].vote for number in kept],
        )
        return Model(classifier=committee.classifier)


class ScenarioSearch(Strategy):
    """Parameter search: what a scenario proposes for the first candidate, in the light of what it was told."""

    scenario: Scenario

    def begin(self, setting: Setting) -> Course:
        return ScenarioCourse(self.scenario, setting)


class ScenarioCourse(Course):
    def __init__(self, scenario: Scenario, setting: Setting) -> None:
        super().__init__()
        self._search, self._base = scenario.begin(), setting.every_candidate()[0]
        self._asked: dict[Hashable, Any] = {}

    def tasks(self) -> list[Task]:
        if len(self._search.told) < len(self._asked):
            return []
        fresh = {candidate.applied_to(self._base): candidate for candidate in self._search.ask()}  # type: ignore[type-var]
        self._asked |= fresh
        return [Task(configuration) for configuration in fresh]

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._search.tell(self._asked[task.candidate], task.quality)


def both(project: Project, searched: Learner, direct: Any) -> tuple[bytes, bytes, dict[str, int]]:
    """The classifiers of two machines, and what the second of them has run, by kind."""
    data = project.request(SklearnDataset("breast_cancer")).data
    first = project.run(searched, data=data)
    before = project.counts().physical
    second = project.run(direct, data=data)
    run = project.counts().physical - before
    return content_digest(first.outputs["classifier"]), content_digest(second.outputs["classifier"]), dict(run)


def test_bagging_is_a_search_that_asks_for_all_members_at_once() -> None:
    with Project(workers=2) as project:
        searched, direct, run = both(project, BaggingSearch(seed=1), Bagging(DecisionStump(), size=5, seed=1))
    assert searched == direct
    assert run == {"Bagging": 1}, "all members were there"


def test_boosting_is_a_search_whose_next_task_depends_on_the_last() -> None:
    with Project(workers=2) as project:
        searched, direct, run = both(project, BoostingSearch(seed=1), Boosting(DecisionStump(), size=5, seed=1))
    assert searched == direct
    assert run == {"Boosting": 1}


def test_parameter_search_is_a_search_whose_tasks_a_scenario_proposes() -> None:
    scenario = Steps("k", start=1, step=4, count=5)
    strategy = ScenarioSearch(scenario)
    meta = MetaLearner(Flow((Set((KNN(),)),)), strategy, cross_validation(folds=5, repetitions=1), seed=1)
    tuned = tuned_by(scenario, KNN(), CVDistributor(5), "Accuracy").replace("seed", 1)
    with Project(workers=2) as project:
        searched, direct, run = both(project, meta, tuned)
        found = project.run(meta, data=project.request(SklearnDataset("breast_cancer")).data)
        chosen = project.run(tuned, data=project.request(SklearnDataset("breast_cancer")).data)
    assert searched == direct
    assert "KNN" not in run
    assert found.results["Quality"] == pytest.approx(chosen.results["Objective"])
    assert len(found.results["Ranking"]) == len(chosen.results["Tried"]) == 5
