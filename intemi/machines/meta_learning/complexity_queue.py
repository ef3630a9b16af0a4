"""A queue of tasks, the least complex first, in which complexities may change."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.task import Task


class ComplexityQueue:
    """Gives out the least complex task; of equal ones the one that came first.

    >>> queue = ComplexityQueue()
    >>> queue.put(Task("slow"), Complexity(60.0))
    >>> queue.put(Task("fast"), Complexity(1.0))
    >>> queue.pop().candidate, len(queue)
    ('fast', 1)
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._arrivals: dict[Task, int] = {}
        self._complexities: dict[Task, Complexity] = {}
        self._heap: list[tuple[float, int, Task]] = []
        self._waiting: set[Task] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, task: Task, complexity: Complexity) -> None:
        """Add a task, again if it was here before; its place among equal ones is that of its first arrival."""
        arrival = self._arrivals.setdefault(task, next(self._numbers))
        self._complexities[task] = complexity
        self._waiting.add(task)
        heapq.heappush(self._heap, (complexity.value, arrival, task))

    def pop(self) -> Task:
        """The least complex task."""
        while True:
            value, _, task = heapq.heappop(self._heap)
            if task in self._waiting and value == self._complexities[task].value:  # else it has changed since
                self._waiting.remove(task)
                return task

    def complexity_of(self, task: Task) -> Complexity:
        """What is expected of a task that is, or was, in the queue."""
        return self._complexities[task]

    def change(self, changed: Callable[[Task, Complexity], Complexity]) -> None:
        """Change what is expected of all waiting tasks."""
        for task in self._waiting:
            self._complexities[task] = changed(task, self._complexities[task])
        self._heap = [(self._complexities[task].value, self._arrivals[task], task) for task in self._waiting]
        heapq.heapify(self._heap)
