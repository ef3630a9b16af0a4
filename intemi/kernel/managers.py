"""Task managers: they take tasks from a project and run them. The one here runs leaves on threads.

A manager is a number of slots, each a thread that takes the next task, runs it, and delivers it. Kernels that release
the GIL scale with threads; what holds the GIL, or must be stoppable, belongs to a process manager.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from math import inf
from threading import get_ident
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from intemi.kernel.context import Inputs, Task
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.linear_algebra import give_back, use_one_thread
from intemi.kernel.machine import Machine, Model
from intemi.kernel.record import Item
from intemi.kernel.seeds import Seed
from intemi.kernel.turns import PATIENCE, Turns
from intemi.kernel.values import run_leaf

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Stopped(IntemiError):
    """The run of a leaf was ended from outside."""


class Call(NamedTuple):
    """Everything that a leaf needs to run, and how to say what it uses."""

    task: Task
    config: Machine
    seed: Seed | None
    inputs: Inputs
    load: Callable[[Item], Any]
    report_usage: Callable[[Task, float, int], None]
    """Report CPU seconds and bytes used so far; contexts over their limits are aborted, and `stop` may follow."""


class TaskManager(ABC):
    """Runs tasks of the project that subscribed to it."""

    isolates = False
    """Whether a running leaf can be ended, and its limits on CPU time and memory enforced."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and (type(workers) is not int or workers < 1):
            raise ConfigurationError(f"{type(self).__name__}: workers must be an int of at least 1, got {workers!r}")
        self.workers = workers or _cores()
        self.is_closing = False
        self.turns = Turns()
        self._line: AssemblyLine | None = None
        self._threads: list[threading.Thread] = []

    @abstractmethod
    def execute(self, call: Call) -> tuple[Model, float]:
        """Run a leaf; the model and the CPU seconds it took. Raises what the leaf raised, or Stopped."""

    @abstractmethod
    def stop(self, task: Task) -> None:
        """No request needs the running task any more: end it, without waiting. Called under the line's lock."""

    def open(self, line: AssemblyLine) -> None:
        """Begin to serve a project."""
        if self._line is not None:
            raise ConfigurationError(f"{self!r} serves a project already; unsubscribe it there first")
        self._line = line
        self.is_closing = False
        for _ in range(self.workers):
            self._add_slot()

    def is_brief(self, config: Machine) -> bool:
        """Whether leaves of this class usually finish so soon that their results can be batched."""
        return False

    def expect_heavy(self, config: Machine) -> None:  # noqa: B027 - most do not let anything wait
        """What a leaf has made takes so much room that what others like it make must not wait for anything."""

    def goes_on(self) -> bool:
        """Whether the slot that asks, having run a leaf, may begin with the next one without looking around."""
        if self.is_closing:
            return False
        if self.workers > 1:
            if self.turns.is_over:
                return False
            self.turns.begin()
        return True

    def get_ready(self) -> None:  # noqa: B027 - some are ready as they are
        """There is going to be work; called on the thread that asks for it."""

    def close(self) -> None:
        """Take no more tasks, and return when the running ones are done; those that were stopped are not waited for."""
        line = self._line
        if line is None:
            return
        self.is_closing = True
        line.wake()
        for thread in tuple(self._threads):
            while thread in self._threads and thread.is_alive() and thread is not threading.current_thread():
                thread.join(0.1)  # until it is done, or left behind by `stop`
        self._threads.clear()
        self._line = None

    def _add_slot(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"intemi {type(self).__name__.lower()}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        line = self._line
        assert line is not None
        me = threading.current_thread()
        while me in self._threads:
            self.turns.take()
            try:
                while isinstance(task := line.next_task(self), Task):
                    self.turns.begin()
                    line.runner.perform(task, self)
                    if me not in self._threads or self.turns.is_over:
                        break
            finally:
                self.turns.give()
            if task is None:
                return
            if not isinstance(task, Task):
                task.acquire()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.workers})"


SHORT = 1e-3
"""Seconds below which a leaf is not worth a second thread: to hand the engine over, and back, takes as long."""
BRIEF = 5e-3
"""Seconds below which what leaves have made can wait for the next one to run."""
HELD_UP = 1.8
"""Ratio of wall to CPU time above which a leaf is assumed to hold the GIL, so that a second thread would not help.
Leaves that take the GIL only now and then stay below 1.5."""


class Usual:
    """What leaves of a kind take: in time, the last ones count most; in room, the largest."""

    __slots__ = ("held_up", "is_heavy", "seconds")

    def __init__(self) -> None:
        self.seconds = inf
        self.is_heavy = False
        """Whether what they make takes much room."""
        self.held_up = 1.0
        """How many times its CPU time it took, where it could have run beside others."""

    @property
    def is_short(self) -> bool:
        return self.seconds < SHORT or (self.seconds < PATIENCE and self.held_up > HELD_UP)

    def note(self, cpu: float, wall: float, was_free: bool) -> None:
        # One that waits for something lets others work, one that only waits for the GIL is as short as before.
        waits = wall > PATIENCE
        seconds = wall if waits else cpu
        self.seconds = seconds if self.seconds == inf else (self.seconds + seconds) / 2
        if not was_free:
            self.held_up *= 0.98  # things change: it is tried again from time to time
        elif not waits:
            self.held_up += (min(wall / max(cpu, 1e-6), 3.0) - self.held_up) / 8  # a single one tells little


class Threads(TaskManager):
    """Runs leaves on threads of this process: no copying, no start-up cost.

    >>> Threads(2)
    Threads(2)
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._running: dict[Task, int] = {}
        """Leaves that run, and the threads that they run on."""
        self._is_ready = False
        self._usual: defaultdict[type[Machine], Usual] = defaultdict(Usual)

    def execute(self, call: Call) -> tuple[Model, float]:
        task, config, seed, inputs, load, _ = call
        self._running[task] = get_ident()
        usual = self._usual[type(config)]
        is_given = self.workers > 1 and not usual.is_short and self.turns.give()
        try:
            if not task.contexts:  # aborted before `stop` could know which thread it is on
                raise Stopped
            values = {}
            for name, (multi, items) in inputs.items():
                values[name] = tuple(map(load, items)) if multi else load(items[0])
            cpu, wall = thread_time(), perf_counter()
            model = run_leaf(config, values, seed)
            cpu, wall = thread_time() - cpu, perf_counter() - wall
            usual.note(cpu, wall, is_given)
            return model, cpu
        finally:
            if is_given:
                self.turns.take_back()
            self._running.pop(task, None)

    def is_brief(self, config: Machine) -> bool:
        usual = self._usual.get(type(config))
        return usual is not None and usual.seconds < BRIEF and not usual.is_heavy

    def expect_heavy(self, config: Machine) -> None:
        self._usual[type(config)].is_heavy = True

    def get_ready(self) -> None:
        if not self._is_ready:  # a project that only asks for what is finished does not need it
            use_one_thread(self)
            self._is_ready = True

    def close(self) -> None:
        super().close()
        self._is_ready = False
        give_back(self)

    def stop(self, task: Task) -> None:
        # A thread cannot be ended. It is left behind, to go when the leaf returns, and another takes its place.
        ident = self._running.get(task)
        for thread in [thread for thread in self._threads if thread.ident == ident]:
            self._threads.remove(thread)
            if not self.is_closing:
                self._add_slot()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
