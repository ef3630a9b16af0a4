"""Complexity search: the cheapest tests first, each within a limit; what takes longer is tried again later."""

from __future__ import annotations

from dataclasses import replace

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.meta_learning.attractiveness import Attractiveness, Candidate, Neutral
from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.complexity_queue import ComplexityQueue
from intemi.machines.meta_learning.corrections import Corrections
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import QUALITY_OF_FAILED, Outcome, Task

LEAST_SECONDS = 1e-3
"""No test is expected to take less."""
LEAST_LIMIT = 0.25
"""Universal seconds before which no test is stopped: what it imports and compiles at first is not its fault."""
MAX_NEW = 256
"""How many new candidates are looked at before tests are begun."""


class ComplexitySearch(Strategy):
    """Run the least complex tests first, and no test longer than `forbearance` times what it is expected to take.

    A test that is stopped by its limit waits in quarantine: its reliability is divided by `quarantine`, so it comes
    again when others are not less complex, with a limit that is as many times larger. So a test that takes T costs at
    most T (1 + q / (q - 1)), 7/3 T by default, whatever was expected; and one that never ends holds up no other.

    The order changes while it searches: `attractiveness` says what is promising and, unless `learns_times` is False,
    what tests of the same kinds of machines took corrects what others are expected to take.
    """

    forbearance: float = parameter(default=2.0, at_least=1)
    quarantine: float = parameter(default=4.0, above=1)
    max_attempts: int | None = parameter(default=None, at_least=1)
    window: int | None = parameter(default=None, at_least=1)
    """How many tests run at once, None for as many as there are workers. All others can still change their places."""
    attractiveness: Attractiveness = Neutral()
    learns_times: bool = True
    """Whether what tests took corrects what others are expected to take; their order depends on the computer, then."""
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    @property
    def looks_at_clock(self) -> bool:  # type: ignore[override]
        """Whether some tests may be given up: which, depends on the computer."""
        return self.max_attempts is not None

    def begin(self, setting: Setting) -> Course:
        if setting.expected is None:
            raise ConfigurationError(f"{self.kind}: it needs to know what tests are expected to take")
        return ComplexityCourse(self, setting)


class ComplexityCourse(Course):
    """Hands out tests from a queue by complexity, as many as may run at once."""

    def __init__(self, strategy: ComplexitySearch, setting: Setting) -> None:
        super().__init__(strategy.stop)
        assert setting.expected is not None
        self._strategy, self._expected, self._flow = strategy, setting.expected, setting.flow
        self._window = strategy.window or setting.workers
        self._judgement = strategy.attractiveness.begin(setting)
        self._corrections = Corrections()
        self._candidates: dict[Task, Candidate] = {}
        self._running = 0
        self._begun = 0
        self.queue = ComplexityQueue()
        self.dropped: list[Task] = []
        """Tasks that were given up after `max_attempts`."""
        for candidate in setting.candidates:
            self._put(Candidate(candidate))

    def _put(self, candidate: Candidate) -> None:
        complexity = self._expected(candidate.configuration)
        seconds = max(complexity.seconds, LEAST_SECONDS)
        task = Task(candidate.configuration, expected=seconds, number=len(self._candidates) + 1)
        self._candidates[task] = candidate
        self.queue.put(task, self._updated(task, replace(complexity, seconds=seconds)))

    def _updated(self, task: Task, complexity: Complexity) -> Complexity:
        """What is expected of a task in the light of what was found.

        In quarantine only its reliability counts, so that limits of its attempts grow by a constant factor.
        """
        candidate = self._candidates[task]
        base = 1.0 if candidate.item is None else candidate.item.attractiveness
        assert task.expected is not None
        return replace(
            complexity,
            seconds=complexity.seconds if task.attempt else task.expected * self._corrections.factor(task.candidate),
            attractiveness=base * self._judgement.score(candidate),
        )

    def tasks(self) -> list[Task]:
        if self._flow is not None:
            for item in self._flow.poll(MAX_NEW):
                self._put(Candidate(item.configuration, item))
        fresh = []
        while self._running < self._window and len(self.queue):
            task = self.queue.pop()
            complexity = self.queue.complexity_of(task)
            self._begun += 1
            self._running += 1
            task.attempt += 1
            task.limit = max(self._strategy.forbearance * complexity.seconds, LEAST_LIMIT) / complexity.reliability
            task.priority = -float(self._begun)
            fresh.append(task)
        return fresh

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._running -= 1
        has_changed = self._learn(task)
        if task.outcome is Outcome.TIMED_OUT:
            self._quarantine(task)
        if has_changed:
            self.queue.change(self._updated)

    def _learn(self, task: Task) -> bool:
        """Learn from a task that has ended; whether what is expected of others has changed."""
        candidate = self._candidates[task]
        has_changed = False
        if task.outcome is Outcome.FINISHED:
            if self._flow is not None and candidate.item is not None:
                self._flow.rate(candidate.item, task.quality)
            has_changed = self._judgement.analyze(candidate, task)
        elif task.outcome is Outcome.FAILED and self._flow is not None and candidate.item is not None:
            self._flow.rate(candidate.item, QUALITY_OF_FAILED)
        return (self._strategy.learns_times and self._learn_time(task)) or has_changed

    def _learn_time(self, task: Task) -> bool:
        """Learn from what a test took; one that was stopped says only that it takes more than that."""
        assert task.expected is not None
        taken = max(task.took, task.seconds)
        is_more = taken > task.expected * self._corrections.factor(task.candidate)
        if task.outcome is Outcome.FINISHED or (task.outcome is Outcome.TIMED_OUT and is_more):
            return self._corrections.observe(task.candidate, task.expected, taken)
        return False

    def _quarantine(self, task: Task) -> None:
        """Try a task again later, with a larger limit."""
        most = self._strategy.max_attempts
        if most is not None and task.attempt >= most:
            self.dropped.append(task)
            return
        complexity = self.queue.complexity_of(task)
        self.queue.put(task, replace(complexity, reliability=complexity.reliability / self._strategy.quarantine))
