"""Short messages to workers: that home is alive, and which leaves to end. A worker that is frozen holds up no other."""

from __future__ import annotations

import threading
import time

from intemi.dask import remote
from intemi.dask.connection import Connection
from intemi.dask.warned import warn
from intemi.dask.workers import RemoteWorker

NOTIFY_SECONDS = 10.0
"""For which a worker may take its time to answer."""


class Notifier:
    """Notifies workers, each on a thread of its own that lives as long as there is something to say."""

    def __init__(self, connection: Connection, lock: threading.RLock, home: str) -> None:
        self._connection, self._lock, self._home = connection, lock, home

    def notify(self, worker: RemoteWorker) -> None:
        """Tell a worker that home is alive, and which of its leaves are not needed any more."""
        with self._lock:
            worker.is_due = True
            if worker.is_notified:
                return
            worker.is_notified = True
        threading.Thread(target=self._notify, args=(worker,), name="intemi dask notifier", daemon=True).start()

    def _notify(self, worker: RemoteWorker) -> None:
        while True:
            with self._lock:
                if not worker.is_due:
                    worker.is_notified = False
                    return
                worker.is_due = False
                calls = [each for batch in worker.batches for each in batch.calls.items()]
            self._send(worker, [number for number, call in calls if call.is_stopped])

    def _send(self, worker: RemoteWorker, stopped: list[int]) -> None:
        try:
            self._connection.run([worker.address], remote.heartbeat, self._home, stopped, seconds=NOTIFY_SECONDS)
            worker.heard = time.monotonic()
        except Exception as error:  # the next heartbeat says the same
            if self._connection.is_running:
                warn(
                    f"the worker {worker.address} on {worker.host} does not answer ({type(error).__name__}: {error}); "
                    "its leaves wait until it does, or until the scheduler gives it up"
                )
