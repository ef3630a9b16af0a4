"""The default task manager: leaves on threads and in worker processes of this computer, each where it does best.

A leaf runs on a thread unless one of these holds:

- it has limits on memory, or limits and a kind that takes long: a thread cannot be stopped;
- leaves of its kind were measured to hold the GIL for longer than a few milliseconds: on a thread they would keep all
  other threads from running.

What cannot be sent to another process runs on a thread. Worker processes are started when they are first needed: for
leaves that hold the GIL in the background, while leaves go on running on threads.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING

from intemi.kernel.machine import Machine, Model
from intemi.kernel.workers.base import Call, CannotTravel
from intemi.kernel.workers.threads import Kind, LeafStats, Threads, kind_of

if TYPE_CHECKING:
    from intemi.kernel.workers.processes import WorkerPool

MIN_APART_SECONDS = 4e-3
"""Below which a leaf that holds the GIL stays on its thread: to send it away costs a fraction of a millisecond."""
LONG_LEAF_SECONDS = 1.0
"""Leaves with limits whose kind has taken longer than this run in a process, which can be ended."""
WORKER_MEMORY_BYTES = 2**28
"""Of values that a worker process keeps because it may need them again."""


class LocalWorkers(Threads):
    """Runs leaves on threads and, where that is better, in worker processes: the default of a project.

    >>> LocalWorkers(2)
    LocalWorkers(2)
    """

    isolates = os.name == "posix"

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._opened_pool: WorkerPool | None = None
        self._is_starting = False
        self._stay: set[Kind] = set()
        """Kinds of leaves that cannot be sent to another process."""

    def execute(self, call: Call) -> tuple[Model, float]:
        stats = self.stats_of(call)
        if not self._goes_apart(call, stats):
            return super().execute(call)
        begun = perf_counter()
        try:
            model, cpu = self._pool.run(call)
        except CannotTravel as error:
            if call.is_memory_limited:  # its memory cannot be limited on a thread
                raise error.reason from error.__cause__
            self._stay.add(kind_of(call.config))
            return super().execute(call)
        if stats is not None:
            stats.note(cpu, perf_counter() - begun)
        return model, cpu

    def stats_of(self, call: Call) -> LeafStats | None:
        return self._stats[kind_of(call.config)] if call.is_limited else super().stats_of(call)

    def stop(self, call: Call) -> None:
        if self._opened_pool is None or not self._opened_pool.stop(call):
            super().stop(call)

    def expect_limits(self, config: Machine) -> None:
        if self.isolates and self._stats[kind_of(config)].longest > LONG_LEAF_SECONDS:
            self._pool.have_one(config)

    def releases_gil(self, call: Call) -> bool:
        stats = self.stats_of(call)
        return self.workers > 1 and stats is not None and (not stats.is_short or self._goes_apart(call, stats))

    def rest(self) -> None:
        if self._opened_pool is not None:
            self._opened_pool.close()
        self._is_starting = False
        super().rest()

    @property
    def _pool(self) -> WorkerPool:
        """The worker processes; what they are made of is loaded when it is first needed."""
        from intemi.kernel.workers.processes import WorkerPool

        with self._lock:
            if self._opened_pool is None:
                self._opened_pool = WorkerPool(WORKER_MEMORY_BYTES)
            return self._opened_pool

    def _goes_apart(self, call: Call, stats: LeafStats | None) -> bool:
        if not self.isolates:
            return False
        if call.is_memory_limited:
            return True
        if self._stay and kind_of(call.config) in self._stay:
            return False
        assert stats is not None or not call.is_limited
        if stats is None:
            return False
        if call.is_limited:
            return stats.longest > LONG_LEAF_SECONDS
        if not stats.holds_gil or stats.seconds < MIN_APART_SECONDS:
            return False
        if not self._is_starting:
            self._is_starting = True
            self._pool.start(self.workers, [type(call.config).__module__])
        return self._pool.is_ready
