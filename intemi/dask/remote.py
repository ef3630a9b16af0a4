"""What runs in a dask worker: batches of leaves, each leaf in a child process that can be ended at any moment.

The `LeafPlugin` of a client has a `BatchRunner`: contents, child processes, and the leaves that run. It ends with it.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from intemi.dask.protocol import ENDED, NOT_BEGUN, STOPPED, Answer, BatchMessage, Leaf, Ran, sealed, unsealed
from intemi.kernel.errors import WorkerEnded
from intemi.kernel.workers.base import Call, Stopped
from intemi.kernel.workers.contents import ContentDropped, ContentStore
from intemi.kernel.workers.encoded_leaf import ANSWER, FAILED, FINISHED, described, relay
from intemi.kernel.workers.processes import WorkerPool

if TYPE_CHECKING:
    from distributed import Worker

CHILD_MEMORY_FRACTION = 1 / 4
"""A child process keeps up to this part of what its worker may keep: what it needs is mostly sent to it again."""
MAX_BATCH_SECONDS = 0.5
"""After which a batch is answered with the leaves that have run: the others took longer than expected."""
REPORT_SECONDS = 0.2
"""Between two reports of what a leaf with limits uses."""


def run_batch(plugin: str, message: bytes) -> bytes:
    """A task of dask: run a batch; a sealed answer. Errors travel as text, since dask waits for ever for some."""
    from distributed import get_worker

    try:
        worker = get_worker()
        return _runner_of(worker, plugin).run(str(worker.get_current_task()), unsealed(BatchMessage, message))
    except Exception as error:
        return _answer(error=f"{type(error).__name__}: {error}")


def add_piece(plugin: str, name: bytes, at: int, piece: bytes, size: int, dask_worker: Worker) -> None:
    """Take a piece of a content that is too large to travel with a batch."""
    _runner_of(dask_worker, plugin).contents.add_piece(name, at, piece, size)


def _runner_of(worker: Worker, plugin: str) -> BatchRunner:
    runner: BatchRunner = worker.plugins[plugin].runner  # type: ignore[attr-defined]
    return runner


def _answer(lacking: tuple[bytes, ...] = (), ran: tuple[tuple[Any, ...], ...] = (), error: str = "") -> bytes:
    return sealed(Answer(socket.gethostname(), os.getpid(), lacking, ran, time.monotonic(), error))


class BatchRunner:
    """Runs the leaves of one client in one worker. `report` takes the number of a leaf and what it uses."""

    def __init__(self, memory: int, report: Callable[[int, float, int], None]) -> None:
        self.contents = ContentStore(memory)
        self._report = report
        self._pool = WorkerPool(int(memory * CHILD_MEMORY_FRACTION))
        self._lock = threading.Lock()
        self._running: dict[str, Call | None] = {}
        """The leaf that runs of each batch; None before the first and between two of them."""
        self._is_closed = False

    def begin(self, key: str) -> None:
        """A batch is about to be run."""
        with self._lock:
            self._running[key] = None

    def run(self, key: str, batch: BatchMessage) -> bytes:
        """Run the leaves of a batch one after the other, until it is aborted."""
        for name, content in batch.contents.items():
            self.contents.add(name, content)
        leaves = [Leaf(*each) for each in batch.leaves]
        lacking = self.contents.lacking(name for leaf in leaves for name in leaf.needed)
        if lacking:
            return _answer(lacking=tuple(lacking))
        began = time.monotonic()
        ran: list[Ran] = []
        for leaf in leaves:
            is_late = bool(ran) and time.monotonic() - began > MAX_BATCH_SECONDS
            ran.append(Ran(leaf.number, NOT_BEGUN, None) if is_late else self._run_leaf(key, leaf))
        if self._is_closed:  # a child may have been taken back since then
            self._pool.close()
        return _answer(ran=tuple(map(tuple, ran)))

    def _run_leaf(self, key: str, leaf: Leaf) -> Ran:
        began, cpu = time.monotonic(), 0.0
        answer: Any = None
        try:
            contents = {name: self.contents[name] for name in leaf.needed}
            call = relay(leaf.machine, leaf.encoded, contents, self._meter(leaf) if leaf.is_watched else None)
            with self._lock:
                if key not in self._running:
                    raise Stopped
                self._running[key] = call
            model, cpu = self._pool.run(call)
            status, answer = model.results[ANSWER]
            if status == FINISHED:
                self._hold(answer)
        except Stopped:
            status = STOPPED
        except ContentDropped as error:  # by what ran before it: it is asked for again, and so is what it needs
            status, answer = ENDED, str(error)
        except WorkerEnded as error:
            status, answer = ENDED, str(error).partition(": ")[2]  # the kind is that of the relay
        except Exception as error:
            status, answer = FAILED, described(error)
        ended = time.monotonic()
        return Ran(leaf.number, status, answer, ended - began, cpu, ended)

    def _hold(self, model: Any) -> None:
        """Hold what was made: the next leaf may need it."""
        outputs, _, parts = model
        for value in outputs.values():
            for content in value if isinstance(value, tuple) else (value,):
                self.contents.hold(content)
        for content in parts.values():
            self.contents.hold(content)

    def _meter(self, leaf: Leaf) -> Callable[[float, int], None]:
        """Reports what a leaf uses, now and then."""
        following = 0.0

        def report(cpu: float, memory: int) -> None:
            nonlocal following
            now = time.monotonic()
            if now >= following:
                following = now + REPORT_SECONDS
                self._report(leaf.number, cpu, memory)

        return report

    def abort(self, key: str) -> None:
        """End the leaf that runs of a batch, if one does, and begin none of the others."""
        with self._lock:
            call = self._running.pop(key, None)
        if call is not None:
            call.is_stopped = True
            self._pool.stop(call)

    def close(self) -> None:
        """End all that runs, and the child processes."""
        self._is_closed = True
        for key in list(self._running):
            self.abort(key)
        self._pool.close()
