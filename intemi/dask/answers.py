"""What the answer of a worker says of each leaf. A worker may send anything: what cannot be used counts as lost."""

from __future__ import annotations

from intemi.dask import wire
from intemi.dask.codec import Codec
from intemi.dask.wire import Answer, Garbled, Ran
from intemi.dask.workers import RemoteWorker
from intemi.kernel import errors
from intemi.kernel.errors import IntemiError, WorkerEnded, WorkerError
from intemi.kernel.workers.base import Call, Outcome, Stopped
from intemi.kernel.workers.processes import RemoteTraceback


class Lost(IntemiError):
    """A leaf has not run to its end, or its answer cannot be used."""


class Refused(WorkerEnded):
    """A worker cannot run a machine as home would: that says nothing of the machine, so it is not kept."""


def outcome_of(call: Call, worker: RemoteWorker, answer: Answer, ran: Ran | None, codec: Codec) -> Outcome:
    """What has come of a leaf of a batch; Lost if it is to be asked for again."""
    if ran is None:
        raise Lost("its answer lacks the leaf")
    if ran.status == wire.ENDED:
        raise Lost(str(ran.content))
    try:
        return _checked(call, worker, answer, ran, codec)
    except Exception as error:  # the other leaves of the batch are not lost with it
        raise Lost(f"its answer cannot be used ({type(error).__name__}: {error})") from error


def _checked(call: Call, worker: RemoteWorker, answer: Answer, ran: Ran, codec: Codec) -> Outcome:
    times = float(ran.wall), float(ran.cpu), max(0.0, answer.now - ran.ended), worker.place
    if ran.status == wire.FINISHED:
        model, held = codec.model(call, ran.content)
        worker.hold(held)
        return Outcome(call, model, *times)
    if ran.status == wire.FAILED:
        return Outcome(call, _error(*ran.content), *times)
    if ran.status == wire.REFUSED:
        return Outcome(call, Refused(f"{call.config.kind} on {worker.place}: {ran.content}"), *times)
    if ran.status == wire.STOPPED:
        return Outcome(call, Stopped())
    raise Garbled(f"{ran.status!r} is no status of a leaf")


def _error(name: str, module: str, text: str, traceback: str) -> Exception:
    """An error of its own type, as far as that can be had without executing anything."""
    base = getattr(errors, name, None) if module == errors.__name__ else None
    if base is None or not issubclass(base, errors.NotEnoughMemory):
        base = type(name, (WorkerError,), {"__module__": module})
    error: Exception = base(text)
    error.__cause__ = RemoteTraceback(traceback)
    return error
