"""The loop of all searches: three ways to end, who is asked first, what counts in the end."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest

from intemi.machines.meta_learning import Course, MaxTests, NoImprovement, Outcome, Reason, TargetQuality, Task, search
from intemi.machines.meta_learning.stop_rules import MaxSeconds, StopRule


class Scripted(Course):
    """Hands out what it was given, a list for each time it is asked; writes down what happens."""

    def __init__(self, *batches: list[Task], stop: Sequence[StopRule] = ()) -> None:
        super().__init__(stop)
        self.batches = list(batches)
        self.log: list[str] = []

    def tasks(self) -> list[Task]:
        self.log.append("tasks")
        return self.batches.pop(0) if self.batches else []

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self.log.append(f"{task.candidate} {task.outcome.value}")
        if task.outcome is Outcome.TIMED_OUT:
            self.batches.insert(0, [task])

    @property
    def should_stop(self) -> bool:
        self.log.append("stop?")
        return super().should_stop


class Instant:
    """Ends one task a second, in the order in which they were begun; `late` ones time out once, `bad` ones fail."""

    def __init__(self, ends_at_once: int = 1) -> None:
        self.now, self.ends_at_once, self.count = 0.0, ends_at_once, 0
        self.stopped: list[Task] = []

    def start(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            task.attempt += 1
            task.outcome = Outcome.WAITING

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        if deadline is not None and self.now + 1 > deadline:
            return None
        self.now += 1
        waiting = [task for task in tasks if task.outcome is Outcome.WAITING]
        for task in waiting[: self.ends_at_once]:
            self.count += 1
            name = str(task.candidate)
            is_late = name.startswith("late") and task.attempt == 1
            task.finished, task.seconds = self.count, 1.0
            task.outcome = (
                Outcome.FAILED if name.startswith("bad") else Outcome.TIMED_OUT if is_late else Outcome.FINISHED
            )
            task.results = np.array([len(name) / 10])
        return min((task for task in tasks if task.outcome is not Outcome.WAITING), key=lambda task: task.finished)

    def stop(self, tasks: Collection[Task]) -> None:
        self.stopped = list(tasks)


def run(course: Course, runner: Instant, deadline: float | None = None) -> Reason:
    with pytest.raises(StopIteration) as ended:
        search(course, runner, deadline).send(None)
    reason: Reason = ended.value.value
    return reason


def test_a_search_ends_when_nothing_is_left() -> None:
    course = Scripted([Task("a"), Task("b")], [Task("c")])
    assert run(course, Instant()) is Reason.EXHAUSTED
    assert [task.candidate for task in course.finished] == ["a", "b", "c"]
    assert course.log[-2:] == ["stop?", "tasks"]


def test_a_satisfied_strategy_is_not_asked_for_more_tasks() -> None:
    course = Scripted([Task("a")], [Task("b")], stop=[MaxTests(1)])
    assert run(course, Instant()) is Reason.SATISFIED
    assert course.log == ["stop?", "tasks", "a finished", "stop?"]


def test_the_deadline_is_absolute() -> None:
    course, runner = Scripted(*([Task(str(number))] for number in range(9))), Instant()
    assert run(course, runner, deadline=3.5) is Reason.DEADLINE
    assert len(course.finished) == 3
    assert len(runner.stopped) == 1


def test_no_task_at_first_ends_the_search_at_once() -> None:
    assert run(Scripted(), Instant()) is Reason.EXHAUSTED


def test_a_task_that_timed_out_can_be_handed_out_again() -> None:
    course = Scripted([Task("late one")])
    assert run(course, Instant()) is Reason.EXHAUSTED
    assert course.log.count("late one timed out") == 1
    assert course.log.count("late one finished") == 1
    assert [(task.candidate, task.attempt) for task in course.ranking] == [("late one", 2)]


def test_a_failed_task_is_analyzed_and_is_no_candidate() -> None:
    course = Scripted([Task("bad"), Task("good")])
    run(course, Instant())
    assert "bad failed" in course.log
    assert [task.candidate for task in course.ranking] == ["good"]


def test_what_has_ended_when_the_search_ends_counts() -> None:
    course, runner = Scripted([Task("a"), Task("b"), Task("c")], stop=[MaxTests(1)]), Instant(ends_at_once=2)
    assert run(course, runner) is Reason.SATISFIED
    assert [task.candidate for task in course.finished] == ["a", "b"]
    assert [task.candidate for task in runner.stopped] == ["c"]


def finished(*qualities: float) -> list[Task]:
    return [Task(q, outcome=Outcome.FINISHED, results=np.array([q]), seconds=2.0) for q in qualities]


@pytest.mark.parametrize(
    ("rule", "before", "enough"),
    [
        (MaxTests(2), [0.5], [0.5, 0.4]),
        (TargetQuality(0.9), [0.5, 0.8], [0.5, 0.9]),
        (NoImprovement(patience=2), [0.5, 0.4], [0.5, 0.4, 0.5]),
        (NoImprovement(patience=1, at_least=0.1), [0.5, 0.7], [0.5, 0.55]),
        (MaxSeconds(5.0), [0.5, 0.4], [0.5, 0.4, 0.3]),
    ],
)
def test_a_rule_ends_the_search(rule: StopRule, before: list[float], enough: list[float]) -> None:
    assert not rule.is_met(finished(*before))
    assert rule.is_met(finished(*enough))
