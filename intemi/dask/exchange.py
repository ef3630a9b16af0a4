"""Batches go out, and their answers are taken: each is a message, and a task of dask that is bound to its worker.

Batches of one worker are sent one after the other: what the first one brings, the next one need not. Large contents are
sent ahead of their batch, and waited for; a worker that is frozen, or far away, occupies one thread at most. A worker
may answer anything: a leaf without a usable answer counts as lost.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from intemi.dask import protocol, remote
from intemi.dask.batches import Batch, Batches, RemoteWorker
from intemi.dask.clusters import warn
from intemi.dask.membership import Membership
from intemi.dask.protocol import Answer, BatchMessage, Leaf, Ran
from intemi.kernel import errors
from intemi.kernel.errors import IntemiError, WorkerEnded, WorkerError
from intemi.kernel.machine import Model
from intemi.kernel.workers import encoded_leaf
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.contents import ContentEncoder, ProtocolError
from intemi.kernel.workers.processes import RemoteTraceback

POOLS = {"sender": 64, "receiver": 16, "control": 4}
"""Threads of each kind, at most: aborts do not wait for answers, nor these for batches that are sent."""
MAX_INLINE_BYTES = 2**20
"""Contents that travel with a batch; larger ones travel before it, in pieces."""
PIECE_BYTES = 2**25
PIECE_SECONDS = 120.0
"""For which a worker is waited for to take a piece."""
PAUSE_SECONDS = 0.2
"""After an error; if the scheduler is gone, that is known by then."""
FETCH_SECONDS = 60
"""For which the answer of a batch that has run is waited for."""
MAX_RESENDS = 4
"""Times that a batch is sent again, because its worker lacked something, before it is lost."""


class LeafLost(IntemiError):
    """A leaf has not run to its end, or its answer cannot be used."""


class WorkerMismatch(WorkerEnded):
    """A worker cannot run a machine as the client would: that says nothing of the machine, so it is not kept."""


class Exchange:
    """Sends batches to their workers, each with the contents that its worker lacks, and delivers what has come of them.

    `deliver` gets outcomes; there may be room for other calls after that.
    """

    def __init__(
        self,
        batches: Batches,
        membership: Membership,
        trusted: bool,
        memory: int,
        deliver: Callable[[Sequence[Outcome]], None],
    ) -> None:
        self._batches, self._membership, self._memory, self._deliver = batches, membership, memory, deliver
        self._encoder = ContentEncoder(trusted)
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def open(self) -> None:
        """Have threads, as soon as they are needed."""
        for name, threads in POOLS.items():
            self._pools[name] = ThreadPoolExecutor(threads, thread_name_prefix=f"intemi dask {name}")

    def close(self) -> None:
        """Begin nothing more, and do not wait for what is under way."""
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)

    def submit(self, pool: str, action: Callable[..., None], *arguments: Any) -> None:
        """Do something on a thread of a pool, without waiting for it; nothing once this is closed."""

        def guarded() -> None:
            try:
                action(*arguments)
            except Exception as error:
                warn(f"{pool}: {type(error).__name__}: {error}")

        chosen = self._pools.get(pool)
        if chosen is not None:
            with suppress(RuntimeError):  # it was closed just now
                chosen.submit(guarded)

    # Batches go out

    def send_ready(self) -> None:
        """Send what is ready, without waiting."""
        while (worker := self._batches.next_ready()) is not None:
            self.submit("sender", self._send_all, worker)

    def _send_all(self, worker: RemoteWorker) -> None:
        while (batch := self._batches.next_batch(worker)) is not None:
            contents: dict[bytes, bytes] = {}
            try:
                leaves = self._leaves(batch, contents)
                self._send_ahead(worker, contents)
                if leaves:
                    self._submit(batch, leaves, contents)
                else:
                    self._batches.close(batch)
                    self._deliver([])
            except Exception as error:
                self._fail(batch, error)

    def _leaves(self, batch: Batch, contents: dict[bytes, bytes]) -> list[Leaf]:
        leaves = []
        for number, call in list(batch.calls.items()):
            try:
                if call.is_stopped:
                    raise Stopped
                leaf = self._encoder.leaf(call, batch.worker.lacks, contents)
                leaves.append(Leaf(number, call.machine, *leaf, call.is_watched))
            except Exception as error:  # an input cannot be loaded, or cannot travel
                self._batches.drop(batch, number)
                self._deliver([Outcome(call, error)])
        return leaves

    def _send_ahead(self, worker: RemoteWorker, contents: dict[bytes, bytes]) -> None:
        """Send large contents, in pieces; they are taken out of what travels with the batch."""
        session, inline = self._membership.session, 0
        for name, content in sorted(contents.items(), key=lambda each: len(each[1])):
            inline += len(content)
            if inline <= MAX_INLINE_BYTES:
                continue
            for at in range(0, len(content), PIECE_BYTES):
                piece = content[at : at + PIECE_BYTES]
                arguments = name, at, piece, len(content)
                session.run(worker.address, remote.add_piece, *arguments, seconds=PIECE_SECONDS)
            worker.hold([name])
            del contents[name]

    def _submit(self, batch: Batch, leaves: list[Leaf], contents: dict[bytes, bytes]) -> None:
        batch.worker.hold(contents)
        message = protocol.sealed(BatchMessage(tuple(map(tuple, leaves)), contents))
        key = f"{batch.number}-{uuid.uuid4().hex[:8]}"
        batch.future = self._membership.session.submit(batch.worker.address, key, remote.run_batch, message)
        batch.future.add_done_callback(lambda future: self.submit("receiver", self._receive, batch, future))
        if batch.is_over:  # it was aborted, or its worker left, meanwhile
            batch.future.release()

    def _fail(self, batch: Batch, error: Exception) -> None:
        """A batch cannot be sent. If its worker cannot be reached, that says nothing of the leaves."""
        why = f"it cannot be sent ({type(error).__name__}: {error})"
        time.sleep(PAUSE_SECONDS)
        if not self._membership.is_running:
            self.lose(batch, why, is_counted=False)
        elif isinstance(error, OSError):
            warn(f"the worker {batch.worker.address} cannot be reached ({error}); its leaves are queued again")
            self.lose(batch, why, is_counted=False)
        else:
            self.lose(batch, why, is_counted=True)

    # Batches end without an answer

    def stop(self, call: Call) -> None:
        """End a leaf that is not needed any more: its batch is aborted, and the others in it are sent again."""
        self.submit("control", self._stop, call)

    def _stop(self, call: Call) -> None:
        batch = self._batches.batch_of(call)
        self._deliver([Outcome(call, Stopped())])
        calls = [] if batch is None else list(batch.calls.values())
        if batch is not None and self._batches.close(batch, [each for each in calls if not each.is_stopped]):
            _release(batch)
            self._deliver([Outcome(each, Stopped()) for each in calls if each.is_stopped])

    def lose(self, batch: Batch, why: str, is_counted: bool) -> None:
        """A batch will not be answered."""
        if self._batches.close(batch):
            _release(batch)
            calls = list(batch.calls.values())
            if is_counted:
                self._deliver([self._batches.note_loss(call, batch.worker, why) for call in calls])
            else:
                self._deliver([Outcome(call, Stopped()) for call in calls])

    def lose_worker(self, worker: RemoteWorker, why: str, is_counted: bool) -> int:
        """A worker is gone; how many leaves are lost with it."""
        batches = self._batches.remove_worker(worker)
        for batch in batches:
            self.lose(batch, why, is_counted)
        return sum(len(batch.calls) for batch in batches)

    def drop_all(self) -> None:
        """Nothing is waited for any more, and workers end what they still run."""
        for batch in self._batches.clear():
            _release(batch)

    # Answers

    def _receive(self, batch: Batch, future: Any) -> None:
        """Take the answer to a batch, now that there is one."""
        if batch.is_over or future is not batch.future:
            return
        try:
            if future.status != "finished":
                error = future.exception(timeout=5) if future.status == "error" else future.status
                self.lose(batch, f"the batch came to nothing ({error})", future.status == "error")
                return
            answer = protocol.unsealed(Answer, future.result(timeout=FETCH_SECONDS))
            ran = {each.number: each for each in (Ran(*each) for each in answer.ran)}
        except Exception as error:
            self.lose(batch, f"its answer cannot be used ({type(error).__name__}: {error})", True)
            return
        finally:
            future.release()
        if (answer.host, answer.pid) != (batch.worker.host, batch.worker.pid):
            self.lose(batch, "its worker was started again", True)  # which has joined anew
        elif answer.error:
            self.lose(batch, answer.error, True)
        elif answer.lacking:
            self._send_again(batch, answer.lacking)
        else:
            self._take(batch, answer, ran)

    def _send_again(self, batch: Batch, lacking: Sequence[bytes]) -> None:
        """Send a batch with contents that its worker has dropped meanwhile."""
        batch.resends += 1
        if batch.resends > MAX_RESENDS:
            why = f"its worker cannot keep what the batch needs in {self._memory} bytes; give DaskWorkers more memory"
            self.lose(batch, why, True)
            return
        batch.worker.release(lacking)
        self._batches.send_again(batch)
        self.send_ready()

    def _take(self, batch: Batch, answer: Answer, ran: dict[int, Ran]) -> None:
        """Deliver the leaves that have run; those that have not go to the next batch."""
        again = [c for n, c in batch.calls.items() if n in ran and ran[n].status == protocol.NOT_BEGUN]
        if self._batches.close(batch, again):  # else it was lost meanwhile
            outcomes = [
                self._outcome(call, batch.worker, answer, ran.get(number))
                for number, call in batch.calls.items()
                if call not in again
            ]
            self._deliver(outcomes)

    def _outcome(self, call: Call, worker: RemoteWorker, answer: Answer, ran: Ran | None) -> Outcome:
        try:
            outcome = self._outcome_of(call, worker, answer, ran)
            if isinstance(outcome.answer, Model):
                self._batches.note_time(call, outcome.wall)
                call.report_usage(outcome.cpu, 0)
        except Exception as error:  # whatever it is, each call of the batch is delivered
            return self._batches.note_loss(call, worker, str(error))
        if not isinstance(outcome.answer, Stopped):
            self._batches.note_end(call)
        return outcome

    def _outcome_of(self, call: Call, worker: RemoteWorker, answer: Answer, ran: Ran | None) -> Outcome:
        """What has come of a leaf; LeafLost if it is to be asked for again."""
        if ran is None:
            raise LeafLost("its answer lacks the leaf")
        if ran.status == protocol.ENDED:
            raise LeafLost(str(ran.answer))
        try:
            times = float(ran.wall), float(ran.cpu), max(0.0, answer.now - ran.ended), worker.place
            if ran.status == encoded_leaf.FINISHED:
                model, held = self._encoder.model(call, ran.answer)
                worker.hold(held)
                return Outcome(call, model, *times)
            if ran.status == encoded_leaf.FAILED:
                return Outcome(call, _error(*ran.answer), *times)
            if ran.status == encoded_leaf.REFUSED:
                return Outcome(call, WorkerMismatch(f"{call.config.kind} on {worker.place}: {ran.answer}"), *times)
            if ran.status == protocol.STOPPED:
                return Outcome(call, Stopped())
            raise ProtocolError(f"{ran.status!r} is no status of a leaf")
        except Exception as error:  # the other leaves of the batch are not lost with it
            raise LeafLost(f"its answer cannot be used ({type(error).__name__}: {error})") from error


def _release(batch: Batch) -> None:
    if batch.future is not None:
        batch.future.release()


def _error(name: str, module: str, text: str, traceback: str) -> Exception:
    """An error of its own type, as far as that can be had without executing anything."""
    base = getattr(errors, name, None) if module == errors.__name__ else None
    if base is None or not issubclass(base, errors.NotEnoughMemory):
        base = type(name, (WorkerError,), {"__module__": module})
    error: Exception = base(text)
    error.__cause__ = RemoteTraceback(traceback)
    return error
