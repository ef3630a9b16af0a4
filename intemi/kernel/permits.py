"""Permits: how many of a task manager's threads work at the same time, when several projects have threads there.

First come, first served: a thread that works gives its permit back after each task if another one waits, so that each
project gets its share.
"""

from __future__ import annotations

import threading
from collections import deque


class _Waiting:
    """A thread that waits for a permit."""

    __slots__ = ("call", "gets_permit", "owner")

    def __init__(self, owner: object) -> None:
        self.owner = owner
        self.call = threading.Lock()
        self.call.acquire()
        self.gets_permit = True


class Permits:
    """A fixed number of permits.

    >>> permits = Permits(1)
    >>> permits.take("a project"), permits.is_wanted
    (True, False)
    >>> permits.give()
    """

    def __init__(self, number: int) -> None:
        self._free = number
        self._changing = threading.Lock()
        self._waiting: deque[_Waiting] = deque()

    def take(self, owner: object) -> bool:
        """Wait for a permit; False if the owner was dismissed meanwhile."""
        with self._changing:
            if self._free:
                self._free -= 1
                return True
            me = _Waiting(owner)
            self._waiting.append(me)
        me.call.acquire()
        return me.gets_permit

    def give(self) -> None:
        """Hand a permit to the thread that has waited longest."""
        with self._changing:
            if self._waiting:
                self._waiting.popleft().call.release()
            else:
                self._free += 1

    def dismiss(self, owner: object) -> None:
        """Let all threads of an owner go that still wait; they get none."""
        with self._changing:
            for each in [each for each in self._waiting if each.owner is owner]:
                self._waiting.remove(each)
                each.gets_permit = False
                each.call.release()

    @property
    def is_wanted(self) -> bool:
        """Whether a thread waits for a permit."""
        return bool(self._waiting)
