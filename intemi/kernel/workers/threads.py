"""Leaves on threads of this process. Code that releases the global interpreter lock (GIL) scales with threads; code
that holds it, or must be stoppable, belongs to a worker process.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from contextlib import suppress
from math import inf
from threading import get_ident
from time import perf_counter, thread_time

from intemi.kernel.linear_algebra import give_back, use_one_thread
from intemi.kernel.machine import Machine, Model
from intemi.kernel.values import run_leaf
from intemi.kernel.workers.base import Call, report_error
from intemi.kernel.workers.slots import TURN_TIMEOUT_SECONDS, Slots

SHORT_LEAF_SECONDS = 1e-3
"""Below which a leaf is not worth a second thread: to hand the engine over, and back, takes as long."""
GIL_BOUND_RATIO = 1.8
"""Ratio of wall to CPU time above which a leaf is assumed to hold the GIL, so that a second thread would not help.
Leaves that take the GIL only now and then stay below 1.5."""
WATCH_SECONDS = 0.05
"""Between two reports of what leaves with limits use."""


class LeafStats:
    """Running averages over leaves of a kind."""

    __slots__ = ("gil_ratio", "seconds")

    def __init__(self) -> None:
        self.seconds = inf
        self.gil_ratio = 1.0
        """Wall time in CPU times, where it could have run beside others."""

    @property
    def is_short(self) -> bool:
        return self.seconds < SHORT_LEAF_SECONDS or (
            self.seconds < TURN_TIMEOUT_SECONDS and self.gil_ratio > GIL_BOUND_RATIO
        )

    def note(self, cpu: float, wall: float, was_free: bool) -> None:
        # A leaf that waits for something lets others work; one that only waits for the GIL is as short as before.
        waits = wall > TURN_TIMEOUT_SECONDS
        seconds = wall if waits else cpu
        self.seconds = seconds if self.seconds == inf else (self.seconds + seconds) / 2
        if not was_free:
            self.gil_ratio *= 0.98  # things change: it is tried again from time to time
        elif not waits:
            self.gil_ratio += (min(wall / max(cpu, 1e-6), 3.0) - self.gil_ratio) / 8  # a single ratio is noise


class Meter:
    """What a leaf uses, as other threads see it."""

    def __init__(self) -> None:
        """Of the thread that calls this, from now on. On macOS threads have no clocks that others could read."""
        self._clock = time.pthread_getcpuclockid(get_ident()) if hasattr(time, "pthread_getcpuclockid") else None
        self._begun = thread_time()

    @property
    def cpu(self) -> float:
        """CPU seconds so far; 0 where the system has no such clock."""
        if self._clock is not None:
            with suppress(OSError):  # the thread has ended
                return time.clock_gettime(self._clock) - self._begun
        return 0.0


class Threads(Slots):
    """Runs leaves on threads of this process: no copying, no start-up cost.

    >>> Threads(2)
    Threads(2)
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._is_ready = False
        self._stats: defaultdict[type[Machine], LeafStats] = defaultdict(LeafStats)
        self._meters: dict[Call, Meter] = {}
        """Of leaves with limits that run."""
        self._watcher: threading.Thread | None = None

    def execute(self, call: Call) -> tuple[Model, float]:
        if not call.is_watched:
            return self._execute(call)
        with self._lock:
            self._meters[call] = Meter()
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="intemi limits", daemon=True)
                self._watcher.start()
        try:
            return self._execute(call)
        finally:
            self._meters.pop(call, None)

    def _watch(self) -> None:
        """Report what leaves use, as long as there are any; one that exceeds its limits is stopped."""
        while True:
            time.sleep(WATCH_SECONDS)
            with self._lock:
                meters = list(self._meters.items())
                if not meters:
                    self._watcher = None
                    return
            for call, meter in meters:
                try:
                    call.report_usage(meter.cpu, 0)
                except Exception:
                    report_error()

    def _execute(self, call: Call) -> tuple[Model, float]:
        values = call.values()
        is_free = not self.turns.is_held
        cpu, wall = thread_time(), perf_counter()
        model = run_leaf(call.config, values, call.seed)
        cpu, wall = thread_time() - cpu, perf_counter() - wall
        self._stats[type(call.config)].note(cpu, wall, is_free)
        return model, cpu

    def stop(self, call: Call) -> None:
        self.leave_behind(call)  # a thread cannot be ended

    def releases_gil(self, call: Call) -> bool:
        return self.workers > 1 and not self._stats[type(call.config)].is_short

    def get_ready(self) -> None:
        if not self._is_ready:  # a project that only reads what is finished does not need it
            use_one_thread(self)
            self._is_ready = True

    def rest(self) -> None:
        self._is_ready = False
        watcher = self._watcher
        if watcher is not None and watcher is not threading.current_thread():
            watcher.join()
        give_back(self)
