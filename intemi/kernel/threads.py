"""Leaves on threads of this process. Kernels that release the GIL scale with threads; what holds the GIL, or must be
stoppable, belongs to a process manager.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from math import inf
from threading import get_ident
from time import perf_counter, thread_time

from intemi.kernel.linear_algebra import give_back, use_one_thread
from intemi.kernel.machine import Machine, Model
from intemi.kernel.managers import Call
from intemi.kernel.slots import Slots
from intemi.kernel.timers import Timers
from intemi.kernel.turns import PATIENCE
from intemi.kernel.values import run_leaf

SHORT = 1e-3
"""Seconds below which a leaf is not worth a second thread: to hand the engine over, and back, takes as long."""
HELD_UP = 1.8
"""Ratio of wall to CPU time above which a leaf is assumed to hold the GIL, so that a second thread would not help.
Leaves that take the GIL only now and then stay below 1.5."""
WATCH_SECONDS = 0.05
"""Between two looks at what leaves with limits use."""


class Usual:
    """How long leaves of a kind take; the last ones count most."""

    __slots__ = ("held_up", "seconds")

    def __init__(self) -> None:
        self.seconds = inf
        self.held_up = 1.0
        """How many times its CPU time it took, where it could have run beside others."""

    @property
    def is_short(self) -> bool:
        return self.seconds < SHORT or (self.seconds < PATIENCE and self.held_up > HELD_UP)

    def note(self, cpu: float, wall: float, was_free: bool) -> None:
        # One that waits for something lets others work, one that only waits for the GIL is as short as before.
        waits = wall > PATIENCE
        seconds = wall if waits else cpu
        self.seconds = seconds if self.seconds == inf else (self.seconds + seconds) / 2
        if not was_free:
            self.held_up *= 0.98  # things change: it is tried again from time to time
        elif not waits:
            self.held_up += (min(wall / max(cpu, 1e-6), 3.0) - self.held_up) / 8  # a single one tells little


class Meter:
    """What a leaf uses, as other threads see it."""

    def __init__(self) -> None:
        """Of the thread that calls this, from now on. On macOS threads have no clocks that others could read."""
        self._clock = time.pthread_getcpuclockid(get_ident()) if hasattr(time, "pthread_getcpuclockid") else None
        self._begun = thread_time()

    @property
    def cpu(self) -> float:
        """CPU seconds so far; 0 if that cannot be said."""
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
        self._usual: defaultdict[type[Machine], Usual] = defaultdict(Usual)
        self._meters: dict[Call, Meter] = {}
        """Of leaves with limits that run."""
        self._timers = Timers()
        self._is_watching = False

    def execute(self, call: Call) -> tuple[Model, float]:
        if not call.is_watched:
            return self._execute(call)
        self._meters[call] = Meter()
        self._watch()
        try:
            return self._execute(call)
        finally:
            self._meters.pop(call, None)

    def _watch(self) -> None:
        """Look in a moment at what leaves use; one that is over its limits is stopped."""
        if not self._is_watching:
            self._is_watching = True
            self._timers.after(WATCH_SECONDS, self._look)

    def _look(self) -> None:
        self._is_watching = False
        for call, meter in list(self._meters.items()):  # a stopped one may be needed again meanwhile
            call.report_usage(meter.cpu, 0)
        if self._meters:
            self._watch()

    def _execute(self, call: Call) -> tuple[Model, float]:
        values = call.values()
        is_free = not self.turns.is_held
        cpu, wall = thread_time(), perf_counter()
        model = run_leaf(call.config, values, call.seed)
        cpu, wall = thread_time() - cpu, perf_counter() - wall
        self._usual[type(call.config)].note(cpu, wall, is_free)
        return model, cpu

    def stop(self, call: Call) -> None:
        self.leave_behind(call)  # a thread cannot be ended

    def releases_gil(self, config: Machine) -> bool:
        return self.workers > 1 and not self._usual[type(config)].is_short

    def get_ready(self) -> None:
        if not self._is_ready:  # a project that only asks for what is finished does not need it
            use_one_thread(self)
            self._is_ready = True

    def rest(self) -> None:
        self._is_ready = False
        self._timers.close()
        self._is_watching = False
        give_back(self)
