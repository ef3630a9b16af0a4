"""Runs the tests of a search as children of the machine that searches."""

from __future__ import annotations

import heapq
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from intemi.kernel import Capsule, Job, LimitExceeded, Limits, Machine, MemoryExceeded
from intemi.kernel.repository.query import Query
from intemi.machines.meta_learning.progress import Progress
from intemi.machines.meta_learning.search_log import Attempt
from intemi.machines.meta_learning.task import Outcome, Task
from intemi.machines.meta_learning.universal import universal_power
from intemi.machines.meta_learning.whole_cost import PARTS, cpu_of_leaves

IDLE_SHARE = 0.1
"""Of the time of a search, for which a test with a limit may occupy a worker without computing."""
IDLE_RATIO = 10.0
"""Of wall time and CPU time, that is allowed at least."""
LEAST_WALL = 5.0
"""Seconds that are allowed at least: on a busy computer a worker process may take that long to start."""


class JobRunner:
    """Requests a test for each task, reports its progress, and keeps the log. Its clock is that of `time.monotonic`.

    No more tests are requested at once than there are workers; the others wait here, and cost nothing.
    """

    def __init__(
        self,
        job: Job,
        test_of: Callable[[Any], Machine],
        query: Query,
        sign: int,
        data: Any,
        ends: float | None = None,
        memory: int | None = None,
    ) -> None:
        self._job, self._test_of, self._query, self._sign, self._data = job, test_of, query, sign, data
        self._memory = memory
        self._count = 0
        self._waiting: list[tuple[float, int, Task]] = []
        self._requested: dict[Capsule, tuple[Task, Attempt]] = {}
        self._tests: dict[Task, Capsule] = {}
        """Tests that have finished."""
        self._ended: deque[Task] = deque()
        """Tasks that have ended and were not waited for yet."""
        self._counts = Counter[Outcome]()
        self._best: Task | None = None
        self._quarantine: dict[Task, None] = {}
        self.errors: dict[Task, str] = {}
        """Why tasks have failed, in one line."""
        self.log: list[Attempt] = []
        self.progress = Progress(begun=time.monotonic(), ends=ends)

    def start(self, tasks: Sequence[Task]) -> None:
        """Queue tests; those of a higher priority are requested first."""
        for task in tasks:
            self._count += 1
            task.outcome = Outcome.WAITING
            self._quarantine.pop(task, None)
            heapq.heappush(self._waiting, (-task.priority, self._count, task))

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        """The first task that has ended; None if none has when the deadline has come, or an early end was asked for."""
        if not self._ended and not self._job.ends_early:
            self._request()
            timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
            for capsule in await self._job.any(*self._requested, timeout=timeout, ends_early=True):
                self._end(capsule)
        return self._ended.popleft() if self._ended else None

    def stop(self, tasks: Collection[Task]) -> None:
        """Abort tests, waiting or running; what has finished under them is on record."""
        self._waiting.clear()
        for capsule, (task, attempt) in self._requested.items():
            capsule.abort()
            attempt.seconds = capsule.cpu * universal_power()
            attempt.outcome, attempt.ended = Outcome.STOPPED, self.progress.seconds
            task.seconds += attempt.seconds
        self._requested.clear()
        for task in tasks:
            task.outcome = Outcome.STOPPED

    def _request(self) -> None:
        """Request as many tests as can run at once."""
        while self._waiting and len(self._requested) < self._job.workers:
            task = heapq.heappop(self._waiting)[2]
            attempt = Attempt(task.candidate, max(task.attempt, 1), task.expected, self.progress.seconds)
            self.log.append(attempt)
            capsule = self._job.request(
                self._test_of(task.candidate),
                name="test",
                comments={"Test": len(self.log), "Attempt": attempt.number},
                limits=self._limits(task),
                data=self._data,
            )
            self._requested[capsule] = task, attempt
        self._report()

    def _limits(self, task: Task) -> Limits | None:
        """Those of a test. One that sleeps uses no CPU time, so that its wall time is limited, too, but generously."""
        if task.limit is None and self._memory is None:
            return None
        cpu = wall = None
        if task.limit is not None:
            cpu = task.limit / universal_power()
            if self.progress.ends is not None:
                wall = max(LEAST_WALL, IDLE_RATIO * cpu, IDLE_SHARE * (self.progress.ends - self.progress.begun))
        return Limits(wall=wall, cpu=cpu, memory=self._memory)

    def _end(self, capsule: Capsule) -> None:
        task, attempt = self._requested.pop(capsule)
        attempt.ended = self.progress.seconds
        attempt.seconds = capsule.cpu * universal_power()
        task.seconds += attempt.seconds
        if capsule.error is None:
            task.sign = self._sign
            task.results = self._sign * np.array(self._job.query(self._query, capsule).values, dtype=np.float64)
            is_whole = len(task.results) > 0 and not np.isnan(task.results).any()
            task.outcome = Outcome.FINISHED if is_whole else Outcome.FAILED
            record = capsule.context.record
            task.took = max(task.seconds, 0.0 if record is None else record.cpu * universal_power())
        else:
            is_late = isinstance(capsule.error, LimitExceeded) and not isinstance(capsule.error, MemoryExceeded)
            task.outcome = Outcome.TIMED_OUT if is_late else Outcome.FAILED
        self._note(task, attempt, capsule)
        self._counts[task.outcome] += 1
        task.finished = self._counts.total()
        self._ended.append(task)

    def _note(self, task: Task, attempt: Attempt, capsule: Capsule) -> None:
        """Remember what became of a test."""
        attempt.outcome = task.outcome
        if task.outcome is Outcome.FINISHED:
            self._tests[task] = capsule
            attempt.quality = self._sign * task.quality
            if self._best is None or task.quality > self._best.quality:
                self._best = task
        elif task.outcome is Outcome.TIMED_OUT:
            self._quarantine[task] = None
        else:
            error = str(capsule.error or "its test has no result, or one that is not a number")
            self.errors[task] = error.partition("\n")[0]

    def _report(self) -> None:
        best = self._best
        self.progress = replace(
            self.progress,
            finished=self._counts[Outcome.FINISHED],
            failed=self._counts[Outcome.FAILED],
            best=None if best is None else best.candidate,
            quality=None if best is None else self._sign * best.quality,
            running=tuple(task.candidate for task, _ in self._requested.values()),
            quarantine=tuple(task.candidate for task in self._quarantine),
        )
        self._job.report(self.progress)

    def whole_seconds(self, task: Task) -> float:
        """What the test of a task that has finished takes if nothing of it is on record, in universal seconds."""
        return cpu_of_leaves(self._job.query(PARTS, self._tests[task])) * universal_power()

    def report_not_learned(self, task: Task, learned: Capsule) -> None:
        """List a candidate whose test has finished, but that has not learned from all data, as a failure."""
        error = str(learned.error or "it was not done in time").partition("\n")[0]
        self.errors[task] = f"its test has finished, but it has not learned from all data: {error}"

    def report_learning(self, candidate: Any) -> None:
        """Report that tests are over, and which candidate learns from all data."""
        self.progress = replace(self.progress, running=(candidate,), is_learning=True)
        self._job.report(self.progress)
