"""The task manager of a dask cluster: leaves run on its workers, and everything else is decided at home.

Dask is used as a pool of workers: no graphs, no priorities, no results that stay on workers. Only as many batches are
out as workers have threads, plus one each if they are brief, so the spooler decides what runs next. A leaf that is lost
with its worker is asked for again.

Calls come in here. `batching` puts them into batches, `sending` sends these, `receiving` takes the answers, and they
are delivered from here. `monitor` looks at the workers meanwhile.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from intemi.dask import remote
from intemi.dask.background import Background
from intemi.dask.batching import Batching
from intemi.dask.codec import Codec
from intemi.dask.connection import Connection
from intemi.dask.losses import Losses
from intemi.dask.members import Members
from intemi.dask.monitor import Monitor
from intemi.dask.receiving import Receiver
from intemi.dask.sending import Sender
from intemi.dask.warned import warn
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.dispatch import Dispatcher, Outcome
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.managers import Call, Stopped

LEAVE_SECONDS = 2.0
"""For which workers are waited for when the last project has left."""


class DaskWorkers(Dispatcher):
    """Runs leaves on the workers of a dask cluster, and composites on a thread of this process.

    `on` is the address of a scheduler, a `distributed.Client`, or a cluster such as `LocalCluster`. Workers may come
    and go. A connection that is neither encrypted nor local needs `insecure`. Each worker process keeps up to `memory`
    bytes of contents. Values without a safe encoding travel only if the cluster is `trusted`: they are pickled.

    >>> DaskWorkers("tls://head:8786")
    DaskWorkers('tls://head:8786')
    """

    isolates = True

    def __init__(
        self, on: Any, *, security: Any = None, insecure: bool = False, trusted: bool = False, memory: int = 2**30
    ) -> None:
        super().__init__()
        if type(memory) is not int or memory < 1:
            raise ConfigurationError(f"DaskWorkers: memory must be a number of bytes, got {memory!r}")
        self._preparing = threading.Lock()
        self._lock = threading.RLock()
        """Workers come and go, and batches are given to them, under this lock."""
        home = uuid.uuid4().hex[:16]
        self._home = home
        self._connection = Connection(on, security, insecure, remote.topic_of(home), self._report_usage)
        self._members = Members(self._lock)
        self._traffic = Background(self._fail)
        """Sends batches and receives answers."""
        self._messages = Background(self._fail)
        """Sends short messages to workers; one that is frozen lets it wait."""
        codec, losses = Codec(trusted), Losses()
        self._losses = losses
        self._batching = Batching(self._lock, self._members, losses, self._send)
        self._receiver = Receiver(
            self._batching,
            losses,
            codec,
            memory,
            self._deliver_batch,
            self._lose,
            lambda batch: self._sender.send(batch),
        )
        self._sender = Sender(
            self._connection, codec, home, trusted, memory, self._receive, self._batching.close, self.deliver
        )
        self._monitor = Monitor(
            self._connection, self._members, self._lock, home, self._messages, self._lose, self._use_workers
        )

    @property
    def places(self) -> list[str]:
        """Host and process of each worker that can be used now."""
        with self._lock:
            return [worker.place for worker in self._members.workers.values()]

    # It gets ready, and goes

    def prepare(self) -> None:
        with self._preparing:
            if self._connection.is_open:
                return
            try:
                self._connection.open()
                refused = self._members.join_all(self._connection.client)
                if refused:
                    raise ConfigurationError("DaskWorkers: " + "; ".join(refused))
                self._count_workers()
            except BaseException:
                self._disconnect()
                raise
            self._traffic.start()
            self._messages.start()
            self._monitor.start()

    def rest(self) -> None:
        with self._preparing:
            self._monitor.stop()
            leaving = self._messages.submit(self._leave_workers)
            if leaving is not None:
                with suppress(Exception):  # a worker may not answer any more
                    leaving.result(timeout=LEAVE_SECONDS)
            self._messages.close()
            self._traffic.close()
            self._disconnect()

    def _leave_workers(self) -> None:
        """Have workers end what they still run for this home: it was aborted, and is not waited for."""
        with self._lock:
            busy = [worker for worker in self._members.workers.values() if worker.batches]
            futures = [batch.future for worker in busy for batch in worker.batches if batch.future]
        if busy:
            client, addresses = self._connection.client, [worker.address for worker in busy]
            client.cancel(futures)
            client.run(remote.leave, self._home, workers=addresses, on_error="ignore")

    def _disconnect(self) -> None:
        self._members.remove_all()
        self._batching.clear()
        self._connection.close()

    # Calls come in, on the thread of a project

    @property
    def has_room(self) -> bool:
        return self._batching.has_room

    def submit(self, call: Call) -> None:
        self._batching.add(call)

    def flush(self) -> None:
        self._batching.flush()

    def stop(self, call: Call) -> None:
        self._traffic.submit(self._stop, call)

    def _stop(self, call: Call) -> None:
        place = self._batching.place_of(call)
        self.deliver([Outcome(call, Stopped())])
        if place is not None:  # the batch may be on its way still: then the worker remembers
            batch, number = place
            self._messages.submit(self._stop_there, batch.worker, number)

    def _stop_there(self, worker: RemoteWorker, number: int) -> None:
        client = self._connection.client
        client.run(remote.stop, self._home, [number], workers=[worker.address], on_error="ignore")

    # Batches go out, and come home

    def _send(self, batch: Batch) -> None:
        self._traffic.submit(self._sender.send, batch)

    def _receive(self, batch: Batch, future: Any) -> None:
        self._traffic.submit(self._receiver.receive, batch, future)

    def _fail(self, error: Exception, *arguments: Any) -> None:
        """Something that was done in the background has failed."""
        if arguments and isinstance(arguments[0], Batch):
            self._lose(arguments[0], f"{type(error).__name__}: {error}", is_counted=False)
        elif not self._monitor.is_over:
            warn(f"{self!r}: a message to a worker was lost ({type(error).__name__}: {error})")

    def _lose(self, batch: Batch, why: str, is_counted: bool) -> None:
        """A batch will not come home."""
        if not self._batching.close(batch):
            return
        if batch.future is not None:
            with suppress(Exception):  # nor will an answer to this, perhaps
                batch.future.cancel()
        calls = list(batch.calls.values())
        self._deliver_batch(
            [self._losses.count(call, batch.worker, why) if is_counted else Outcome(call, Stopped()) for call in calls]
        )

    def _deliver_batch(self, outcomes: Sequence[Outcome]) -> None:
        self.deliver(outcomes)
        self.look_again()

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        self._batching.forget([outcome.call for outcome in outcomes])
        super().deliver(outcomes)

    def _report_usage(self, event: Any) -> None:
        """A worker reports what a leaf with limits uses."""
        _, (number, cpu, memory) = event
        for call in self._batching.numbered(number):
            self._traffic.submit(call.report_usage, cpu, memory)

    # Workers come and go

    def _use_workers(self) -> None:
        """Use the workers that there are now. Without any, calls that wait are for other managers."""
        self._count_workers()
        self.deliver([Outcome(call, Stopped()) for call in self._batching.place_waiting()])
        self.look_again()

    def _count_workers(self) -> None:
        self.workers = max(1, self._members.threads)

    def __repr__(self) -> str:
        return f"DaskWorkers({self._connection.on!r})"
