"""Batches go out: each becomes a message, and a task of dask that is bound to its worker.

Batches of one worker are sent one after the other: what the first one brings, the next one need not. Large contents are
sent ahead of their batch, and waited for; that takes a thread of its own, so that a worker that is frozen, or far away,
holds up no other.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from intemi.dask import remote, tasks, wire
from intemi.dask.background import Background
from intemi.dask.codec import Codec
from intemi.dask.connection import Connection
from intemi.dask.warned import warn
from intemi.dask.wire import BatchMessage, Leaf
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.workers.base import Outcome, Stopped

MAX_INLINE_BYTES = 2**20
"""Contents that travel with a batch; larger ones travel before it, in pieces."""
PIECE_BYTES = 2**25
PIECE_SECONDS = 120.0
"""For which a worker is waited for to take a piece."""
PAUSE_SECONDS = 0.2
"""After an error; if the scheduler is gone, that is known by then."""


class BatchSettings(NamedTuple):
    """What all batches of a task manager have in common."""

    home: str
    trusted: bool
    memory: int
    """Bytes of contents that a worker may keep."""


class Sender:
    """Sends batches to their workers, each with the contents that its worker lacks.

    `receive` gets each batch that was sent, with its future when that is done; `lose` those that cannot be sent, and
    `give_up` workers that cannot be reached (with why, and whether that counts). `drop` gets batches of which nothing
    was left to send, and `deliver` what has come of calls that cannot be sent.
    """

    def __init__(
        self,
        connection: Connection,
        lock: threading.RLock,
        pool: Background,
        codec: Codec,
        settings: BatchSettings,
        receive: Callable[[Batch, Any], None],
        lose: Callable[[Batch, str, bool], None],
        give_up: Callable[[RemoteWorker, str, bool], None],
        drop: Callable[[Batch], None],
        deliver: Callable[[Sequence[Outcome]], None],
    ) -> None:
        self._connection, self._lock, self._pool, self._codec = connection, lock, pool, codec
        self._home, self._trusted, self._memory = settings
        self._receive, self._lose, self._give_up = receive, lose, give_up
        self._drop, self._deliver = drop, deliver

    def send(self, batch: Batch) -> None:
        """Send a batch, without waiting, after those that are to be sent to its worker already."""
        worker = batch.worker
        with self._lock:
            worker.to_send.append(batch)
            if worker.is_sending:
                return
            worker.is_sending = True
        self._pool.submit(self._send_all, worker)

    def _send_all(self, worker: RemoteWorker) -> None:
        while True:
            with self._lock:
                if not worker.to_send:
                    worker.is_sending = False
                    return
                batch = worker.to_send.popleft()
            if not batch.is_over and not self._send(batch):
                return

    def _send(self, batch: Batch) -> bool:
        """Send a batch; False if another thread does, because it takes its time, and then goes on with the next one."""
        contents: dict[bytes, bytes] = {}
        try:
            leaves = self._leaves(batch, contents)
            if not leaves:
                self._drop(batch)
            elif sum(map(len, contents.values())) <= MAX_INLINE_BYTES:
                self._submit(batch, leaves, contents)
            else:
                arguments = batch, leaves, contents
                thread = threading.Thread(
                    target=self._send_large, args=arguments, name="intemi dask sender", daemon=True
                )
                thread.start()
                return False
        except Exception as error:
            self._fail(batch, error)
        return True

    def _leaves(self, batch: Batch, contents: dict[bytes, bytes]) -> list[Leaf]:
        leaves = []
        for number, call in list(batch.calls.items()):
            try:
                if call.is_stopped:
                    raise Stopped
                leaves.append(self._codec.leaf(number, call, batch.worker.lacks, contents))
            except Exception as error:  # an input cannot be loaded, or cannot travel
                with self._lock:
                    del batch.calls[number]
                self._deliver([Outcome(call, error)])
        return leaves

    def _send_large(self, batch: Batch, leaves: list[Leaf], contents: dict[bytes, bytes]) -> None:
        try:
            self._send_ahead(batch.worker, contents)
            self._submit(batch, leaves, contents)
        except Exception as error:
            self._fail(batch, error)
        finally:
            self._send_all(batch.worker)

    def _send_ahead(self, worker: RemoteWorker, contents: dict[bytes, bytes]) -> None:
        """Send large contents, in pieces; they are taken out of what travels with the batch."""
        inline = 0
        for name, content in sorted(contents.items(), key=lambda each: len(each[1])):
            inline += len(content)
            if inline <= MAX_INLINE_BYTES:
                continue
            for at in range(0, len(content), PIECE_BYTES):
                piece = content[at : at + PIECE_BYTES]
                arguments = name, at, piece, len(content), self._memory
                self._connection.run([worker.address], remote.add_piece, *arguments, seconds=PIECE_SECONDS)
            worker.hold([name])
            del contents[name]

    def _submit(self, batch: Batch, leaves: list[Leaf], contents: dict[bytes, bytes]) -> None:
        worker = batch.worker
        worker.hold(contents)
        message = BatchMessage(self._home, tuple(map(tuple, leaves)), contents, self._trusted, self._memory)
        worker.heard = time.monotonic()
        key = f"intemi-{self._home}-{batch.number}-{uuid.uuid4().hex[:8]}"
        batch.future = tasks.submit(
            self._connection.client, worker.address, key, remote.run_batch, wire.sealed(message)
        )
        batch.future.add_done_callback(lambda future: self._receive(batch, future))
        if batch.is_over:  # its worker left meanwhile
            batch.future.release()

    def _fail(self, batch: Batch, error: Exception) -> None:
        """A batch cannot be sent. If its worker cannot be reached, that says nothing of the leaves."""
        why = f"it cannot be sent ({type(error).__name__}: {error})"
        time.sleep(PAUSE_SECONDS)
        if not self._connection.is_running:
            self._lose(batch, why, False)
        elif isinstance(error, OSError):
            warn(f"the worker {batch.worker.address} cannot be reached ({error}); its leaves are queued again")
            self._give_up(batch.worker, why, False)
        else:
            self._lose(batch, why, True)
