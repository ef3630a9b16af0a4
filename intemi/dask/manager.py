"""The task manager of a dask cluster: leaves run on its workers, and everything else is decided by the client.

Dask is used as a pool of workers: no graphs, no priorities, no results that stay on workers. `membership` is which
workers there are, `batches` what each of them gets, and `exchange` how it gets that and answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intemi.dask.batches import Batches, RemoteWorker
from intemi.dask.exchange import Exchange
from intemi.dask.membership import Membership
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.dispatch import Dispatcher


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
        self._batches = Batches()
        self._membership = Membership(on, security, insecure, memory, self)
        self._exchange = Exchange(self._batches, self._membership, trusted, memory, self._deliver_some)

    @property
    def places(self) -> list[str]:
        """Host and process of each worker that can be used now."""
        return [worker.place for worker in self._batches.workers]

    # What the project calls

    def prepare(self) -> None:
        if not self._membership.is_open:
            self._exchange.open()
            try:
                self._membership.open()
            except BaseException:
                self.rest()
                raise

    def rest(self) -> None:
        self._exchange.drop_all()
        self._membership.close()
        self._exchange.close()

    @property
    def has_room(self) -> bool:
        return self._batches.has_room

    def submit(self, call: Call) -> None:
        self._batches.add(call)
        self._exchange.send_ready()

    def flush(self) -> None:
        self._batches.flush()
        self._exchange.send_ready()

    def stop(self, call: Call) -> None:
        self._exchange.stop(call)

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        self._batches.forget(outcome.call for outcome in outcomes)
        super().deliver(outcomes)

    def _deliver_some(self, outcomes: Sequence[Outcome]) -> None:
        self._exchange.send_ready()  # there may be room for calls that wait here
        self.deliver(outcomes)
        self.look_again()

    # What the membership reports

    def join(self, worker: RemoteWorker) -> None:
        """A worker can be used."""
        former = self._batches.worker_at(worker.address)
        if former is not None:
            self._exchange.lose_worker(former, "its worker was started again", is_counted=True)
        self._batches.add_worker(worker)
        self._count_workers()

    def leave(self, address: str) -> None:
        """A worker has left."""
        worker = self._batches.worker_at(address)
        if worker is not None:
            self._exchange.lose_worker(worker, "its worker left the cluster", is_counted=True)
        self._count_workers()

    def lose_scheduler(self) -> int:
        """The connection is lost: all that is out is queued again; the number of leaves."""
        workers = self._batches.workers
        lost = sum(self._exchange.lose_worker(each, "the scheduler is gone", is_counted=False) for each in workers)
        self._count_workers()
        return lost

    def report_usage(self, number: int, cpu: float, memory: int) -> None:
        """What a leaf with limits uses."""
        call = self._batches.numbered(number)
        if call is not None:
            self._exchange.submit("control", call.report_usage, cpu, memory)

    def _count_workers(self) -> None:
        """Use the workers that there are now. Without any, calls that wait are for other managers."""
        self.workers = max(1, sum(worker.threads for worker in self._batches.workers))
        self._deliver_some([Outcome(call, Stopped()) for call in self._batches.returned()])

    def __repr__(self) -> str:
        return f"DaskWorkers({self._membership.on!r})"
