"""Managers with slots: each is a thread that takes the next task, runs it, and hands back what came of it.

Each project that is served has its own threads. However many projects there are, only as many threads work at a time as
the manager has workers.
"""

from __future__ import annotations

import os
import threading
from abc import abstractmethod
from threading import get_ident
from typing import TYPE_CHECKING

from intemi.kernel.context import Task
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.managers import Call, Stopped, TaskManager
from intemi.kernel.permits import Permits
from intemi.kernel.turns import Turns

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Slots(TaskManager):
    """A task manager that runs each leaf while a thread waits for it.

    One of your own says how to `execute` a call and how to `stop` it:

    >>> from intemi import Project
    >>> from intemi.testing.manager import Draws
    >>> class Printing(Slots):
    ...     def execute(self, call):
    ...         print("runs", call.config)
    ...         return call.run(), 0.0
    ...     def stop(self, call):
    ...         pass
    >>> with Project(workers=Printing(1)) as project:
    ...     project.run(Draws(2)).results
    runs Draws(count=2)
    {'Count': 2}
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and (type(workers) is not int or workers < 1):
            raise ConfigurationError(f"{type(self).__name__}: workers must be an int of at least 1, got {workers!r}")
        super().__init__()
        self.workers = workers or _cores()
        self.turns = Turns()
        self._permits = Permits(self.workers)
        self._threads: dict[threading.Thread, AssemblyLine] = {}
        self._calls: dict[Task, tuple[Call, int]] = {}
        """Leaves that run, and the threads that they run on."""

    # The contract

    @abstractmethod
    def execute(self, call: Call) -> tuple[Model, float]:
        """Run a leaf; the model and the CPU seconds it took. Raises what the leaf raised, or Stopped."""

    def releases_gil(self, config: Machine) -> bool:
        """Whether leaves like this one let other threads work meanwhile, so that these should."""
        return True

    # What the runner asks for

    def run(self, task: Task, call: Call) -> tuple[Model, float]:
        """Run the leaf of a task, and let other threads work meanwhile."""
        self._calls[task] = call, get_ident()
        is_given = self.releases_gil(call.config) and self.turns.give()
        try:
            if not task.contexts:  # aborted before `end` could know of the call
                raise Stopped
            return self.execute(call)
        finally:
            if is_given:
                self.turns.take_back()
            self._calls.pop(task, None)

    def end(self, task: Task) -> None:
        running = self._calls.get(task)
        if running is not None:
            call, _ = running
            call.is_stopped = True
            self.stop(call)

    # Threads come and go

    def open(self, line: AssemblyLine) -> None:
        super().open(line)
        for _ in range(self.workers):
            self._add_slot(line)

    def _leave(self, line: AssemblyLine) -> None:
        self._permits.dismiss(line)
        for thread in [thread for thread, served in list(self._threads.items()) if served is line]:
            while thread in self._threads and thread.is_alive() and thread is not threading.current_thread():
                thread.join(0.1)  # until it is done, or left behind
            self._threads.pop(thread, None)

    def leave_behind(self, call: Call) -> None:
        """Another thread takes the place of the one that runs a call, which goes when the leaf returns."""
        for running, ident in list(self._calls.values()):
            if running is call:
                for thread in [thread for thread in list(self._threads) if thread.ident == ident]:
                    line = self._threads.pop(thread)
                    if line in self._leaving:
                        self._permits.give()
                    else:
                        self._add_slot(line, has_permit=True)

    def _add_slot(self, line: AssemblyLine, has_permit: bool = False) -> None:
        name = f"intemi {type(self).__name__.lower()}"
        thread = threading.Thread(target=self._serve, args=(line, has_permit), name=name, daemon=True)
        self._threads[thread] = line
        thread.start()

    def _serve(self, line: AssemblyLine, has_permit: bool) -> None:
        me = threading.current_thread()
        while me in self._threads:
            if not has_permit and not self._permits.take(line):
                return
            has_permit = True
            self.turns.take()
            try:
                while isinstance(task := line.next_task(self), Task):
                    self.turns.begin()
                    line.runner.perform(task, self)
                    if me not in self._threads or self.turns.is_over or self._permits.is_wanted:
                        break
            finally:
                self.turns.give()
            if me not in self._threads:
                return  # the permit is that of the thread that has taken its place
            if not isinstance(task, Task) or self._permits.is_wanted:
                self._permits.give()
                has_permit = False
            if task is None:
                return
            if not isinstance(task, Task):
                task.acquire()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.workers})"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
