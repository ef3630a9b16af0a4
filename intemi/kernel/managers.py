"""The contract of a task manager: it gets calls, and hands back models or what went wrong.

A call is a leaf with everything that it needs. Whose turn it is, who still waits for the leaf, what is claimed and what
goes on record is settled around it, by the project. There are two kinds of managers, and a new one extends either:

- `Slots` (in `slots`) has a thread for each leaf that runs. It gets a call by `execute`, and returns or raises.
  `Threads` and `Processes` are such.
- `Dispatcher` (in `dispatch`) sends leaves away. It gets a call by `submit`, and `deliver`s it later, from any thread.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from intemi.kernel.context import Inputs, Task
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.record import Item
from intemi.kernel.seeds import Seed
from intemi.kernel.values import run_leaf

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Stopped(IntemiError):
    """The run of a leaf was ended from outside. It says nothing of the leaf: if it is still needed, it runs again."""


def _unwatched(cpu: float, memory: int) -> None:
    """Take a report that no limit depends on."""


class Call:
    """One leaf to run, with everything that it needs."""

    __slots__ = ("config", "inputs", "is_stopped", "is_watched", "load", "machine", "report_usage", "seed")

    def __init__(
        self,
        machine: bytes,
        config: Machine,
        seed: Seed | None,
        inputs: Inputs,
        load: Callable[[Item], Any],
        report_usage: Callable[[float, int], None] | None = None,
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
        self.report_usage = report_usage or _unwatched
        """Report CPU seconds and bytes that a watched leaf has used so far; `stop` may follow."""
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


class TaskManager(ABC):
    """Runs tasks of the projects that have subscribed to it, of several at once if need be."""

    isolates = False
    """Whether a running leaf can be ended, and its limits on CPU time and memory enforced."""
    workers: int = 1
    """How many leaves can run at once."""

    def __init__(self) -> None:
        self._lines: tuple[AssemblyLine, ...] = ()
        self.changing = threading.RLock()
        """Held while a project subscribes and while the last one leaves, which may take their time."""
        self._leaving: set[AssemblyLine] = set()

    # What a manager does with calls

    @abstractmethod
    def stop(self, call: Call) -> None:
        """A running leaf is not needed any more: end it, without waiting. Called under the lock of a project."""

    # What a project asks of it

    @property
    def has_room(self) -> bool:
        """Whether it can take one more leaf now."""
        return True

    def prepare(self) -> None:  # noqa: B027 - some are prepared as they are
        """Get ready to serve projects; it may take its time, and refuses by a ConfigurationError."""

    def open(self, line: AssemblyLine) -> None:
        """Begin to serve a project."""
        if line in self._lines:
            raise ConfigurationError(f"{self!r} serves this project already")
        self._lines += (line,)

    def close(self, line: AssemblyLine) -> None:
        """Take no more tasks of a project, and return when its running ones are done or were stopped."""
        if line not in self._lines:
            return
        self._leaving.add(line)
        line.wake()
        self._leave(line)
        with self.changing:
            self._lines = tuple(each for each in self._lines if each is not line)
            self._leaving.discard(line)
            if not self._lines:
                self.rest()

    @abstractmethod
    def _leave(self, line: AssemblyLine) -> None:
        """Return when nothing of a project is running here any more."""

    def is_leaving(self, line: AssemblyLine) -> bool:
        """Whether a project gets no more of its tasks run here."""
        return line in self._leaving

    def get_ready(self) -> None:  # noqa: B027 - some are ready as they are
        """There is going to be work; called on the thread that asks for it."""

    def rest(self) -> None:  # noqa: B027 - some have nothing to release
        """The last project has left: release what is only needed for work."""

    @abstractmethod
    def end(self, task: Task) -> None:
        """Stop the leaf of a task that no request needs any more. Called under the lock of its project."""
