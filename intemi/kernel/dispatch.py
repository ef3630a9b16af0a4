"""Managers that send leaves away: to other computers, say, where many run at once and no thread waits for each.

Each project that is served has one thread here. It takes tasks in the order of the spooler, as long as there is room
for them elsewhere, and runs composites itself.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from intemi.kernel.context import Task
from intemi.kernel.machine import Model
from intemi.kernel.managers import Call, Stopped, TaskManager

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Outcome(NamedTuple):
    """What has come of a call: a model, or an error. `Stopped` says that it has not run, or not to its end."""

    call: Call
    answer: Model | BaseException
    wall: float = 0.0
    """Seconds that it ran."""
    cpu: float = 0.0
    since: float = 0.0
    """Seconds since it ended."""
    worker: str | None = None
    """Where it ran."""


class Dispatcher(TaskManager):
    """A task manager that takes calls and delivers their outcomes later.

    One of your own says whether it `has_room`, how to `submit` and to `stop` a call, and calls `deliver`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._tasks: dict[Call, tuple[AssemblyLine, Task]] = {}
        """Calls that were submitted and not delivered."""
        self._calls: dict[Task, Call] = {}
        self._threads: dict[AssemblyLine, threading.Thread] = {}
        self._delivered = threading.Condition()
        self._delivering: list[int] = []
        """Threads that deliver something just now."""

    # The contract

    @property
    @abstractmethod
    def has_room(self) -> bool:
        """Whether it can take one more leaf now. When that becomes so, it calls `look_again`."""

    @abstractmethod
    def submit(self, call: Call) -> None:
        """Run a leaf, without waiting for it. It may be held back until `flush`, to travel with others."""

    @abstractmethod
    def flush(self) -> None:
        """There are no more leaves for now: send what was held back."""

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        """Hand back what has come of calls, each once; of a call that was delivered before, nothing is taken."""
        by_line: dict[AssemblyLine, list[tuple[Task, Outcome]]] = {}
        with self._delivered:
            self._delivering.append(threading.get_ident())
        try:
            for outcome in outcomes:
                line, task = self._tasks.pop(outcome.call, (None, None))
                if line is not None and task is not None:
                    self._calls.pop(task, None)
                    by_line.setdefault(line, []).append((task, outcome))
            for line, delivered in by_line.items():
                line.runner.deliver(delivered)
        finally:
            with self._delivered:
                self._delivering.remove(threading.get_ident())
                self._delivered.notify_all()

    def look_again(self) -> None:
        """There is room where there was none."""
        for line in self._lines:
            line.wake()

    # What the project asks for

    def end(self, task: Task) -> None:
        call = self._calls.get(task)
        if call is not None:
            call.is_stopped = True
            self.stop(call)

    def open(self, line: AssemblyLine) -> None:
        super().open(line)
        name = f"intemi {type(self).__name__.lower()}"
        thread = threading.Thread(target=self._dispatch, args=(line,), name=name, daemon=True)
        self._threads[line] = thread
        thread.start()

    def _leave(self, line: AssemblyLine) -> None:
        thread = self._threads.pop(line)
        if thread is not threading.current_thread():
            thread.join()
        with self._delivered:
            self._delivered.wait_for(lambda: self._is_done_with(line))

    def _is_done_with(self, line: AssemblyLine) -> bool:
        me = threading.get_ident()  # it may be a listener that unsubscribes this manager
        if any(each != me for each in self._delivering):
            return False
        return all(served is not line for served, _ in list(self._tasks.values()))

    def _dispatch(self, line: AssemblyLine) -> None:
        me = threading.current_thread()
        while self._threads.get(line) is me and (task := line.next_task(self)) is not None:
            if isinstance(task, Task):
                call = line.runner.begin(task, self)
                if call is not None:
                    self._take(line, task, call)
            else:
                self.flush()
                task.acquire()
        self.flush()

    def _take(self, line: AssemblyLine, task: Task, call: Call) -> None:
        self._tasks[call] = line, task
        self._calls[task] = call
        if task.contexts:
            self.submit(call)
        else:  # aborted before `end` could know of the call
            self.deliver([Outcome(call, Stopped())])
