"""Which workers of a cluster can be used, and which of them has room.

Those that join are asked what they are before they get their first leaf.
"""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any, NamedTuple

from intemi.dask import probe, tasks
from intemi.dask.connection import Connection
from intemi.dask.workers import Batch, RemoteWorker

START_SECONDS = 20.0
"""For which one more of the workers that are there at the start is waited for; the others may join later."""
REPLY_SECONDS = 10
"""For which an answer that a worker has given may be on its way."""
POLL_SECONDS = 0.02
"""Between two looks at workers that have not answered yet."""
MAX_NAMED = 4
"""Workers that a message names."""


class Refusal(NamedTuple):
    """A worker that cannot be used, and why."""

    address: str
    why: str


class Members:
    """The workers that can be used now. Batches are given to them under the same lock as workers join and leave.

    >>> Members(threading.RLock()).threads
    0
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self.workers: dict[str, RemoteWorker] = {}
        """Workers that can be used, by address."""
        self._idle: dict[RemoteWorker, None] = {}
        """Those with fewer batches than threads. There may be hundreds, and every leaf asks for one."""
        self._busy: dict[RemoteWorker, None] = {}
        """Those with as many batches as threads."""
        self._asked: dict[str, tuple[Any, float]] = {}
        """Workers that were asked what they are, and when."""
        self._refused: set[str] = set()

    @property
    def threads(self) -> int:
        """How many leaves they can run at once."""
        return sum(worker.threads for worker in self.all())

    def all(self) -> list[RemoteWorker]:
        """The workers that can be used now."""
        with self._lock:
            return list(self.workers.values())

    @property
    def is_growing(self) -> bool:
        """Whether a worker was asked a moment ago, and may be used soon."""
        return any(time.monotonic() < asked + START_SECONDS for _, asked in list(self._asked.values()))

    def join_all(self, connection: Connection) -> tuple[list[Refusal], list[str]]:
        """Let all workers join that are there now; which were refused, and which have not answered in time."""
        refused = self.join(connection.client, connection.workers())
        silent, since = set(self._asked), time.monotonic()
        while silent and time.monotonic() < since + START_SECONDS:
            time.sleep(POLL_SECONDS)
            refused += self.join(connection.client, connection.workers())
            if silent != self._asked.keys():
                silent, since = set(self._asked), time.monotonic()
        return refused, sorted(silent)

    def join(self, client: Any, threads: dict[str, int]) -> list[Refusal]:
        """Ask workers that were not there before what they are, and let those join that have answered."""
        self._refused &= threads.keys()
        new = threads.keys() - self.workers.keys() - self._asked.keys() - self._refused
        versions = probe.versions() if new else {}
        for address in new:
            future = tasks.submit(client, address, f"intemi-probe-{uuid.uuid4().hex}", probe.answer, versions)
            self._asked[address] = future, time.monotonic()
        refused = []
        for address, (future, _) in list(self._asked.items()):
            if address in threads and not future.done():
                continue
            del self._asked[address]
            if address in threads and future.status not in ("cancelled", "lost"):
                refused += self._accept(address, threads[address], future)
            future.release()
        return refused

    def _accept(self, address: str, threads: int, future: Any) -> list[Refusal]:
        """Let a worker that has answered join, or say what is wrong with it."""
        try:
            facts = future.result(timeout=REPLY_SECONDS)
            differing = probe.differences(facts)
            worker = None if differing else RemoteWorker(address, threads, facts["host"], facts["pid"])
        except TimeoutError:  # the answer is there, but does not get here: it is asked again
            return []
        except Exception as error:  # whatever another version of the package, or of Python, does
            worker, differing = None, [f"it cannot run intemi ({type(error).__name__}: {error})"]
        if worker is None:
            self._refused.add(address)
            return [Refusal(address, ", ".join(differing))]
        self.add(worker)
        return []

    def add(self, worker: RemoteWorker) -> None:
        """Have a worker get batches."""
        with self._lock:
            self.workers[worker.address] = worker
            self._sort(worker)

    def free_worker(self, ahead: bool) -> RemoteWorker | None:
        """A worker that can begin with a batch at once or, if it may be sent ahead, as soon as it is done with one."""
        with self._lock:
            return next(iter(self._idle or (self._busy if ahead else ())), None)

    def add_batch(self, batch: Batch) -> None:
        """A worker gets a batch."""
        with self._lock:
            batch.worker.batches.add(batch)
            self._sort(batch.worker)

    def remove_batch(self, batch: Batch) -> None:
        """A worker is done with a batch."""
        with self._lock:
            batch.worker.batches.discard(batch)
            self._sort(batch.worker)

    def _sort(self, worker: RemoteWorker) -> None:
        """Put a worker behind the others that have room, if it has any."""
        self._idle.pop(worker, None)
        self._busy.pop(worker, None)
        if self.workers.get(worker.address) is worker:
            if len(worker.batches) < worker.threads:
                self._idle[worker] = None
            elif len(worker.batches) == worker.threads:
                self._busy[worker] = None

    def remove(self, worker: RemoteWorker) -> None:
        """Remove a worker; if there still is one at its address, it is asked again."""
        with self._lock:
            if self.workers.get(worker.address) is worker:
                del self.workers[worker.address]
                self._sort(worker)

    def remove_absent(self, present: dict[str, int]) -> list[RemoteWorker]:
        """Remove workers that have left; which these are."""
        with self._lock:
            gone = [worker for address, worker in self.workers.items() if address not in present]
            for worker in gone:
                del self.workers[worker.address]
                self._sort(worker)
        return gone

    def remove_all(self) -> list[RemoteWorker]:
        """Remove all workers, since the scheduler is gone or the cluster is not needed any more; which these are."""
        self._asked.clear()
        self._refused.clear()
        with self._lock:
            workers, self.workers, self._idle, self._busy = list(self.workers.values()), {}, {}, {}
        return workers


def refusals(refused: list[Refusal]) -> list[str]:
    """What is wrong with workers, one message for those that differ in the same way.

    >>> refusals([Refusal("tls://a:1", "numpy 1.26 instead of 2.1"), Refusal("tls://b:1", "numpy 1.26 instead of 2.1")])
    ['2 workers (tls://a:1, tls://b:1) are refused: numpy 1.26 instead of 2.1; install there what is installed here']
    """
    by_reason: dict[str, list[str]] = {}
    for each in refused:
        by_reason.setdefault(each.why, []).append(each.address)
    return [f"{named(those)} refused: {why}; install there what is installed here" for why, those in by_reason.items()]


def silence(addresses: list[str]) -> str:
    """That workers have not answered yet."""
    return (
        f"{named(addresses)} silent: no answer within {START_SECONDS:g} s, because of other work, kernels that are "
        "compiled first, a process that is frozen or a network that is cut; used as soon as an answer comes"
    )


def named(addresses: list[str]) -> str:
    """Workers as the subject of a sentence.

    >>> named(["tls://a:1"])
    'the worker tls://a:1 is'
    """
    if len(addresses) == 1:
        return f"the worker {addresses[0]} is"
    listed = ", ".join(addresses[:MAX_NAMED]) + (", ..." if len(addresses) > MAX_NAMED else "")
    return f"{len(addresses)} workers ({listed}) are"
