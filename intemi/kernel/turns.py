"""Turns: of several threads that hold Python's global lock most of the time, one works while the others wait.

Left to themselves they would pass that lock to each other at every call that lets go of it for a moment, and each time
wait for the other to wake up; two of them then get less done than one. A turn is taken for a whole step, and given away
around whatever runs without the global lock. It is a courtesy: whoever has waited too long takes it without asking.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 5e-3
"""Seconds to wait for a turn: long enough for a few short leaves, too short for anybody to notice."""


class Turns:
    """Who works just now."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._taken: dict[int, threading.Lock] = {}

    def take(self) -> None:
        """Wait for one's turn, but not for long."""
        turn = self._turn
        if not turn.acquire(timeout=PATIENCE):
            turn = self._turn = threading.Lock()  # from now on the others wait for this thread
            turn.acquire()
        self._taken[threading.get_ident()] = turn

    def give(self) -> None:
        """Let the next one work."""
        self._taken.pop(threading.get_ident()).release()

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
            self.take()
