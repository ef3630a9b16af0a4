"""Batches go out: each becomes a message, and a task of dask that is bound to its worker."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from intemi.dask import remote, wire
from intemi.dask.codec import Codec
from intemi.dask.connection import Connection
from intemi.dask.wire import BatchMessage, Leaf
from intemi.dask.workers import Batch, RemoteWorker
from intemi.kernel.dispatch import Outcome
from intemi.kernel.managers import Stopped

MAX_INLINE_BYTES = 2**20
"""Contents that travel with a batch; larger ones travel before it, in pieces."""
PIECE_BYTES = 2**25


class Sender:
    """Sends batches to their workers, each with the contents that its worker lacks.

    `receive` gets each batch that was sent, with its future when that is done. `drop` gets batches of which nothing
    was left to send, and `deliver` what has come of calls that cannot be sent.
    """

    def __init__(
        self,
        connection: Connection,
        codec: Codec,
        home: str,
        trusted: bool,
        memory: int,
        receive: Callable[[Batch, Any], None],
        drop: Callable[[Batch], object],
        deliver: Callable[[Sequence[Outcome]], None],
    ) -> None:
        self._connection, self._codec = connection, codec
        self._home, self._trusted, self._memory = home, trusted, memory
        self._receive, self._drop, self._deliver = receive, drop, deliver

    def send(self, batch: Batch) -> None:
        """Send a batch; it may wait for its worker to take large contents."""
        worker, contents = batch.worker, dict[bytes, bytes]()
        with worker.sending:
            leaves = self._leaves(batch, contents)
            self._send_large(worker, contents)
            worker.hold(contents)
        if not leaves:
            self._drop(batch)
            return
        message = BatchMessage(self._home, tuple(map(tuple, leaves)), contents, self._trusted, self._memory)
        worker.heard = time.monotonic()
        batch.future = self._connection.client.submit(
            remote.run_batch,
            wire.sealed(message),
            key=f"intemi-{self._home}-{batch.number}-{uuid.uuid4().hex[:8]}",
            workers=[worker.address],
            allow_other_workers=False,
            retries=0,
        )
        batch.future.add_done_callback(lambda future: self._receive(batch, future))
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
                self._deliver([Outcome(call, error)])
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
                self._connection.client.run(
                    remote.add_piece, name, at, piece, len(content), self._memory, workers=[worker.address]
                )
            worker.hold([name])
            del contents[name]
