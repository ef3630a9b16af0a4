"""Turns: of several threads that hold Python's global lock most of the time, one works while the others wait.

Left to themselves they would pass that lock to each other at every call that lets go of it for a moment, and each time
wait for the other to wake up; two of them then get less done than one. A turn is taken for a while, and given away
around whatever runs without the global lock. It is a courtesy: whoever has waited too long takes it without asking.
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


class Turns:
    """Who works just now."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._taken: dict[int, tuple[threading.Lock, float]] = {}
        self._coming_back: deque[None] = deque()
        """One for each thread that waits to go on with what it has begun."""

    def take(self) -> None:
        """Wait for one's turn, but not for long."""
        turn = self._turn
        if not turn.acquire(timeout=PATIENCE):
            turn = self._turn = threading.Lock()  # from now on the others wait for this thread
            turn.acquire()
        self._taken[threading.get_ident()] = turn, monotonic()

    def give(self) -> None:
        """Let the next one work."""
        self._taken.pop(threading.get_ident())[0].release()

    @property
    def is_over(self) -> bool:
        """Whether this thread should let others work before it begins with something new."""
        return bool(self._coming_back) or monotonic() - self._taken[threading.get_ident()][1] > WHILE

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let others work meanwhile, if it is this thread's turn."""
        if threading.get_ident() not in self._taken:
            yield
            return
        self.give()
        try:
            yield
        finally:
            self._coming_back.append(None)
            self.take()
            self._coming_back.pop()
