"""The watcher: machines that another process is running, on which this one waits.

The only place that polls, since no event crosses from one process to the other; it does so only while there is
something to wait for. A claim ends with its owner, so the machine of a process that died is run here.
"""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import TYPE_CHECKING

from intemi.kernel.context import State, Task
from intemi.kernel.errors import MachineFailed
from intemi.kernel.record import Record
from intemi.kernel.store import Claim

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine

INTERVAL = 0.02
"""Seconds between two looks whether anything has changed."""
PATIENCE = 25
"""Looks until claims are tried again although nothing has changed: an owner that dies changes nothing."""


class Watcher:
    """Waits for other processes on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._tasks: dict[Task, None] = {}
        self._thread: threading.Thread | None = None

    def add(self, task: Task) -> None:
        """Wait for a machine that is claimed by another process. Under the line's lock."""
        task.state = State.ELSEWHERE
        task.start()
        for context in task.contexts:
            self._line.stopper.arm(context, task)
        self._tasks[task] = None
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="intemi watcher", daemon=True)
            self._thread.start()

    def discard(self, task: Task) -> None:
        """Wait for it no longer. Under the line's lock."""
        self._tasks.pop(task, None)

    def _watch(self) -> None:
        for turn in count(1):
            time.sleep(INTERVAL)
            with self._line.step():
                tasks = list(self._tasks)
                if not tasks:
                    self._thread = None
                    return
            try:
                if self._line.unifier.store.changed() or turn % PATIENCE == 0:
                    for task in tasks:
                        self._look(task)
            except Exception as error:  # the store cannot be used: no waiter must hang
                self._fail(error)

    def _look(self, task: Task) -> None:
        answer = self._line.unifier.claim(task)
        if answer is Claim.BUSY:
            return
        with self._line.step():
            task.claimed = answer is Claim.MINE
            if task not in self._tasks:
                self._line.stopper.release_claim(task)
                return
            self.discard(task)
            if isinstance(answer, Record):
                self._line.end(task, answer, None, unified=True)
            else:
                self._line.queue(task)

    def _fail(self, error: Exception) -> None:
        with self._line.step():
            for task in list(self._tasks):
                self.discard(task)
                path = task.owner.path
                self._line.end(task, None, MachineFailed(f"{path} failed: {error}", path, task.owner.key))
