"""The loop that all searches share: begin them, wait for one, learn from it, until there is reason to end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from itertools import count
from typing import Protocol

from intemi.machines.meta_learning.strategy import Course
from intemi.machines.meta_learning.task import Outcome, Task


class Reason(Enum):
    """Why a search has ended."""

    SATISFIED = "the strategy has found enough"
    EXHAUSTED = "nothing is left to test"
    DEADLINE = "the time is up"
    EARLY = "it was asked to end early"


class Runner(Protocol):
    """What runs tests: for real, or from a record."""

    def start(self, tasks: Sequence[Task]) -> None:
        """Schedule tests; those of a higher priority are begun first."""

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        """The first of these tasks that has ended; None if none of them has when the deadline has come."""

    def stop(self, tasks: Collection[Task]) -> None:
        """Abort tests, waiting or running."""


async def search(course: Course, runner: Runner, deadline: float | None = None) -> Reason:
    """Run a search to its end. The deadline is absolute, as the runner counts time; None is never.

    The course is asked whether to stop before it is asked for tasks, so it begins nothing more once it is satisfied.
    What has ended when the search ends counts; what is still running is aborted.
    """
    running: dict[Task, None] = {}
    numbers = count(1)
    while True:
        if course.should_stop:
            reason = Reason.SATISFIED
            break
        fresh = course.tasks()
        for each in fresh:
            each.number = each.number or next(numbers)
        runner.start(fresh)
        running.update(dict.fromkeys(fresh))
        if not running:
            return Reason.EXHAUSTED
        task = await runner.wait(running, deadline)
        if task is None:
            reason = Reason.DEADLINE
            break
        del running[task]
        course.analyze(task)
    ended = [task for task in running if task.outcome is not Outcome.WAITING]
    for task in sorted(ended, key=lambda task: task.finished):
        del running[task]
        course.analyze(task)
    runner.stop(running)
    return reason
