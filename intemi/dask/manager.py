"""The task manager of a dask cluster: leaves run on its workers, and everything else is decided at home.

Dask is used as a pool of workers: no graphs, no priorities, no results that stay on workers. Only as many batches are
out as workers have threads, plus one each if they are brief, so the spooler decides what runs next. A leaf that is lost
with its worker is asked for again.
"""

from __future__ import annotations

import threading
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import Any

from intemi.dask import remote, wire
from intemi.dask.answers import Lost, outcome_of
from intemi.dask.codec import Codec
from intemi.dask.connection import connect
from intemi.dask.members import Members
from intemi.dask.wire import Answer, BatchMessage, Leaf, Ran
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.dispatch import Dispatcher, Outcome
from intemi.kernel.errors import ConfigurationError, WorkerEnded
from intemi.kernel.machine import Machine, Model
from intemi.kernel.managers import Call, Stopped

BATCH_SECONDS = 0.05
"""What the leaves of a batch are expected to take together."""
MAX_BATCH = 64
"""Leaves in a batch."""
BRIEF_SECONDS = 1.0
"""Batches that are expected to take less are sent ahead, one to each worker."""
MAX_INLINE_BYTES = 2**20
"""Contents that travel with a batch; larger ones travel before it, in pieces."""
PIECE_BYTES = 2**25
LOOK_SECONDS = 0.5
"""Between two looks at the workers of the cluster."""
HEARTBEAT_SECONDS = 4.0
"""Between two heartbeats from home to workers."""
LEAVE_SECONDS = 2.0
"""For which workers are waited for when the last project has left."""
MAX_CONNECTIONS = 16
"""Threads that talk to the cluster; they mostly wait for it."""
MAX_LOSSES = 3
"""A leaf that was lost so often has failed."""
MAX_SENDINGS = 5
"""A batch that was sent so often, because its worker lacked something, is lost."""


class ClusterWarning(UserWarning):
    """A cluster, or one of its workers, cannot be used."""


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
        self._on = on
        self._security, self._insecure, self._trusted, self._memory = security, insecure, trusted, memory
        self._preparing = threading.Lock()
        self._lock = threading.RLock()
        self._home = uuid.uuid4().hex[:16]
        self._numbers = count()
        self._codec = Codec(trusted)
        self._members = Members(self._lock)
        self._open_batch: Batch | None = None
        self._waiting: deque[Call] = deque()
        """Calls for which there is no room yet: few, since it is asked for before they come."""
        self._sent_to: dict[Call, tuple[Batch, int]] = {}
        self._usual: dict[type[Machine], float] = {}
        self._losses: Counter[bytes] = Counter()
        self._client: Any = None
        self._is_ours = False
        self._address = ""
        """Of the scheduler, to connect again; a client that is closed does not know it."""
        self._traffic: ThreadPoolExecutor | None = None
        """Sends batches and receives answers."""
        self._signals: ThreadPoolExecutor | None = None
        """Sends short messages to workers; one that is frozen lets it wait."""
        self._keeper: threading.Thread | None = None
        self._is_resting = threading.Event()

    @property
    def places(self) -> list[str]:
        """Host and process of each worker that can be used now."""
        with self._lock:
            return [worker.place for worker in self._members.workers.values()]

    # Connecting

    def prepare(self) -> None:
        with self._preparing:
            if self._client is not None:
                return
            self._client, self._is_ours = connect(self._on, self._security, self._insecure)
            self._address = self._client.scheduler.address
            try:
                self._client.subscribe_topic(remote.topic_of(self._home), self._report_usage)
                refused = self._members.join_all(self._client)
                if refused:
                    raise ConfigurationError("DaskWorkers: " + "; ".join(refused))
                self._count_workers()
            except BaseException:
                self._disconnect()
                raise
            self._is_resting.clear()
            self._traffic = ThreadPoolExecutor(MAX_CONNECTIONS, thread_name_prefix="intemi dask")
            self._signals = ThreadPoolExecutor(MAX_CONNECTIONS, thread_name_prefix="intemi dask")
            self._keeper = threading.Thread(target=self._keep, name="intemi dask keeper", daemon=True)
            self._keeper.start()

    def rest(self) -> None:
        with self._preparing:
            self._is_resting.set()
            if self._keeper is not None:
                self._keeper.join()
                self._keeper = None
            if self._signals is not None and self._traffic is not None:
                with suppress(Exception):  # a worker may not answer any more
                    self._signals.submit(self._leave_workers).result(timeout=LEAVE_SECONDS)
                self._signals.shutdown(wait=False, cancel_futures=True)
                self._traffic.shutdown(wait=False, cancel_futures=True)
                self._signals = self._traffic = None
            self._disconnect()

    def _leave_workers(self) -> None:
        """Have workers end what they still run for this home: it was aborted, and is not waited for."""
        with self._lock:
            busy = [worker.address for worker in self._members.workers.values() if worker.batches]
            futures = [
                each.future for worker in self._members.workers.values() for each in worker.batches if each.future
            ]
        if busy:
            self._client.cancel(futures)
            self._client.run(remote.leave, self._home, workers=busy, on_error="ignore")

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        self._members.remove_all()
        with self._lock:
            self._waiting.clear()
            self._sent_to.clear()
        if client is not None:
            with suppress(Exception):  # the scheduler may be gone
                client.unsubscribe_topic(remote.topic_of(self._home))
            if self._is_ours:
                with suppress(Exception):
                    client.close(timeout=2)

    # Calls come in, on the thread of a project

    @property
    def has_room(self) -> bool:
        with self._lock:
            return not self._waiting and (self._open_batch is not None or self._free_worker() is not None)

    def _free_worker(self) -> RemoteWorker | None:
        """The worker that has most room, if there is one."""
        workers = self._members.workers.values()
        longest = max((batch.expected for worker in workers for batch in worker.batches), default=0.0)
        ahead = 0 if longest > BRIEF_SECONDS else 1
        best = max(workers, key=lambda worker: worker.threads - len(worker.batches), default=None)
        return None if best is None or len(best.batches) >= best.threads + ahead else best

    def submit(self, call: Call) -> None:
        with self._lock:
            self._waiting.append(call)
            self._load()

    def _load(self) -> None:
        """Put calls that wait for room into batches, as long as there is room."""
        while self._waiting:
            call = self._waiting[0]
            expected = self._usual.get(type(call.config))
            is_alone = expected is None or call.is_watched or call.machine in self._losses
            if is_alone:
                self.flush()
            batch = self._open_batch
            if batch is None:
                worker = self._free_worker()
                if worker is None:
                    return
                batch = self._open_batch = Batch(worker)
                worker.batches.add(batch)
            self._waiting.popleft()
            number = next(self._numbers)
            batch.calls[number] = call
            batch.expected += 2 * BRIEF_SECONDS if expected is None else expected
            self._sent_to[call] = batch, number
            if is_alone or batch.expected >= BATCH_SECONDS or len(batch.calls) >= MAX_BATCH:
                self.flush()

    def flush(self) -> None:
        with self._lock:
            batch, self._open_batch = self._open_batch, None
            if batch is not None:
                self._in_background(self._send, batch)

    def stop(self, call: Call) -> None:
        self._in_background(self._stop, call)

    def _stop(self, call: Call) -> None:
        with self._lock:
            batch, number = self._sent_to.get(call, (None, 0))
        self.deliver([Outcome(call, Stopped())])
        if batch is not None:  # the batch may be on its way still: then the worker remembers
            self._signal(self._stop_there, batch.worker, number)

    def _stop_there(self, worker: RemoteWorker, number: int) -> None:
        self._client.run(remote.stop, self._home, [number], workers=[worker.address], on_error="ignore")

    def _in_background(self, action: Any, *arguments: Any) -> None:
        if self._traffic is not None:
            self._traffic.submit(self._guarded, action, *arguments)

    def _signal(self, action: Any, *arguments: Any) -> None:
        if self._signals is not None:
            self._signals.submit(self._guarded, action, *arguments)

    def _guarded(self, action: Any, *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:
            if arguments and isinstance(arguments[0], Batch):
                self._lose(arguments[0], f"{type(error).__name__}: {error}", is_counted=False)
            elif not self._is_resting.is_set():
                _warn(f"{self!r}: a message to a worker was lost ({type(error).__name__}: {error})")

    # Batches go out

    def _send(self, batch: Batch) -> None:
        worker, contents = batch.worker, dict[bytes, bytes]()
        with worker.sending:
            leaves = self._leaves(batch, contents)
            self._send_large(worker, contents)
            worker.hold(contents)
        if not leaves:
            self._close_batch(batch)
            return
        message = wire.sealed(
            BatchMessage(self._home, tuple(map(tuple, leaves)), contents, self._trusted, self._memory)
        )
        worker.heard = time.monotonic()
        batch.future = self._client.submit(
            remote.run_batch,
            message,
            key=f"intemi-{self._home}-{batch.number}-{uuid.uuid4().hex[:8]}",
            workers=[worker.address],
            allow_other_workers=False,
            retries=0,
        )
        batch.future.add_done_callback(lambda future: self._in_background(self._receive, batch, future))
        if batch.is_over:  # its worker left meanwhile
            batch.future.cancel()

    def _leaves(self, batch: Batch, contents: dict[bytes, bytes]) -> list[Leaf]:
        leaves = []
        for number, call in list(batch.calls.items()):
            try:
                if call.is_stopped:
                    raise Stopped
                leaves.append(self._codec.leaf(number, call, batch.worker.lacks, contents))
            except Exception as error:  # an input cannot be loaded, or cannot travel
                del batch.calls[number]
                self.deliver([Outcome(call, error)])
        return leaves

    def _send_large(self, worker: RemoteWorker, contents: dict[bytes, bytes]) -> None:
        """Send large contents ahead, in pieces; they are taken out of what travels with the batch."""
        inline = 0
        for name, content in sorted(contents.items(), key=lambda each: len(each[1])):
            inline += len(content)
            if inline <= MAX_INLINE_BYTES:
                continue
            for at in range(0, len(content), PIECE_BYTES):
                piece = content[at : at + PIECE_BYTES]
                self._client.run(
                    remote.add_piece, name, at, piece, len(content), self._memory, workers=[worker.address]
                )
            worker.hold([name])
            del contents[name]

    # Answers come home

    def _receive(self, batch: Batch, future: Any) -> None:
        if batch.is_over or future is not batch.future:
            return
        try:
            if future.status != "finished":
                error = future.exception(timeout=5) if future.status == "error" else future.status
                self._lose(batch, f"the batch came to nothing ({error})", is_counted=future.status == "error")
                return
            answer = wire.unsealed(Answer, future.result(timeout=60))
            ran = {each.number: each for each in (Ran(*each) for each in answer.ran)}
        except Exception as error:
            self._lose(batch, f"its answer cannot be used ({error})", is_counted=True)
            return
        finally:
            future.release()
        if answer.error:
            self._lose(batch, answer.error, is_counted=True)
        elif answer.lacking:
            self._send_again(batch, answer.lacking)
        else:
            self._deliver_batch(batch, answer, ran)

    def _send_again(self, batch: Batch, lacking: Sequence[bytes]) -> None:
        """Send a batch with contents that its worker has dropped meanwhile."""
        batch.sendings += 1
        if batch.sendings >= MAX_SENDINGS:
            why = f"its worker cannot keep what the batch needs in {self._memory} bytes; give DaskWorkers more memory"
            self._lose(batch, why, is_counted=True)
            return
        batch.worker.release(lacking)
        self._send(batch)

    def _deliver_batch(self, batch: Batch, answer: Answer, ran: dict[int, Ran]) -> None:
        """Deliver the leaves that have run; those that have not go to the next batch."""
        late = [call for number, call in batch.calls.items() if number in ran and ran[number].status == wire.NOT_BEGUN]
        outcomes = [
            self._outcome(call, batch.worker, answer, ran.get(number))
            for number, call in batch.calls.items()
            if call not in late
        ]
        if self._close_batch(batch, late):
            self.deliver(outcomes)
        self.look_again()

    def _outcome(self, call: Call, worker: RemoteWorker, answer: Answer, ran: Ran | None) -> Outcome:
        try:
            outcome = outcome_of(call, worker, answer, ran, self._codec)
        except Lost as error:
            return self._lost(call, worker, str(error))
        if not isinstance(outcome.answer, Stopped):
            self._losses.pop(call.machine, None)
        if isinstance(outcome.answer, Model):
            self._note(call, outcome.wall)
            call.report_usage(outcome.cpu, 0)
        return outcome

    def _note(self, call: Call, wall: float) -> None:
        kind = type(call.config)
        known = self._usual.get(kind)
        self._usual[kind] = wall if known is None else (known + wall) / 2

    def _report_usage(self, event: Any) -> None:
        """A worker reports what a leaf with limits uses."""
        _, (number, cpu, memory) = event
        with self._lock:
            found = [call for call, (_, known) in self._sent_to.items() if known == number]
        for call in found:
            self._in_background(call.report_usage, cpu, memory)

    def deliver(self, outcomes: Sequence[Outcome]) -> None:
        with self._lock:
            for outcome in outcomes:
                self._sent_to.pop(outcome.call, None)
        super().deliver(outcomes)

    # Workers come and go

    def _keep(self) -> None:
        """Look at the cluster now and then, until the last project has left."""
        while not self._is_resting.wait(LOOK_SECONDS):
            try:
                if self._client.status != "running":
                    self._wait_for_scheduler()
                    continue
                threads = self._client.nthreads()
                self._lose_all_of(self._members.remove_absent(threads), "its worker left the cluster", is_counted=True)
                for each in self._members.join(self._client, threads):
                    _warn(each)
                self._count_workers()
                self._place_waiting()
                self._send_heartbeats()
                self.look_again()
            except Exception as error:  # the connection is lost just now: the next look says so
                if self._client.status == "running":
                    _warn(f"the cluster cannot be looked at ({type(error).__name__}: {error})")

    def _send_heartbeats(self) -> None:
        """To workers that have not heard of home for a while; each batch is a heartbeat, too."""
        before = time.monotonic() - HEARTBEAT_SECONDS
        with self._lock:
            due = [worker for worker in self._members.workers.values() if worker.batches and worker.heard < before]
        for worker in due:
            if not worker.is_asked:  # one that is frozen does not answer
                worker.is_asked = True
                self._signal(self._send_heartbeat, worker)

    def _send_heartbeat(self, worker: RemoteWorker) -> None:
        try:
            with self._lock:
                calls = [each for batch in worker.batches for each in batch.calls.items()]
            stopped = [number for number, call in calls if call.is_stopped]
            self._client.run(remote.heartbeat, self._home, stopped, workers=[worker.address], on_error="ignore")
            worker.heard = time.monotonic()
        finally:
            worker.is_asked = False

    def _count_workers(self) -> None:
        self.workers = max(1, self._members.threads)

    def _lose_all_of(self, workers: list[RemoteWorker], why: str, is_counted: bool) -> int:
        """Nothing comes home from these workers any more; how many leaves they had."""
        lost = [batch for worker in workers for batch in list(worker.batches)]
        for batch in lost:
            self._lose(batch, why, is_counted)
        return sum(len(batch.calls) for batch in lost)

    def _place_waiting(self) -> None:
        """Send calls that wait to workers that are new. Without workers, they are for other managers."""
        returned: list[Call] = []
        with self._lock:
            if self._members.workers:
                self._load()
                self.flush()
            else:
                returned.extend(self._waiting)
                self._waiting.clear()
        self.deliver([Outcome(call, Stopped()) for call in returned])

    def _wait_for_scheduler(self) -> None:
        """The scheduler is gone: what was out is queued again, and the connection made anew when there is one."""
        workers = self._members.remove_all()
        self._place_waiting()
        lost = self._lose_all_of(workers, "the scheduler is gone", is_counted=False)
        if workers:
            _warn(
                f"the scheduler of {self!r} is gone; {lost} leaves are queued again, for other workers of the project "
                "or until the scheduler is back"
            )
        if self._client.status == "closed":
            with suppress(ConfigurationError):
                self._client, self._is_ours = connect(self._address, self._client.security, self._insecure)
                self._client.subscribe_topic(remote.topic_of(self._home), self._report_usage)

    def _lose(self, batch: Batch, why: str, is_counted: bool) -> None:
        """A batch will not come home."""
        if not self._close_batch(batch):
            return
        if batch.future is not None:
            with suppress(Exception):  # nor will an answer to this, perhaps
                batch.future.cancel()
        calls = list(batch.calls.values())
        self.deliver(
            [self._lost(call, batch.worker, why) if is_counted else Outcome(call, Stopped()) for call in calls]
        )
        self.look_again()

    def _close_batch(self, batch: Batch, late: Sequence[Call] = ()) -> bool:
        """Make room for the next batch, which begins with calls that came too late; False if it was closed before."""
        with self._lock:
            if batch.is_over:
                return False
            batch.is_over = True
            self._waiting.extendleft(reversed(late))
            batch.worker.batches.discard(batch)
            if self._open_batch is batch:
                self._open_batch = None
            self._load()
            self.flush()
            return True

    def _lost(self, call: Call, worker: RemoteWorker, why: str) -> Outcome:
        """A leaf was lost: it is asked for again, unless that has happened too often."""
        self._losses[call.machine] += 1
        if self._losses[call.machine] < MAX_LOSSES:
            return Outcome(call, Stopped())
        del self._losses[call.machine]
        where = f"{worker.host} (process {worker.pid})"
        text = f"{call.config.kind} was lost {MAX_LOSSES} times, the last time on {where}: {why}"
        return Outcome(call, WorkerEnded(text), worker=worker.place)

    def __repr__(self) -> str:
        return f"DaskWorkers({self._on!r})"


def _warn(text: str) -> None:
    with suppress(ClusterWarning):  # where warnings are errors, this thread must go on
        warnings.warn(text, ClusterWarning, stacklevel=2)
