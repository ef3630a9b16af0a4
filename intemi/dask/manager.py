"""The task manager of a dask cluster: leaves run on its workers, and everything else is decided at home.

Dask is used as a pool of hands: no graphs, no priorities, no results that stay on workers. Only as many batches are out
as workers have threads, plus one each if they are brief, so the spooler decides what runs next. A leaf that is lost
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

from intemi.dask import probe, remote, wire
from intemi.dask.connection import connect
from intemi.dask.links import Link, Shipment
from intemi.dask.parcels import Parcels
from intemi.dask.wire import Answer, Batch, Garbled, Leaf, Ran
from intemi.kernel import errors
from intemi.kernel.dispatch import Dispatcher, Outcome
from intemi.kernel.errors import ConfigurationError, WorkerEnded, WorkerError
from intemi.kernel.machine import Machine
from intemi.kernel.managers import Call, Stopped
from intemi.kernel.processes.manager import RemoteTraceback

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
BEAT_SECONDS = 4.0
"""Between two signs of life from home to workers."""
LEAVE_SECONDS = 2.0
"""For which workers are waited for when the last project has left."""
PROBE_SECONDS = 600
"""For which the answer of a new worker is waited for: it may have to compile kernels first."""
MAX_CONNECTIONS = 16
"""Threads that talk to the cluster; they mostly wait for it."""
MAX_LOSSES = 3
"""A leaf that was lost so often has failed."""
MAX_SENDINGS = 5
"""A batch that was sent so often, because its worker lacked something, is lost."""


class ClusterWarning(UserWarning):
    """A cluster, or one of its workers, cannot be used."""


class Refused(WorkerEnded):
    """A worker cannot run a machine as home would: that says nothing of the machine, so it is not kept."""


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
        self._parcels = Parcels(trusted)
        self._links: dict[str, Link] = {}
        self._asked: dict[str, tuple[Any, float]] = {}
        """Workers that were asked what they are, and until when they may answer."""
        self._refused: set[str] = set()
        self._open_shipment: Shipment | None = None
        self._waiting: deque[Call] = deque()
        """Calls for which there is no room yet: few, since it is asked for before they come."""
        self._sent_to: dict[Call, tuple[Shipment, int]] = {}
        self._usual: dict[type[Machine], float] = {}
        self._losses: Counter[bytes] = Counter()
        self._client: Any = None
        self._is_ours = False
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
            return [link.place for link in self._links.values()]

    # Connecting

    def prepare(self) -> None:
        with self._preparing:
            if self._client is not None:
                return
            self._client, self._is_ours = connect(self._on, self._security, self._insecure)
            try:
                self._client.subscribe_topic(remote.topic_of(self._home), self._hear_usage)
                refused = self._meet_all_workers()
                if refused:
                    raise ConfigurationError("DaskWorkers: " + "; ".join(refused))
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
            busy = [link.address for link in self._links.values() if link.shipments]
            futures = [each.future for link in self._links.values() for each in link.shipments if each.future]
        if busy:
            self._client.cancel(futures)
            self._client.run(remote.leave, self._home, workers=busy, on_error="ignore")

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        self._asked.clear()
        self._refused.clear()
        with self._lock:
            self._links.clear()
            self._waiting.clear()
            self._sent_to.clear()
        if client is not None:
            with suppress(Exception):  # the scheduler may be gone
                client.unsubscribe_topic(remote.topic_of(self._home))
            if self._is_ours:
                with suppress(Exception):
                    client.close(timeout=2)

    def _meet_all_workers(self) -> list[str]:
        """Look at all workers that are there now; what is wrong with those that cannot be used."""
        refused = self._meet_new_workers(self._client.nthreads())
        while self._asked:
            time.sleep(0.02)
            refused += self._meet_new_workers(self._client.nthreads())
        return refused

    def _meet_new_workers(self, threads: dict[str, int]) -> list[str]:
        """Ask workers that were not there before what they are, and take those that have answered."""
        self._refused &= threads.keys()
        for address in threads.keys() - self._links.keys() - self._asked.keys() - self._refused:
            future = self._client.submit(probe.answer, workers=[address], pure=False)
            self._asked[address] = future, time.monotonic() + PROBE_SECONDS
        refused = []
        for address, (future, until) in list(self._asked.items()):
            if address in threads and not future.done() and time.monotonic() < until:
                continue
            del self._asked[address]
            if address in threads and future.status not in ("cancelled", "lost"):
                refused += self._take_worker(address, threads[address], future)
            future.cancel()
        return refused

    def _take_worker(self, address: str, threads: int, future: Any) -> list[str]:
        """Let a worker that has answered run leaves, or say what is wrong with it."""
        try:
            facts = future.result(timeout=0.1)
            differing = probe.differences(facts)
            link = None if differing else Link(address, threads, facts["host"], facts["pid"])
        except Exception as error:  # whatever another version of the package, or of Python, does
            link, differing = None, [f"it cannot run intemi ({type(error).__name__}: {error})"]
        if link is None:
            self._refused.add(address)
            return [f"the worker {address} is refused: {', '.join(differing)}; install there what is installed here"]
        with self._lock:
            self._links[address] = link
            self.workers = max(1, sum(link.threads for link in self._links.values()))
        return []

    # Calls come in, on the thread of a project

    @property
    def has_room(self) -> bool:
        with self._lock:
            return not self._waiting and (self._open_shipment is not None or self._free_link() is not None)

    def _free_link(self) -> Link | None:
        """The worker that has most room, if there is one."""
        ahead = 0 if self._usual_batch() > BRIEF_SECONDS else 1
        best = max(self._links.values(), key=lambda link: link.threads - len(link.shipments), default=None)
        if best is None or len(best.shipments) >= best.threads + ahead:
            return None
        return best

    def _usual_batch(self) -> float:
        return max((shipment.expected for link in self._links.values() for shipment in link.shipments), default=0.0)

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
            shipment = self._open_shipment
            if shipment is None:
                link = self._free_link()
                if link is None:
                    return
                shipment = self._open_shipment = Shipment(link)
                link.shipments.add(shipment)
            self._waiting.popleft()
            number = next(self._numbers)
            shipment.calls[number] = call
            shipment.expected += 2 * BRIEF_SECONDS if expected is None else expected
            self._sent_to[call] = shipment, number
            if is_alone or shipment.expected >= BATCH_SECONDS or len(shipment.calls) >= MAX_BATCH:
                self.flush()

    def flush(self) -> None:
        with self._lock:
            shipment, self._open_shipment = self._open_shipment, None
            if shipment is not None:
                self._in_background(self._send, shipment)

    def stop(self, call: Call) -> None:
        self._in_background(self._stop, call)

    def _stop(self, call: Call) -> None:
        with self._lock:
            shipment, number = self._sent_to.get(call, (None, 0))
        self.deliver([Outcome(call, Stopped())])
        if shipment is not None:  # the batch may be on its way still: then the worker remembers
            self._signal(self._stop_there, shipment.link, number)

    def _stop_there(self, link: Link, number: int) -> None:
        self._client.run(remote.stop, self._home, [number], workers=[link.address], on_error="ignore")

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
            if arguments and isinstance(arguments[0], Shipment):
                self._lose(arguments[0], f"{type(error).__name__}: {error}", is_counted=False)

    # Batches go out

    def _send(self, shipment: Shipment) -> None:
        link, contents = shipment.link, dict[bytes, bytes]()
        with link.sending:
            leaves = self._leaves(shipment, contents)
            self._send_large(link, contents)
            link.hold(contents)
        if not leaves:
            self._close_shipment(shipment)
            return
        message = wire.sealed(Batch(self._home, tuple(map(tuple, leaves)), contents, self._trusted, self._memory))
        link.heard = time.monotonic()
        shipment.future = self._client.submit(
            remote.run_batch,
            message,
            key=f"intemi-{self._home}-{shipment.number}-{uuid.uuid4().hex[:8]}",
            workers=[link.address],
            allow_other_workers=False,
            retries=0,
        )
        shipment.future.add_done_callback(lambda future: self._in_background(self._receive, shipment, future))
        if shipment.is_over:  # its worker left meanwhile
            shipment.future.cancel()

    def _leaves(self, shipment: Shipment, contents: dict[bytes, bytes]) -> list[Leaf]:
        leaves = []
        for number, call in list(shipment.calls.items()):
            try:
                if call.is_stopped:
                    raise Stopped
                leaves.append(self._parcels.leaf(number, call, shipment.link.lacks, contents))
            except Exception as error:  # an input cannot be loaded, or cannot travel
                del shipment.calls[number]
                self.deliver([Outcome(call, error)])
        return leaves

    def _send_large(self, link: Link, contents: dict[bytes, bytes]) -> None:
        """Send large contents ahead, in pieces; they are taken out of what travels with the batch."""
        inline = 0
        for name, content in sorted(contents.items(), key=lambda each: len(each[1])):
            inline += len(content)
            if inline <= MAX_INLINE_BYTES:
                continue
            for at in range(0, len(content), PIECE_BYTES):
                piece = content[at : at + PIECE_BYTES]
                self._client.run(remote.add_piece, name, at, piece, len(content), self._memory, workers=[link.address])
            link.hold([name])
            del contents[name]

    # Answers come home

    def _receive(self, shipment: Shipment, future: Any) -> None:
        if shipment.is_over or future is not shipment.future:
            return
        try:
            if future.status != "finished":
                error = future.exception(timeout=5) if future.status == "error" else future.status
                self._lose(shipment, f"the batch came to nothing ({error})", is_counted=future.status == "error")
                return
            answer = wire.unsealed(Answer, future.result(timeout=60))
            ran = {each.number: each for each in (Ran(*each) for each in answer.ran)}
        except Exception as error:
            self._lose(shipment, f"its answer cannot be used ({error})", is_counted=True)
            return
        finally:
            future.release()
        if answer.error:
            self._lose(shipment, answer.error, is_counted=True)
        elif answer.lacking:
            self._send_again(shipment, answer.lacking)
        else:
            self._deliver_batch(shipment, answer, ran)

    def _send_again(self, shipment: Shipment, lacking: Sequence[bytes]) -> None:
        """Send a batch with contents that its worker has dropped meanwhile."""
        shipment.sendings += 1
        if shipment.sendings >= MAX_SENDINGS:
            why = f"its worker cannot keep what the batch needs in {self._memory} bytes; give DaskWorkers more memory"
            self._lose(shipment, why, is_counted=True)
            return
        shipment.link.release(lacking)
        self._send(shipment)

    def _deliver_batch(self, shipment: Shipment, answer: Answer, ran: dict[int, Ran]) -> None:
        """Deliver the leaves that have run; those that have not go to the next batch."""
        late = [
            call for number, call in shipment.calls.items() if number in ran and ran[number].status == wire.NOT_BEGUN
        ]
        outcomes = [
            self._outcome(call, shipment.link, answer, ran.get(number))
            for number, call in shipment.calls.items()
            if call not in late
        ]
        with self._lock:
            self._waiting.extendleft(reversed(late))
            self._close_shipment(shipment)
        self.deliver(outcomes)
        self.look_again()

    def _outcome(self, call: Call, link: Link, answer: Answer, ran: Ran | None) -> Outcome:
        if ran is None:
            return self._lost(call, link, "its answer lacks the leaf")
        try:
            return self._checked_outcome(call, link, answer, ran)
        except Exception as error:  # whatever a worker sends: the other leaves of the batch are not lost with it
            return self._lost(call, link, f"its answer cannot be used ({type(error).__name__}: {error})")

    def _checked_outcome(self, call: Call, link: Link, answer: Answer, ran: Ran) -> Outcome:
        """What has come of a leaf; an error if the answer is not what a worker says."""
        times = float(ran.wall), float(ran.cpu), max(0.0, answer.now - ran.ended), link.place
        if ran.status == wire.FINISHED:
            model, held = self._parcels.model(call, ran.content)
            link.hold(held)
            self._note(call, ran.wall)
            self._losses.pop(call.machine, None)
            if call.is_watched:
                call.report_usage(ran.cpu, 0)
            return Outcome(call, model, *times)
        if ran.status == wire.FAILED:
            failure = _error(*ran.content)
            self._losses.pop(call.machine, None)
            return Outcome(call, failure, *times)
        if ran.status == wire.REFUSED:
            return Outcome(call, Refused(f"{call.config.kind} on {link.place}: {ran.content}"), *times)
        if ran.status == wire.ENDED:
            return self._lost(call, link, str(ran.content))
        if ran.status == wire.STOPPED:
            return Outcome(call, Stopped())
        raise Garbled(f"{ran.status!r} is no status of a leaf")

    def _note(self, call: Call, wall: float) -> None:
        kind = type(call.config)
        known = self._usual.get(kind)
        self._usual[kind] = wall if known is None else (known + wall) / 2

    def _hear_usage(self, event: Any) -> None:
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
                self._lose_workers_that_left(threads)
                for each in self._meet_new_workers(threads):
                    _warn(each)
                self._place_waiting()
                self._say_that_home_lives()
                self.look_again()
            except Exception as error:  # the connection is lost just now: the next look says so
                if self._client.status == "running":
                    _warn(f"the cluster cannot be looked at ({type(error).__name__}: {error})")

    def _say_that_home_lives(self) -> None:
        """To workers that have not heard of it for a while; each batch is a sign of life, too."""
        before = time.monotonic() - BEAT_SECONDS
        with self._lock:
            due = [link for link in self._links.values() if link.shipments and link.heard < before]
        for link in due:
            if not link.is_asked:  # one that is frozen does not answer
                link.is_asked = True
                self._signal(self._say_to, link)

    def _say_to(self, link: Link) -> None:
        try:
            with self._lock:
                calls = [each for shipment in link.shipments for each in shipment.calls.items()]
            stopped = [number for number, call in calls if call.is_stopped]
            self._client.run(remote.hear_of, self._home, stopped, workers=[link.address], on_error="ignore")
            link.heard = time.monotonic()
        finally:
            link.is_asked = False

    def _lose_workers_that_left(self, present: dict[str, int]) -> None:
        with self._lock:
            gone = [link for address, link in self._links.items() if address not in present]
            for link in gone:
                del self._links[link.address]
            self.workers = max(1, sum(link.threads for link in self._links.values()))
        for link in gone:
            for shipment in list(link.shipments):
                self._lose(shipment, "its worker left the cluster", is_counted=True)

    def _place_waiting(self) -> None:
        """Send calls that wait to workers that are new. Without workers, they are for other managers."""
        returned: list[Call] = []
        with self._lock:
            if self._links:
                self._load()
                self.flush()
            else:
                returned.extend(self._waiting)
                self._waiting.clear()
        self.deliver([Outcome(call, Stopped()) for call in returned])

    def _wait_for_scheduler(self) -> None:
        """The scheduler is gone: what was out is queued again, and the connection made anew when there is one."""
        self._asked.clear()
        with self._lock:
            links, self._links = list(self._links.values()), {}
        self._place_waiting()
        lost = [shipment for link in links for shipment in link.shipments]
        for shipment in lost:
            self._lose(shipment, "the scheduler is gone", is_counted=False)
        if links:
            _warn(
                f"the scheduler of {self!r} is gone; {sum(map(len, (each.calls for each in lost)))} leaves are queued "
                "again, for other workers of the project or until the scheduler is back"
            )
        if self._client.status == "closed":
            with suppress(ConfigurationError):
                on = self._on if isinstance(self._on, str) else self._client.scheduler.address
                security = self._security or getattr(self._client, "security", None)
                self._client, self._is_ours = connect(on, security, self._insecure)
                self._client.subscribe_topic(remote.topic_of(self._home), self._hear_usage)

    def _lose(self, shipment: Shipment, why: str, is_counted: bool) -> None:
        """A batch will not come home."""
        self._close_shipment(shipment)
        if shipment.future is not None:
            with suppress(Exception):  # nor will an answer to this, perhaps
                shipment.future.cancel()
        calls = list(shipment.calls.values())
        self.deliver(
            [self._lost(call, shipment.link, why) if is_counted else Outcome(call, Stopped()) for call in calls]
        )
        self.look_again()

    def _close_shipment(self, shipment: Shipment) -> None:
        with self._lock:
            shipment.is_over = True
            shipment.link.shipments.discard(shipment)
            if self._open_shipment is shipment:
                self._open_shipment = None
            self._load()
            self.flush()

    def _lost(self, call: Call, link: Link, why: str) -> Outcome:
        """A leaf was lost: it is asked for again, unless that has happened too often."""
        self._losses[call.machine] += 1
        if self._losses[call.machine] < MAX_LOSSES:
            return Outcome(call, Stopped())
        del self._losses[call.machine]
        text = (
            f"{call.config.kind} was lost {MAX_LOSSES} times, the last time on {link.host} (process {link.pid}): {why}"
        )
        return Outcome(call, WorkerEnded(text), worker=link.place)

    def __repr__(self) -> str:
        return f"DaskWorkers({self._on!r})"


def _warn(text: str) -> None:
    with suppress(ClusterWarning):  # where warnings are errors, this thread must go on
        warnings.warn(text, ClusterWarning, stacklevel=2)


def _error(name: str, module: str, text: str, traceback: str) -> Exception:
    """An error of its own type, as far as that can be had without executing anything."""
    base = getattr(errors, name, None) if module == errors.__name__ else None
    if base is None or not issubclass(base, errors.NotEnoughMemory):
        base = type(name, (WorkerError,), {"__module__": module})
    error: Exception = base(text)
    error.__cause__ = RemoteTraceback(traceback)
    return error
