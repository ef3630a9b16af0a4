"""A lock for short steps of Python code, and a place where idle threads wait.

An ordinary lock and the interpreter's own (the GIL) get in each other's way: a thread can be woken up with the one
while it still has to wait for the other, so that two busy threads hand both back and forth at every step. Here a thread
only ever looks whether the lock is free, and if it is not, it lets the others run; that costs one switch in a while,
not one in every step.
"""

from __future__ import annotations

import threading
from _thread import RLock
from collections.abc import Callable
from time import sleep


class StepLock(RLock):  # type: ignore[misc]  # it may well be inherited from
    """A reentrant lock that is held for microseconds."""

    def __enter__(self) -> bool:  # type: ignore[override]
        while not self.acquire(False):
            sleep(0)  # lets the others run
        return True


class Step:
    """Something done under the lock, with a call at its end."""

    __slots__ = ("_acquire", "_lock", "_release", "_notify")

    def __init__(self, lock: StepLock, notify: Callable[[], None]) -> None:
        self._lock = lock
        self._acquire, self._release = lock.acquire, lock.release
        self._notify = notify

    def __enter__(self) -> None:
        if not self._acquire(False):
            self._lock.__enter__()

    def __exit__(self, *exception: object) -> None:
        try:
            self._notify()
        finally:
            self._release()


class Parking(list[threading.Lock]):
    """Where idle threads wait until there is something for them to do. Used under the lock that guards the work.

    It is the list of those who wait, so that to see whether there are any costs next to nothing.
    """

    def place(self) -> threading.Lock:
        """A place to wait at; acquire it, without the guarding lock, to wait until it is called."""
        place = threading.Lock()
        place.acquire()
        self.append(place)
        return place

    def call(self, number: int) -> None:
        """Call some of those who wait, the last to come first: its caches are warm."""
        for _ in range(min(number, len(self))):
            self.pop().release()
