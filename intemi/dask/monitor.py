"""A look at the cluster now and then: who has come or gone, the scheduler perhaps; and heartbeats to workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from intemi.dask import remote
from intemi.dask.background import Background
from intemi.dask.connection import Connection
from intemi.dask.members import Members
from intemi.dask.warned import warn
from intemi.dask.workers import Batch, RemoteWorker

LOOK_SECONDS = 0.5
"""Between two looks at the workers of the cluster."""
HEARTBEAT_SECONDS = 4.0
"""Between two heartbeats from home to workers."""


class Monitor:
    """A thread that keeps the members of a cluster up to date.

    `lose` gets batches that do not come home any more (with why, and whether that counts), and `look_again` is called
    after each look, since there may be room for calls now.
    """

    def __init__(
        self,
        connection: Connection,
        members: Members,
        lock: threading.RLock,
        home: str,
        messages: Background,
        lose: Callable[[Batch, str, bool], None],
        look_again: Callable[[], None],
    ) -> None:
        self._connection, self._members, self._lock, self._home = connection, members, lock, home
        self._messages, self._lose, self._look_again = messages, lose, look_again
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()

    def start(self) -> None:
        """Begin to look."""
        self._is_over.clear()
        self._thread = threading.Thread(target=self._watch, name="intemi dask monitor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @property
    def is_over(self) -> bool:
        """Whether the last project has left, or is about to."""
        return self._is_over.is_set()

    def _watch(self) -> None:
        while not self._is_over.wait(LOOK_SECONDS):
            try:
                if self._connection.is_running:
                    self._look()
                else:
                    self._wait_for_scheduler()
            except Exception as error:  # the connection is lost just now: the next look says so
                if self._connection.is_running:
                    warn(f"the cluster cannot be looked at ({type(error).__name__}: {error})")

    def _look(self) -> None:
        client = self._connection.client
        threads = client.nthreads()
        self._lose_all_of(self._members.remove_absent(threads), "its worker left the cluster", is_counted=True)
        for each in self._members.join(client, threads):
            warn(each)
        self._look_again()
        self._send_heartbeats()

    def _wait_for_scheduler(self) -> None:
        """The scheduler is gone: what was out is queued again, and the connection made anew when there is one."""
        workers = self._members.remove_all()
        self._look_again()
        lost = self._lose_all_of(workers, "the scheduler is gone", is_counted=False)
        if workers:
            warn(
                f"the scheduler of {self._connection!r} is gone; {lost} leaves are queued again, for other workers of "
                "the project or until the scheduler is back"
            )
        self._connection.reopen()

    def _lose_all_of(self, workers: Sequence[RemoteWorker], why: str, is_counted: bool) -> int:
        """Nothing comes home from these workers any more; how many leaves they had."""
        lost = [batch for worker in workers for batch in list(worker.batches)]
        for batch in lost:
            self._lose(batch, why, is_counted)
        return sum(len(batch.calls) for batch in lost)

    def _send_heartbeats(self) -> None:
        """To workers that have not heard of home for a while; each batch is a heartbeat, too."""
        before = time.monotonic() - HEARTBEAT_SECONDS
        with self._lock:
            due = [worker for worker in self._members.workers.values() if worker.batches and worker.heard < before]
        for worker in due:
            if not worker.is_asked:  # one that is frozen does not answer
                worker.is_asked = True
                self._messages.submit(self._send_heartbeat, worker)

    def _send_heartbeat(self, worker: RemoteWorker) -> None:
        try:
            with self._lock:
                calls = [each for batch in worker.batches for each in batch.calls.items()]
            stopped = [number for number, call in calls if call.is_stopped]
            self._connection.client.run(
                remote.heartbeat, self._home, stopped, workers=[worker.address], on_error="ignore"
            )
            worker.heard = time.monotonic()
        finally:
            worker.is_asked = False
