"""A look at the cluster now and then: who has come or gone, the scheduler perhaps; and heartbeats to workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from intemi.dask.connection import Connection
from intemi.dask.members import Members, refusals
from intemi.dask.notifying import Notifier
from intemi.dask.warned import warn
from intemi.dask.workers import Batch, RemoteWorker

LOOK_SECONDS = 0.5
"""Between two looks at the workers of the cluster."""
HEARTBEAT_SECONDS = 4.0
"""Between two heartbeats from home to workers."""
STOP_SECONDS = 2.0
"""For which a look that is under way is waited for, when the last project has left."""


class Monitor:
    """A thread that keeps the members of a cluster up to date.

    `lose` gets batches that do not come home any more (with why, and whether that counts), and `look_again` is called
    after each look, since there may be room for calls now.
    """

    def __init__(
        self,
        connection: Connection,
        members: Members,
        notifier: Notifier,
        lose: Callable[[Batch, str, bool], None],
        look_again: Callable[[], None],
    ) -> None:
        self._connection, self._members, self._notifier = connection, members, notifier
        self._lose, self._look_again = lose, look_again
        self._threads: list[threading.Thread] = []
        self._is_over = threading.Event()
        self._is_empty = False
        """Whether it was said that there are no workers."""

    def start(self) -> None:
        """Begin to look."""
        self._is_over, self._is_empty = threading.Event(), False
        for task in (self._watch, self._send_heartbeats):
            thread = threading.Thread(target=task, args=(self._is_over,), name="intemi dask monitor", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Look no more. A look that is under way is waited for, unless the scheduler does not answer."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(STOP_SECONDS)
        self._threads = []

    def _watch(self, is_over: threading.Event) -> None:
        while not is_over.wait(LOOK_SECONDS):
            try:
                if self._connection.is_running:
                    self._look()
                else:
                    self._wait_for_scheduler()
            except Exception as error:  # the connection is lost just now: the next look says so
                if self._connection.is_running:
                    warn(f"the cluster cannot be looked at ({type(error).__name__}: {error})")

    def _look(self) -> None:
        threads = self._connection.workers()
        self._lose_all_of(self._members.remove_absent(threads), "its worker left the cluster", is_counted=True)
        for each in refusals(self._members.join(self._connection.client, threads)):
            warn(each)
        self._look_again()
        self._say_if_empty()

    def _say_if_empty(self) -> None:
        is_empty, was_empty = not self._members.workers and not self._members.is_growing, self._is_empty
        self._is_empty = is_empty
        if is_empty and not was_empty:
            warn(
                f"the cluster at {self._connection.address} has no workers that can be used now; leaves wait until one "
                "joins, if no other task manager of the project runs them"
            )

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

    def _send_heartbeats(self, is_over: threading.Event) -> None:
        """To workers that have not heard of home for a while; each batch is a heartbeat, too.

        A look may wait for a worker that does not answer. Heartbeats must not: without them workers end their leaves.
        """
        while not is_over.wait(LOOK_SECONDS):
            before = time.monotonic() - HEARTBEAT_SECONDS
            for worker in self._members.all():
                if worker.batches and worker.heard < before and not worker.is_notified:
                    self._notifier.notify(worker)
