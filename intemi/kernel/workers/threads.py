"""Leaves on threads of this process. Code that releases the global interpreter lock (GIL) scales with threads; code
that holds it, or must be stoppable, belongs to a worker process.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Hashable
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
PROBE_SECONDS = 2e-3
"""Between two measurements of the GIL."""
MIN_PROBED_SECONDS = 0.02
"""Measured time of a kind of leaves from which it is known whether they hold the GIL."""
MAX_PROBED_SECONDS = 1.0
"""Measured time after which older measurements begin to count less."""
GIL_BOUND_FRACTION = 0.4
"""Fraction of the time in which the GIL was not to be had, from which a kind of leaves is taken to hold it."""
WATCH_SECONDS = 0.05
"""Between two reports of what leaves with limits use."""

Kind = Hashable


def kind_of(config: Machine) -> Kind:
    """Leaves that are expected to behave alike: of one class, with parameters of the same types and the same names."""
    values = config.parameters().values()
    return type(config), *[value if isinstance(value, str) else type(value) for value in values]


class LeafStats:
    """Running averages over leaves of a kind."""

    __slots__ = ("held", "longest", "probed", "seconds")

    def __init__(self) -> None:
        self.seconds = inf
        self.longest = 0.0
        self.probed = 0.0
        """Seconds for which the GIL was measured while such a leaf was running,"""
        self.held = 0.0
        """and for which it was held by something."""

    @property
    def is_known(self) -> bool:
        """Whether it was measured for long enough."""
        return self.probed >= MIN_PROBED_SECONDS

    @property
    def holds_gil(self) -> bool:
        """Whether such leaves hold the GIL most of the time."""
        return self.is_known and self.held > GIL_BOUND_FRACTION * self.probed

    @property
    def is_short(self) -> bool:
        """Whether another thread is not worth while for them."""
        return self.seconds < SHORT_LEAF_SECONDS or (self.holds_gil and self.seconds < TURN_TIMEOUT_SECONDS)

    def note(self, cpu: float, wall: float) -> None:
        """Add a leaf. One that waits lets others work; one that only waits for the GIL is as short as before."""
        seconds = wall if wall > TURN_TIMEOUT_SECONDS else cpu
        self.longest = max(seconds, self.longest)
        self.seconds = seconds if self.seconds == inf else (self.seconds + seconds) / 2

    def note_probe(self, seconds: float, late: float) -> None:
        """Add a measurement of the GIL."""
        if self.probed > MAX_PROBED_SECONDS:
            self.probed, self.held = self.probed / 2, self.held / 2
        self.probed += seconds
        self.held += late


class _GilProbe:
    """Measures which kinds of leaves hold the GIL: a thread that sleeps for a moment wakes up late while one does."""

    def __init__(self) -> None:
        self._running: dict[int, LeafStats] = {}
        """What runs now, by threads."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closing = False

    def begin(self, stats: LeafStats) -> None:
        self._running[get_ident()] = stats
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._measure, name="intemi gil probe", daemon=True)
                    self._thread.start()

    def end(self) -> None:
        self._running.pop(get_ident(), None)

    def close(self) -> None:
        """Wait until the thread has ended."""
        self._running.clear()
        self._is_closing = True
        with self._lock:  # else it may be there, but not started yet
            thread = self._thread
        if thread is not None:
            thread.join()
        self._is_closing = False

    def _measure(self) -> None:
        idle = 0.0
        while True:
            running = list(self._running.values())
            begun = perf_counter()
            time.sleep(PROBE_SECONDS)
            seconds = perf_counter() - begun
            for stats in running:
                stats.note_probe(seconds, seconds - PROBE_SECONDS)
            idle = 0.0 if running else idle + seconds
            if idle > 50 * PROBE_SECONDS or self._is_closing:
                with self._lock:
                    if not self._running or self._is_closing:
                        self._thread = None
                        return


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
        self._stats: defaultdict[Kind, LeafStats] = defaultdict(LeafStats)
        self._probe = _GilProbe()
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
        stats = self.stats_of(call)
        is_probed = stats is not None and stats.seconds >= SHORT_LEAF_SECONDS
        if stats is not None and is_probed:
            self._probe.begin(stats)
        cpu, wall = thread_time(), perf_counter()
        try:
            model = run_leaf(call.config, values, call.seed)
        finally:
            if is_probed:
                self._probe.end()
        cpu, wall = thread_time() - cpu, perf_counter() - wall
        if stats is not None:
            stats.note(cpu, wall)
        return model, cpu

    def stats_of(self, call: Call) -> LeafStats | None:
        """What is known of leaves of this kind; None with one worker, which need not know."""
        return self._stats[kind_of(call.config)] if self.workers > 1 else None

    def stop(self, call: Call) -> None:
        self.leave_behind(call)  # a thread cannot be ended

    def releases_gil(self, call: Call) -> bool:
        stats = self.stats_of(call)
        return stats is not None and not stats.is_short

    def get_ready(self) -> None:
        if not self._is_ready:  # a project that only reads what is finished does not need it
            use_one_thread(self)
            self._is_ready = True

    def rest(self) -> None:
        self._is_ready = False
        watcher = self._watcher
        if watcher is not None and watcher is not threading.current_thread():
            watcher.join()
        self._probe.close()
        give_back(self)
