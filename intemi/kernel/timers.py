"""Calls at a later time, all on one thread that exists only while there is something to wait for."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count


class Timers:
    """A queue of calls by the time at which they are due."""

    def __init__(self) -> None:
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._serial = count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call it that many seconds from now."""
        with self._changed:
            heappush(self._queue, (time.monotonic() + seconds, next(self._serial), call))
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="intemi timers", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Forget all calls; one that is being made is waited for, and then the thread is gone."""
        with self._changed:
            self._queue.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _serve(self) -> None:
        while True:
            with self._changed:
                if not self._queue:
                    self._thread = None
                    return
                due, _, call = self._queue[0]
                left = due - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                heappop(self._queue)
            try:
                call()
            except Exception:  # is reported like that of any thread, and the other calls are made
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
