"""The task manager of a dask cluster: leaves run on its workers, and everything else is decided at home.

Dask is used as a pool of workers: no graphs, no priorities, no results that stay on workers. Only as many batches are
out as workers have threads, plus one each if they are brief, so the spooler decides what runs next. A leaf that is lost
with its worker is asked for again.

Calls come in here. `batching` puts them into batches, `sending` sends these, `receiving` takes the answers, and they
are delivered from here. `monitor` looks at the workers meanwhile, and `notifying` talks to them.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from intemi.dask import remote
from intemi.dask.background import Background
from intemi.dask.batching import Batching
from intemi.dask.codec import Codec
from intemi.dask.connection import Connection
from intemi.dask.losses import Losses
from intemi.dask.members import Members, refusals, silence
from intemi.dask.monitor import Monitor
from intemi.dask.notifying import Notifier
from intemi.dask.receiving import Receiver
from intemi.dask.sending import BatchSettings, Sender
from intemi.dask.warned import warn
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.dispatch import Dispatcher

if TYPE_CHECKING:
    pass

LEAVE_SECONDS = 2.0
"""For which workers are waited for, to end what they run, when the last project has left."""


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
        self._lock = threading.RLock()
        """Workers come and go, and batches are given to them, under this lock."""
        self._home = home = uuid.uuid4().hex[:16]
        self._connection = Connection(on, security, insecure, remote.topic_of(home), self._report_usage)
        self._members = Members(self._lock)
        self._senders, self._receivers = Background("sender"), Background("receiver")
        self._losses = Losses()
        codec = Codec(trusted)
        self._batching = Batching(self._lock, self._members, self._losses, self._send)
        self._sender = Sender(
            self._connection,
            self._lock,
            self._senders,
            codec,
            BatchSettings(home, trusted, memory),
            receive=self._receive,
            lose=self._lose,
            give_up=self._give_up,
            drop=self._drop,
            deliver=self.deliver,
        )
        self._receiver = Receiver(
            self._batching,
            self._losses,
            codec,
            memory,
            deliver=self._deliver_batch,
            lose=self._lose,
            give_up=self._give_up,
            send=self._sender.send,
        )
        self._notifier = Notifier(self._connection, self._lock, home)
        self._monitor = Monitor(self._connection, self._members, self._notifier, self._lose, self._use_workers)

    @property
    def places(self) -> list[str]:
        """Host and process of each worker that can be used now."""
        with self._lock:
            return [worker.place for worker in self._members.workers.values()]

    # It gets ready, and goes

    def prepare(self) -> None:
        if self._connection.is_open:
            return
        try:
            self._connection.open()
            self._let_join()
        except OSError as error:
            self._disconnect()
            raise ConfigurationError(f"{self!r}: the cluster does not answer ({error})") from error
        except BaseException:
            self._disconnect()
            raise
        self._senders.start()
        self._receivers.start()
        self._monitor.start()

    def _let_join(self) -> None:
        """Use the workers that there are; refuse a cluster of which none can be used."""
        refused, silent = self._members.join_all(self._connection)
        said = refusals(refused)
        if refused and not silent and not self._members.workers:
            raise ConfigurationError(
                f"DaskWorkers: no worker at {self._connection.address} can be used: {'; '.join(said)}"
            )
        for each in said:
            warn(f"{each}; the others are used" if self._members.workers else each)
        if silent:
            warn(silence(silent))
        self._count_workers()

    def rest(self) -> None:
        self._monitor.stop()
        self._leave_workers()
        self._senders.close()
        self._receivers.close()
        self._disconnect()

    def _leave_workers(self) -> None:
        """Have workers end what they still run for this home: it was aborted, and is not waited for."""
        busy = [worker.address for worker in self._members.all() if worker.batches]
        self._drop_batches()
        if busy:
            with suppress(Exception):  # one that does not answer ends them when heartbeats stay away
                self._connection.run(busy, remote.leave, self._home, seconds=LEAVE_SECONDS)

    def _drop_batches(self) -> None:
        """Nothing is waited for any more."""
        with self._lock:
            batches = [batch for worker in self._members.remove_all() for batch in worker.batches]
            self._batching.clear()
        for batch in batches:
            batch.is_over = True
            if batch.future is not None:
                batch.future.release()

    def _disconnect(self) -> None:
        self._drop_batches()
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
        self._receivers.submit(self._stop, call)

    def _stop(self, call: Call) -> None:
        worker = self._batching.worker_of(call)
        self.deliver([Outcome(call, Stopped())])
        if worker is not None:  # the batch may be on its way still: then the worker remembers
            self._notifier.notify(worker)

    # Batches go out, and come home

    def _send(self, batch: Batch) -> None:
        self._sender.send(batch)

    def _receive(self, batch: Batch, future: Any) -> None:
        self._receivers.submit(self._receiver.receive, batch, future)

    def _drop(self, batch: Batch) -> None:
        """Nothing of a batch was left to send: there is room for another."""
        self._batching.close(batch)
        self.look_again()

    def _lose(self, batch: Batch, why: str, is_counted: bool) -> None:
        """A batch will not come home."""
        if not self._batching.close(batch):
            return
        if batch.future is not None:
            batch.future.release()
        calls = list(batch.calls.values())
        self._deliver_batch(
            [self._losses.count(call, batch.worker, why) if is_counted else Outcome(call, Stopped()) for call in calls]
        )

    def _give_up(self, worker: RemoteWorker, why: str, is_counted: bool) -> None:
        """Nothing will come home from a worker; it is asked what it is before it gets another leaf."""
        self._members.remove(worker)
        for batch in list(worker.batches):
            self._lose(batch, why, is_counted)

    def _deliver_batch(self, outcomes: Sequence[Outcome]) -> None:
        self.deliver(outcomes)
        self.look_again()

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        self._batching.forget([outcome.call for outcome in outcomes])
        super().deliver(outcomes)

    def _report_usage(self, event: Any) -> None:
        """A worker reports what a leaf with limits uses."""
        _, (number, cpu, memory) = event
        call = self._batching.numbered(number)
        if call is not None:
            self._receivers.submit(call.report_usage, cpu, memory)

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
