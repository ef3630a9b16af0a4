"""The contract of a task manager: it takes calls, and returns models or errors.

A call is a leaf with everything that it needs. Order, waiting requests, claims and records are the engine's business.
A new manager extends one of two classes:

- `Slots` (in `slots`) has a thread for each running leaf. It gets a call by `execute`, and returns or raises.
- `Dispatcher` (in `dispatch`) sends leaves away. It gets a call by `submit`, and calls `deliver` later, on any thread.

An error of a manager's own code is reported, and never ends a thread that serves a project.
"""

from __future__ import annotations

import sys
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.record import Item
from intemi.kernel.seeds import Seed
from intemi.kernel.task import Inputs, Task
from intemi.kernel.values import run_leaf

LEAVE_SECONDS = 20.0
"""For which a leaf that was stopped, or a thread that runs none, may keep a project from leaving its manager."""
RETRY_SECONDS = 0.1
"""Between an error in the loop of a serving thread and its next attempt."""


class Stopped(IntemiError):
    """The run of a leaf was ended from outside. It implies nothing about the leaf: if it is still needed, it is queued
    again."""


class CannotTravel(IntemiError):
    """A leaf could not be run in another process: its class, an input or an output cannot be sent there."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


def _ignore_usage(cpu: float, memory: int) -> None:
    pass


class Call:
    """One leaf to run, with everything that it needs."""

    __slots__ = (
        "config",
        "inputs",
        "is_limited",
        "is_memory_limited",
        "is_stopped",
        "is_watched",
        "load",
        "machine",
        "report_usage",
        "seed",
    )

    def __init__(
        self,
        machine: bytes,
        config: Machine,
        seed: Seed | None,
        inputs: Inputs,
        load: Callable[[Item], Any],
        report_usage: Callable[[float, int], None] | None = None,
        is_limited: bool = False,
    ) -> None:
        self.machine = machine
        """The id of the machine: equal ids, equal machines."""
        self.config = config
        self.seed = seed
        """From which its random generator is made, if it takes one."""
        self.inputs = inputs
        """For each input port: whether it takes a collection, and the items that are bound to it."""
        self.load = load
        """The value of an item."""
        self.is_watched = report_usage is not None
        """Whether limits depend on what it uses while it runs."""
        self.is_limited = is_limited or self.is_watched
        """Whether it may have to be stopped because of limits of any kind."""
        self.report_usage = report_usage or _ignore_usage
        """Report CPU seconds and bytes that a watched leaf has used so far; `stop` may follow."""
        self.is_memory_limited = False
        """Whether the memory of the process that runs it has to be watched."""
        self.is_stopped = False
        """Whether it is not needed any more: `stop` was called, or is about to be."""

    def values(self) -> dict[str, Any]:
        """The values of its inputs, loaded."""
        load = self.load
        values = {}
        for name, (multi, items) in self.inputs.items():
            values[name] = tuple(map(load, items)) if multi else load(items[0])
        return values

    def run(self) -> Model:
        """Run the leaf here and now."""
        return run_leaf(self.config, self.values(), self.seed)


class Outcome(NamedTuple):
    """The result of a call that was sent away: a model, or an error. `Stopped`: it has not run, or not to its end."""

    call: Call
    answer: Model | BaseException
    wall: float = 0.0
    """Seconds that it ran."""
    cpu: float = 0.0
    since: float = 0.0
    """Seconds since it ended."""
    worker: str | None = None
    """Where it ran."""


class Engine(Protocol):
    """What a manager sees of a project."""

    def next_task(self, manager: TaskManager) -> Task | threading.Lock | None:
        """The next task, or a lock to acquire before the next call; None when the manager is to leave."""

    def perform(self, task: Task, manager: Any) -> None:
        """Run a task on this thread; the leaf of one by `manager.run(task, call)`. Nothing is raised."""

    def begin(self, task: Task, manager: TaskManager) -> Call | None:
        """Run a composite on this thread, or begin a leaf: its call, to be delivered later. Nothing is raised."""

    def deliver(self, outcomes: Sequence[tuple[Task, Outcome]]) -> None:
        """Take the outcomes of leaves that were begun."""

    def wake(self) -> None:
        """Let all threads that wait for a task ask again."""


class TaskManager(ABC):
    """Runs tasks of the projects that have subscribed to it, of several at once if need be."""

    isolates = False
    """Whether a running leaf can be ended, and its limits on CPU time and memory enforced."""
    workers: int = 1
    """How many leaves can run at once."""

    def __init__(self) -> None:
        self._engines: tuple[Engine, ...] = ()
        self.changing = threading.RLock()
        """Held while a project subscribes and while the last one leaves, which may take time."""
        self._leaving: set[Engine] = set()

    # What a manager does with calls

    @abstractmethod
    def stop(self, call: Call) -> None:
        """End a running leaf that is not needed any more, without waiting. Called from any thread."""

    # What a project calls

    @property
    def has_room(self) -> bool:
        """Whether it can take one more leaf now."""
        return True

    def prepare(self) -> None:  # noqa: B027 - optional
        """Get ready to serve projects; it may take time, and refuses by a ConfigurationError."""

    def open(self, engine: Engine) -> None:
        """Begin to serve a project."""
        if engine in self._engines:
            raise ConfigurationError(f"{self!r} serves this project already")
        self._engines += (engine,)

    def close(self, engine: Engine) -> None:
        """Take no more tasks of a project, and return when its running ones are done or were stopped."""
        if engine not in self._engines:
            return
        self._leaving.add(engine)
        engine.wake()
        try:
            self._leave(engine)
        finally:
            with self.changing:
                self._engines = tuple(each for each in self._engines if each is not engine)
                self._leaving.discard(engine)
                if not self._engines:
                    self.rest()

    @abstractmethod
    def _leave(self, engine: Engine) -> None:
        """Return when nothing of a project is running here any more."""

    def is_leaving(self, engine: Engine) -> bool:
        """Whether a project gets no more of its tasks run here."""
        return engine in self._leaving

    def get_ready(self) -> None:  # noqa: B027 - optional
        """Work is about to come; called on the thread that requests it."""

    def expect_limits(self, config: Machine) -> None:  # noqa: B027 - optional
        """A machine with limits is about to start, and its clock with it; called on the thread that runs it."""

    def rest(self) -> None:  # noqa: B027 - optional
        """The last project has left: release what is only needed for work."""

    @abstractmethod
    def end(self, task: Task) -> None:
        """Stop the leaf of a task that no request needs any more. Nothing is raised."""

    def _warn_of_leaving(self, what: str) -> None:
        warnings.warn(
            f"{self!r}: {what} did not end within {LEAVE_SECONDS:g} s after it was stopped and is left behind",
            RuntimeWarning,
            stacklevel=2,
        )


def report_error() -> None:
    """Report the error that is being handled as that of this thread, which goes on."""
    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
