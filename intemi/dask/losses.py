"""Leaves that were lost with their workers: they are asked for again, but not for ever."""

from __future__ import annotations

import threading
from collections import OrderedDict

from intemi.dask.workers import RemoteWorker
from intemi.kernel.errors import WorkerEnded
from intemi.kernel.workers.base import Call, Outcome, Stopped

MAX_LOSSES = 3
"""A leaf that was lost so often has failed."""
MAX_COUNTED = 2**12
"""Leaves that are remembered; one that was lost may have been run elsewhere, or not be needed any more."""


class Losses:
    """How often each leaf was lost, of those that were lost last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: OrderedDict[bytes, int] = OrderedDict()

    def __contains__(self, call: Call) -> bool:
        return call.machine in self._counts

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, call: Call, worker: RemoteWorker, why: str) -> Outcome:
        """A leaf was lost: it is asked for again, unless that has happened too often."""
        with self._lock:
            times = self._counts.pop(call.machine, 0) + 1
            if times < MAX_LOSSES and not call.is_stopped:
                self._counts[call.machine] = times
                if len(self._counts) > MAX_COUNTED:
                    self._counts.popitem(last=False)
        if times < MAX_LOSSES or call.is_stopped:
            return Outcome(call, Stopped())
        where = f"{worker.host} (process {worker.pid})"
        text = f"{call.config.kind} was lost {MAX_LOSSES} times, the last time on {where}: {why}"
        return Outcome(call, WorkerEnded(text), worker=worker.place)

    def forget(self, call: Call) -> None:
        """A leaf has run to its end."""
        with self._lock:
            self._counts.pop(call.machine, None)
