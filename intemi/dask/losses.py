"""Leaves that were lost with their workers: they are asked for again, but not for ever."""

from __future__ import annotations

from collections import Counter

from intemi.dask.workers import RemoteWorker
from intemi.kernel.dispatch import Outcome
from intemi.kernel.errors import WorkerEnded
from intemi.kernel.managers import Call, Stopped

MAX_LOSSES = 3
"""A leaf that was lost so often has failed."""


class Losses:
    """How often each leaf was lost."""

    def __init__(self) -> None:
        self._counts: Counter[bytes] = Counter()

    def __contains__(self, call: Call) -> bool:
        return call.machine in self._counts

    def count(self, call: Call, worker: RemoteWorker, why: str) -> Outcome:
        """A leaf was lost: it is asked for again, unless that has happened too often."""
        self._counts[call.machine] += 1
        if self._counts[call.machine] < MAX_LOSSES:
            return Outcome(call, Stopped())
        del self._counts[call.machine]
        where = f"{worker.host} (process {worker.pid})"
        text = f"{call.config.kind} was lost {MAX_LOSSES} times, the last time on {where}: {why}"
        return Outcome(call, WorkerEnded(text), worker=worker.place)

    def forget(self, call: Call) -> None:
        """A leaf has run to its end."""
        self._counts.pop(call.machine, None)
