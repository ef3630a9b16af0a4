"""Turns: of several threads that hold Python's global lock most of the time, one works while the others wait.

Left to themselves they would pass that lock to each other at every call that lets go of it for a moment, and each time
wait for the other to wake up; two of them then get less done than one. The holder of the turn goes on from one task to
the next, and releases it around whatever runs without the global lock; a thread that comes back from that goes first,
because it is about to run something of that kind again. Turns are advisory: after `PATIENCE` seconds without progress
by the holder, a waiter takes over.
"""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic

PATIENCE = 3e-2
"""Seconds without progress by the holder after which a waiter takes the turn."""


class _Waiting:
    """A thread that waits to be called."""

    __slots__ = ("call", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.call = threading.Lock()
        self.call.acquire()


class Turns:
    """Who works just now."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._whose: int | None = None
        self._begun = 0.0
        self._to_begin: deque[_Waiting] = deque()
        self._to_go_on: deque[_Waiting] = deque()

    def take(self) -> None:
        """Wait for one's turn to begin with something, unless that takes too long."""
        self._wait(self._to_begin)

    def begin(self) -> None:
        """Say that something new begins."""
        self._begun = monotonic()

    def give(self) -> bool:
        """Let the next one work; False if the turn was taken away meanwhile."""
        with self._changing:
            if self._whose != threading.get_ident():
                return False
            queue = self._to_go_on or self._to_begin
            called = queue.popleft() if queue else None
            self._whose = None if called is None else called.thread
            if called is not None:  # handed over: no other thread can come in between
                called.call.release()
            return True

    def take_back(self) -> None:
        """Wait for one's turn to go on where it was given away, unless that takes too long."""
        self._wait(self._to_go_on)

    @property
    def is_held(self) -> bool:
        """Whether this thread has its turn now."""
        return self._whose == threading.get_ident()

    @property
    def is_over(self) -> bool:
        """Whether this thread should let others work before it begins with something new."""
        return bool(self._to_go_on) or self._whose != threading.get_ident()

    def _wait(self, queue: deque[_Waiting]) -> None:
        with self._changing:
            if self._whose is None:
                self._whose = threading.get_ident()
                self._begun = monotonic()
                return
            me = _Waiting()
            queue.append(me)
        while not me.call.acquire(timeout=PATIENCE):
            with self._changing:
                if me in queue and monotonic() - self._begun > PATIENCE:
                    queue.remove(me)
                    self._whose = me.thread  # from now on the others wait for this thread
                    break
        self._begun = monotonic()
