"""The spooler: what runs next.

Tasks are ordered by the path of priorities and child indices from the root, so the branch that was started first is
finished first, and only what is needed for it is open at any time.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from intemi.kernel.context import QUEUED, RUNNING

if TYPE_CHECKING:
    from intemi.kernel.context import Task


class Spooler:
    """Queued tasks in path order. Used under the assembly line's lock."""

    def __init__(self) -> None:
        self._open: list[tuple[tuple[int, ...], int, Task]] = []
        self._isolated: list[tuple[tuple[int, ...], int, Task]] = []
        self._serial = count()

    def push(self, task: Task) -> None:
        """Queue a task, or queue it again because a context of higher priority has joined it."""
        heappush(self._isolated if task.isolated else self._open, (task.position, next(self._serial), task))

    def pop(self, isolates: bool) -> Task | None:
        """The next task for a manager; only one that isolates tasks gets those whose limits ask for it."""
        self._drop_stale(self._open, isolated=False)
        queue = self._open
        if isolates:
            self._drop_stale(self._isolated, isolated=True)
            if self._isolated and (not queue or self._isolated[0] < queue[0]):
                queue = self._isolated
        if not queue:
            return None
        task = heappop(queue)[2]
        task.state = RUNNING
        return task

    @staticmethod
    def _drop_stale(queue: list[tuple[tuple[int, ...], int, Task]], isolated: bool) -> None:
        # Aborted tasks, and entries of tasks that were queued again further in front or among the isolated ones.
        while queue and (queue[0][2].state is not QUEUED or queue[0][2].isolated is not isolated):
            heappop(queue)
