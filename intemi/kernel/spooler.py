"""The spooler: what runs next.

Tasks are ordered by the path of priorities and child indices from the root, so the branch that was started first is
finished first, and only what is needed for it is open at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from intemi.kernel.context import QUEUED, RUNNING

if TYPE_CHECKING:
    from intemi.kernel.context import Task
    from intemi.kernel.machine import Machine


class Spooler:
    """Queued tasks in path order. Used under the assembly line's lock."""

    def __init__(self) -> None:
        self._open: list[tuple[tuple[int, ...], int, Task]] = []
        self._isolated: list[tuple[tuple[int, ...], int, Task]] = []
        self._serial = count()

    def push(self, task: Task) -> None:
        """Queue a task, or queue it again because a context of higher priority has joined it."""
        heappush(self._isolated if task.isolated else self._open, (task.position, next(self._serial), task))

    def is_done_with(self, task: Task) -> bool:
        """Whether the queue holds no more tasks of this task's root request, only tasks of later ones."""
        self._drop_stale(self._open, isolated=False)
        return bool(self._open) and self._open[0][0][:2] != task.position[:2]

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

    def pop_batch(self, first: Task, fits: Callable[[Machine], bool], max_size: int) -> list[Task]:
        """A batch: a leaf that was popped, and those under the same parent that come next, as long as they fit.

        It is as if they were popped one by one: none of them comes before something that waits for another.
        """
        parent, batch = first.owner.parent, [first]
        waiting: list[tuple[int, ...]] = []
        while len(batch) < max_size:
            for context in batch[-1].contexts:
                if context.dependants:
                    waiting += [each.position for each in context.dependants]
            self._drop_stale(self._open, isolated=False)
            if not self._open:
                break
            following = self._open[0][2]
            if following.is_composite or following.owner.parent is not parent or not fits(following.config):
                break
            if waiting and min(waiting) < following.position:
                break
            heappop(self._open)
            following.state = RUNNING
            batch.append(following)
        return batch

    @staticmethod
    def _drop_stale(queue: list[tuple[tuple[int, ...], int, Task]], isolated: bool) -> None:
        # Aborted tasks, and entries of tasks that were queued again further in front or among the isolated ones.
        while queue and (queue[0][2].state is not QUEUED or queue[0][2].isolated is not isolated):
            heappop(queue)
