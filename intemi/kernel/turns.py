"""Turns: of several threads that hold Python's global lock most of the time, one works while the others wait.

Left to themselves they would pass that lock to each other at every call that lets go of it for a moment, and each time
wait for the other to wake up; two of them then get less done than one. A turn is taken for a while, and given away
around whatever runs without the global lock; whoever comes back from that goes first, because it is about to run
something of that kind again. It is a courtesy: whoever has waited too long takes the turn without asking.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

WHILE = 5e-3
"""Seconds for which a thread may work while others wait to begin."""
PATIENCE = 2 * WHILE
"""Seconds after which nobody waits any longer."""


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
        self._since = 0.0
        self._to_begin: deque[_Waiting] = deque()
        self._to_go_on: deque[_Waiting] = deque()

    def take(self) -> None:
        """Wait for one's turn, but not for long, to begin with something."""
        self._wait(self._to_begin)

    def _wait(self, queue: deque[_Waiting]) -> None:
        with self._changing:
            if self._whose is None:
                self._whose = threading.get_ident()
                self._since = monotonic()
                return
            me = _Waiting()
            queue.append(me)
        if not me.call.acquire(timeout=PATIENCE):
            with self._changing:
                if me in queue:
                    queue.remove(me)
                self._whose = me.thread  # from now on the others wait for this thread
        self._since = monotonic()

    def give(self) -> None:
        """Let the next one work, unless the turn was taken away meanwhile."""
        with self._changing:
            if self._whose == threading.get_ident():
                queue = self._to_go_on or self._to_begin
                called = queue.popleft() if queue else None
                self._whose = None if called is None else called.thread
                if called is not None:  # handed over: nobody else can come in between
                    called.call.release()

    @property
    def is_over(self) -> bool:
        """Whether this thread should let others work before it begins with something new."""
        if self._whose != threading.get_ident():
            return True
        return bool(self._to_go_on) or (bool(self._to_begin) and monotonic() - self._since > WHILE)

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let others work meanwhile, if it is this thread's turn."""
        if self._whose != threading.get_ident():
            yield
            return
        self.give()
        try:
            yield
        finally:
            self._wait(self._to_go_on)
