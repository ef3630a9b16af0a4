"""Which leaves travel together, and to which worker: as many as there is room for, brief ones in batches."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count

from intemi.dask.losses import Losses
from intemi.dask.members import Members
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.machine import Machine
from intemi.kernel.workers.base import Call

BATCH_SECONDS = 0.05
"""What the leaves of a batch are expected to take together."""
MAX_BATCH = 64
"""Leaves in a batch."""
BRIEF_SECONDS = 1.0
"""Batches that are expected to take less are sent ahead, one to each worker."""


class Batching:
    """Calls that wait for a worker, and those that have one. `send` gets each batch that is complete."""

    def __init__(self, lock: threading.RLock, members: Members, losses: Losses, send: Callable[[Batch], None]) -> None:
        self._lock = lock
        self._members = members
        self._losses = losses
        self._send = send
        self._numbers = count()
        self._open: Batch | None = None
        """The batch that is not complete yet."""
        self._waiting: deque[Call] = deque()
        """Calls for which there is no room yet: few, since it is asked for before they come."""
        self._placed: dict[Call, tuple[Batch, int]] = {}
        """Calls that have a worker, their batches and numbers."""
        self._long: set[Batch] = set()
        """Batches that are out and not brief: as long as there is one, none is sent ahead."""
        self._numbered: dict[int, Call] = {}
        """The same, by number."""
        self._usual: dict[type[Machine], float] = {}
        """Seconds that leaves of a class take."""

    @property
    def has_room(self) -> bool:
        """Whether one more call would be sent at once."""
        with self._lock:
            return not self._waiting and (self._open is not None or self._free_worker() is not None)

    def _free_worker(self) -> RemoteWorker | None:
        return self._members.free_worker(ahead=not self._long)

    def add(self, call: Call) -> None:
        """Put a call into a batch as soon as there is room."""
        with self._lock:
            self._waiting.append(call)
            self._fill()

    def _fill(self) -> None:
        """Put calls that wait for room into batches, as long as there is room."""
        while self._waiting:
            call = self._waiting[0]
            expected = self._usual.get(type(call.config))
            is_alone = expected is None or call.is_watched or call in self._losses
            if is_alone:
                self.flush()
            batch = self._open
            if batch is None:
                worker = self._free_worker()
                if worker is None:
                    return
                batch = self._open = Batch(worker)
                self._members.add_batch(batch)
            self._waiting.popleft()
            number = next(self._numbers)
            batch.calls[number] = call
            batch.expected += 2 * BRIEF_SECONDS if expected is None else expected
            self._placed[call] = batch, number
            self._numbered[number] = call
            if is_alone or batch.expected >= BATCH_SECONDS or len(batch.calls) >= MAX_BATCH:
                self.flush()

    def flush(self) -> None:
        """Send the batch that is not complete."""
        with self._lock:
            batch, self._open = self._open, None
            if batch is not None:
                if batch.expected > BRIEF_SECONDS:
                    self._long.add(batch)
                self._send(batch)

    def close(self, batch: Batch, late: Sequence[Call] = ()) -> bool:
        """Make room for the next batch, which begins with calls that came too late; False if it was closed before."""
        with self._lock:
            if batch.is_over:
                return False
            batch.is_over = True
            self.forget(late)
            self._waiting.extendleft(reversed(late))
            self._long.discard(batch)
            self._members.remove_batch(batch)
            if self._open is batch:
                self._open = None
            self._fill()
            self.flush()
            return True

    def place_waiting(self) -> list[Call]:
        """Send calls that wait to workers that are new. Without workers, they are given back, for other managers."""
        with self._lock:
            if self._members.workers:
                self._fill()
                self.flush()
                return []
            returned = list(self._waiting)
            self._waiting.clear()
            return returned

    def note(self, call: Call, wall: float) -> None:
        """A leaf took so many seconds: others of its class are expected to."""
        kind = type(call.config)
        known = self._usual.get(kind)
        self._usual[kind] = wall if known is None else (known + wall) / 2

    def worker_of(self, call: Call) -> RemoteWorker | None:
        """Where a call is, if it is out."""
        with self._lock:
            batch, _ = self._placed.get(call, (None, 0))
            return None if batch is None else batch.worker

    def numbered(self, number: int) -> Call | None:
        """The call of a number, if it is out."""
        with self._lock:
            return self._numbered.get(number)

    def forget(self, calls: Sequence[Call]) -> None:
        """Calls are not out any more."""
        with self._lock:
            for call in calls:
                if call in self._placed:
                    _, number = self._placed.pop(call)
                    del self._numbered[number]

    def clear(self) -> None:
        """Nothing is out any more."""
        with self._lock:
            self._open = None
            self._waiting.clear()
            self._placed.clear()
            self._long.clear()
            self._numbered.clear()
