"""Answers come home: what a worker says of a batch is delivered, leaf by leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from intemi.dask import wire
from intemi.dask.answers import outcome_of
from intemi.dask.batching import Batching
from intemi.dask.codec import Codec
from intemi.dask.losses import Losses
from intemi.dask.wire import Answer, Ran
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.machine import Model
from intemi.kernel.workers.base import Call, Outcome, Stopped

FETCH_SECONDS = 60
"""For which the answer of a batch that has run is waited for."""
MAX_SENDINGS = 5
"""A batch that was sent so often, because its worker lacked something, is lost."""


class Receiver:
    """Takes the answers of workers.

    `deliver` gets what has come of calls, `lose` batches that came to nothing and `give_up` workers of which nothing
    will come (with why, and whether that counts), and `send` the batches that are to be sent again.
    """

    def __init__(
        self,
        batching: Batching,
        losses: Losses,
        codec: Codec,
        memory: int,
        deliver: Callable[[Sequence[Outcome]], None],
        lose: Callable[[Batch, str, bool], None],
        give_up: Callable[[RemoteWorker, str, bool], None],
        send: Callable[[Batch], None],
    ) -> None:
        self._batching, self._losses, self._codec, self._memory = batching, losses, codec, memory
        self._deliver, self._lose, self._give_up, self._send = deliver, lose, give_up, send

    def receive(self, batch: Batch, future: Any) -> None:
        """Take the answer to a batch, now that there is one."""
        if batch.is_over or future is not batch.future:
            return
        try:
            if future.status != "finished":
                error = future.exception(timeout=5) if future.status == "error" else future.status
                self._lose(batch, f"the batch came to nothing ({error})", future.status == "error")
                return
            answer = wire.unsealed(Answer, future.result(timeout=FETCH_SECONDS))
            ran = {each.number: each for each in (Ran(*each) for each in answer.ran)}
        except Exception as error:
            self._lose(batch, f"its answer cannot be used ({type(error).__name__}: {error})", True)
            return
        finally:
            future.release()
        if (answer.host, answer.pid) != (batch.worker.host, batch.worker.pid):
            self._give_up(batch.worker, "its worker was started again", True)
        elif answer.error:
            self._lose(batch, answer.error, True)
        elif answer.lacking:
            self._send_again(batch, answer.lacking)
        else:
            self._deliver_batch(batch, answer, ran)

    def _send_again(self, batch: Batch, lacking: Sequence[bytes]) -> None:
        """Send a batch with contents that its worker has dropped meanwhile."""
        batch.sendings += 1
        if batch.sendings >= MAX_SENDINGS:
            why = f"its worker cannot keep what the batch needs in {self._memory} bytes; give DaskWorkers more memory"
            self._lose(batch, why, True)
            return
        batch.worker.release(lacking)
        self._send(batch)

    def _deliver_batch(self, batch: Batch, answer: Answer, ran: dict[int, Ran]) -> None:
        """Deliver the leaves that have run; those that have not go to the next batch."""
        late = [call for number, call in batch.calls.items() if number in ran and ran[number].status == wire.NOT_BEGUN]
        if self._batching.close(batch, late):  # else it was given up meanwhile
            self._deliver(
                [
                    self._outcome(call, batch.worker, answer, ran.get(number))
                    for number, call in batch.calls.items()
                    if call not in late
                ]
            )

    def _outcome(self, call: Call, worker: RemoteWorker, answer: Answer, ran: Ran | None) -> Outcome:
        try:
            outcome = outcome_of(call, worker, answer, ran, self._codec)
            if isinstance(outcome.answer, Model):
                self._batching.note(call, outcome.wall)
                call.report_usage(outcome.cpu, 0)
        except Exception as error:  # whatever it is, each call of the batch is delivered
            return self._losses.count(call, worker, str(error))
        if not isinstance(outcome.answer, Stopped):
            self._losses.forget(call)
        return outcome
