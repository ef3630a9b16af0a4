"""Complexity search: the cheapest tests first, each within a limit; what takes longer is tried again later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import replace

from intemi.kernel import Component, parameter
from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.complexity_queue import ComplexityQueue
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task

LEAST_SECONDS = 1e-3
"""No test is expected to take less."""


class Expectation(Component):
    """What tests of candidates are expected to take."""

    @abstractmethod
    def of(self, candidate: Hashable) -> Complexity:
        """The complexity of the whole test of a candidate."""


class ComplexitySearch(Strategy):
    """Run the least complex tests first, and no test longer than `forbearance` times what it is expected to take.

    A test that is stopped by its limit waits in quarantine: its reliability is divided by `quarantine`, so it comes
    again when others are not less complex, with a limit that is as many times larger. So a test that takes T costs at
    most T (1 + q / (q - 1)), 7/3 T by default, whatever was expected; and one that never ends holds up no other.
    """

    expectation: Expectation
    forbearance: float = parameter(default=2.0, at_least=1)
    quarantine: float = parameter(default=4.0, above=1)
    max_attempts: int | None = parameter(default=None, at_least=1)
    window: int = parameter(default=2, at_least=1)
    """How many tests run at once. All others can still change their places."""
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    def begin(self, setting: Setting) -> Course:
        return ComplexityCourse(self, setting, self.expectation.of)


class ComplexityCourse(Course):
    """Hands out tests from a queue by complexity, as many as may run at once."""

    def __init__(
        self, strategy: ComplexitySearch, setting: Setting, expected: Callable[[Hashable], Complexity]
    ) -> None:
        super().__init__(strategy.stop)
        self._strategy = strategy
        self._running = 0
        self._begun = 0
        self.queue = ComplexityQueue()
        self.dropped: list[Task] = []
        """Tasks that were given up after `max_attempts`."""
        for candidate in setting.candidates:
            complexity = expected(candidate)
            self.queue.put(Task(candidate), replace(complexity, seconds=max(complexity.seconds, LEAST_SECONDS)))

    def tasks(self) -> list[Task]:
        fresh = []
        while self._running < self._strategy.window and len(self.queue):
            task = self.queue.pop()
            complexity = self.queue.complexity_of(task)
            self._begun += 1
            self._running += 1
            task.attempt += 1
            task.limit = self._strategy.forbearance * complexity.seconds / complexity.reliability
            task.priority = -float(self._begun)
            fresh.append(task)
        return fresh

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._running -= 1
        if task.outcome is Outcome.TIMED_OUT:
            most = self._strategy.max_attempts
            if most is not None and task.attempt >= most:
                self.dropped.append(task)
                return
            complexity = self.queue.complexity_of(task)
            self.queue.put(task, replace(complexity, reliability=complexity.reliability / self._strategy.quarantine))
