"""Which leaves travel together and to which worker: the client's state of a cluster, changed under one lock.

Only as many batches are out as workers have threads, plus one each if they are brief, so the queue of the project
decides what runs next. A leaf that was lost with its worker is asked for again, up to `MAX_LOSSES` times.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from intemi.kernel.errors import WorkerEnded
from intemi.kernel.machine import Machine
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.contents import Recent

BATCH_SECONDS = 0.05
"""What the leaves of a batch are expected to take together."""
MAX_BATCH_LEAVES = 64
BRIEF_SECONDS = 1.0
"""Batches that are expected to take less are sent ahead, one to each worker."""
MAX_HELD = 2**16
"""Contents of a worker that the client remembers."""
MAX_LOSSES = 3
"""Times that a leaf is lost before it has failed."""
MAX_COUNTED = 2**12
"""Lost leaves that are remembered; one that was lost may have been run elsewhere, or not be needed any more."""


class Batch:
    """A batch that was sent, or is about to be."""

    _numbers = count()

    def __init__(self, worker: RemoteWorker) -> None:
        self.worker = worker
        self.number = next(self._numbers)
        self.calls: dict[int, Call] = {}
        self.expected = 0.0
        """Seconds that its leaves take, as far as that is known."""
        self.future: Any = None
        self.resends = 0
        """Times that it was sent again, because its worker lacked something."""
        self.is_over = False


class RemoteWorker:
    """One worker process of the cluster."""

    def __init__(self, address: str, threads: int, host: str, pid: int) -> None:
        self.address = address
        self.threads = threads
        self.host = host
        self.pid = pid
        self.batches: set[Batch] = set()
        self.to_send: deque[Batch] = deque()
        """Batches that are to be sent to it, one after the other."""
        self.is_sending = False
        """Whether a thread sends them."""
        self._held: Recent[bytes, bool] = Recent(MAX_HELD)
        """Digests of contents that it was sent or has made; it may have dropped some, and reports that."""
        self._lock = threading.Lock()

    @property
    def place(self) -> str:
        """Host and process, as they go on record."""
        return f"{self.host}:{self.pid}"

    def lacks(self, content: bytes) -> bool:
        """Whether it has not got a content, as far as is known here."""
        with self._lock:
            return self._held.find(content) is None

    def hold(self, contents: Iterable[bytes]) -> None:
        """It has got contents."""
        with self._lock:
            for each in contents:
                self._held.store(each, True)

    def release(self, contents: Iterable[bytes]) -> None:
        """It has dropped contents."""
        with self._lock:
            for each in contents:
                self._held.pop(each, None)


class Batches:
    """Workers that can be used, calls that wait for one, and the batches that are out.

    A batch that is complete is `ready`, in the queue of its worker; whoever changes the state sends what is ready.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._numbers = count()
        self._workers: dict[str, RemoteWorker] = {}
        self._idle: dict[RemoteWorker, None] = {}
        """Those with fewer batches than threads. There may be hundreds, and every leaf asks for one."""
        self._busy: dict[RemoteWorker, None] = {}
        """Those with as many batches as threads."""
        self._open: Batch | None = None
        """The batch that is not complete yet."""
        self._waiting: deque[Call] = deque()
        """Calls for which there is no room yet: few, since room is asked for before they come."""
        self._placed: dict[Call, tuple[Batch, int]] = {}
        """Calls that have a worker, their batches and numbers."""
        self._numbered: dict[int, Call] = {}
        """The same, by number."""
        self._long: set[Batch] = set()
        """Batches that are out and not brief: as long as there is one, none is sent ahead."""
        self._usual: dict[type[Machine], float] = {}
        """Seconds that leaves of a class take."""
        self._losses: Recent[bytes, int] = Recent(MAX_COUNTED)
        self._ready: deque[RemoteWorker] = deque()
        """Workers that have a batch to be sent, and no thread that sends them."""

    # Workers

    @property
    def workers(self) -> list[RemoteWorker]:
        """The workers that can be used now."""
        with self._lock:
            return list(self._workers.values())

    def add_worker(self, worker: RemoteWorker) -> None:
        """Have a worker get batches."""
        with self._lock:
            self._workers[worker.address] = worker
            self._sort(worker)
            self._fill()
            self.flush()

    def remove_worker(self, worker: RemoteWorker) -> list[Batch]:
        """Have a worker get no more batches: those that it has."""
        with self._lock:
            if self._workers.get(worker.address) is worker:
                del self._workers[worker.address]
                self._sort(worker)
            return list(worker.batches)

    def worker_at(self, address: str) -> RemoteWorker | None:
        """The worker of an address."""
        with self._lock:
            return self._workers.get(address)

    def returned(self) -> list[Call]:
        """Calls that wait in vain because there is no worker: they are for other task managers."""
        with self._lock:
            waiting = [] if self._workers else list(self._waiting)
            if not self._workers:
                self._waiting.clear()
            return waiting

    def _sort(self, worker: RemoteWorker) -> None:
        """Put a worker behind the others that have room, if it has any."""
        self._idle.pop(worker, None)
        self._busy.pop(worker, None)
        if self._workers.get(worker.address) is worker:
            if len(worker.batches) < worker.threads:
                self._idle[worker] = None
            elif len(worker.batches) == worker.threads:
                self._busy[worker] = None

    def _free_worker(self) -> RemoteWorker | None:
        """A worker that can begin with a batch at once or, if no long one is out, as soon as it is done with one."""
        return next(iter(self._idle or (() if self._long else self._busy)), None)

    # Calls

    @property
    def has_room(self) -> bool:
        """Whether one more call would be sent at once."""
        with self._lock:
            return not self._waiting and (self._open is not None or self._free_worker() is not None)

    def add(self, call: Call) -> None:
        """Put a call into a batch as soon as there is room."""
        with self._lock:
            self._waiting.append(call)
            self._fill()

    def _fill(self) -> None:
        while self._waiting:
            call = self._waiting[0]
            expected = self._usual.get(type(call.config))
            is_alone = expected is None or call.is_watched or call.machine in self._losses
            if is_alone:
                self.flush()
            batch = self._open
            if batch is None:
                worker = self._free_worker()
                if worker is None:
                    return
                batch = self._open = Batch(worker)
                worker.batches.add(batch)
                self._sort(worker)
            self._waiting.popleft()
            number = next(self._numbers)
            batch.calls[number] = call
            batch.expected += 2 * BRIEF_SECONDS if expected is None else expected
            self._placed[call] = batch, number
            self._numbered[number] = call
            if is_alone or batch.expected >= BATCH_SECONDS or len(batch.calls) >= MAX_BATCH_LEAVES:
                self.flush()

    def flush(self) -> None:
        """The batch that is not complete gets no more calls."""
        with self._lock:
            batch, self._open = self._open, None
            if batch is not None:
                if batch.expected > BRIEF_SECONDS:
                    self._long.add(batch)
                self.send_again(batch)

    def send_again(self, batch: Batch) -> None:
        """A batch is ready."""
        with self._lock:
            batch.worker.to_send.append(batch)
            if not batch.worker.is_sending:
                batch.worker.is_sending = True
                self._ready.append(batch.worker)

    def next_ready(self) -> RemoteWorker | None:
        """A worker whose batches are to be sent now, by the caller."""
        with self._lock:
            return self._ready.popleft() if self._ready else None

    def next_batch(self, worker: RemoteWorker) -> Batch | None:
        """The next batch to send to a worker; None ends the sending."""
        with self._lock:
            while worker.to_send:
                batch = worker.to_send.popleft()
                if not batch.is_over:
                    return batch
            worker.is_sending = False
            return None

    def close(self, batch: Batch, again: Sequence[Call] = ()) -> bool:
        """Make room for the next batch, which begins with calls that are run again; False if it was closed before."""
        with self._lock:
            if batch.is_over:
                return False
            batch.is_over = True
            self.forget(again)
            self._waiting.extendleft(reversed(again))
            self._long.discard(batch)
            batch.worker.batches.discard(batch)
            self._sort(batch.worker)
            if self._open is batch:
                self._open = None
            self._fill()
            self.flush()
            return True

    def batch_of(self, call: Call) -> Batch | None:
        """Where a call is, if it is out."""
        with self._lock:
            return self._placed.get(call, (None, 0))[0]

    def numbered(self, number: int) -> Call | None:
        """The call of a number, if it is out."""
        with self._lock:
            return self._numbered.get(number)

    def drop(self, batch: Batch, number: int) -> None:
        """A call of a batch is not sent."""
        with self._lock:
            batch.calls.pop(number, None)

    def forget(self, calls: Iterable[Call]) -> None:
        """Calls are not out any more."""
        with self._lock:
            for call in calls:
                if call in self._placed:
                    _, number = self._placed.pop(call)
                    del self._numbered[number]

    def clear(self) -> list[Batch]:
        """Nothing is waited for any more, and no worker can be used: the batches that were out."""
        with self._lock:
            batches = [batch for worker in self._workers.values() for batch in worker.batches]
            for batch in batches:
                batch.is_over = True
            self._open = None
            for each in (self._workers, self._idle, self._busy, self._waiting, self._placed, self._numbered):
                each.clear()
            self._long.clear()
            self._ready.clear()
            return batches

    # What leaves take, and how often they are lost

    def note_time(self, call: Call, wall: float) -> None:
        """A leaf took these seconds: others of its class are expected to."""
        kind = type(call.config)
        known = self._usual.get(kind)
        self._usual[kind] = wall if known is None else (known + wall) / 2

    def note_end(self, call: Call) -> None:
        """A leaf has run to its end."""
        with self._lock:
            self._losses.pop(call.machine, None)

    def note_loss(self, call: Call, worker: RemoteWorker, why: str) -> Outcome:
        """A leaf was lost: it is asked for again, unless that has happened too often."""
        with self._lock:
            times = self._losses.pop(call.machine, 0) + 1
            if call.is_stopped:
                return Outcome(call, Stopped())
            if times < MAX_LOSSES:
                self._losses.store(call.machine, times)
                return Outcome(call, Stopped())
        where = f"{worker.host} (process {worker.pid})"
        text = f"{call.config.kind} was lost {MAX_LOSSES} times, the last time on {where}: {why}"
        return Outcome(call, WorkerEnded(text), worker=worker.place)
