"""Runs the tests of a search as children of the machine that searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from intemi.kernel import Capsule, Job, LimitExceeded, Limits, Machine
from intemi.kernel.repository.query import Query
from intemi.machines.meta_learning.task import Outcome, Task
from intemi.machines.meta_learning.universal import universal_power


class JobRunner:
    """Requests a test for each task, and tells what became of it. Its clock is that of `time.monotonic`."""

    def __init__(self, job: Job, test_of: Callable[[Any], Machine], query: Query, sign: int, data: Any) -> None:
        self._job, self._test_of, self._query, self._sign, self._data = job, test_of, query, sign, data
        self._capsules: dict[Task, Capsule] = {}
        self._count = 0
        self._ended = 0

    def start(self, tasks: Sequence[Task]) -> None:
        """Request tests, those of a higher priority first."""
        for task in sorted(tasks, key=lambda task: -task.priority):
            self._count += 1
            task.outcome = Outcome.WAITING
            limits = None if task.limit is None else Limits(cpu=task.limit / universal_power())
            self._capsules[task] = self._job.request(
                self._test_of(task.candidate),
                name="test",
                comments={"Test": self._count, "Attempt": task.attempt},
                limits=limits,
                data=self._data,
            )

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        """The first of these tasks that has ended; None if none of them has when the deadline has come."""
        waiting = {self._capsules[task]: task for task in tasks if task.outcome is Outcome.WAITING}
        if len(waiting) == len(tasks):
            timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
            for capsule in await self._job.any(*waiting, timeout=timeout):
                self._end(waiting[capsule], capsule)
        ended = [task for task in tasks if task.outcome is not Outcome.WAITING]
        return min(ended, key=lambda task: task.finished, default=None)

    def stop(self, tasks: Collection[Task]) -> None:
        """Abort tests, waiting or running; what has finished under them is on record."""
        for task in tasks:
            self._capsules[task].abort()

    def error_of(self, task: Task) -> str:
        """Why a task has not finished, in one line."""
        return str(self._capsules[task].error or "").partition("\n")[0]

    def _end(self, task: Task, capsule: Capsule) -> None:
        self._ended += 1
        task.finished = self._ended
        task.seconds += capsule.cpu * universal_power()
        if capsule.error is not None:
            is_late = isinstance(capsule.error, LimitExceeded)
            task.outcome = Outcome.TIMED_OUT if is_late else Outcome.FAILED
            return
        results = self._sign * np.array(self._job.query(self._query, capsule).values, dtype=np.float64)
        task.results = results
        task.outcome = Outcome.FINISHED if len(results) and not np.isnan(results).any() else Outcome.FAILED
