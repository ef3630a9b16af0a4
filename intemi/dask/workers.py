"""The workers of a cluster as home sees them: how many batches each has, and what it holds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from itertools import count
from typing import Any

from intemi.kernel.workers.base import Call

MAX_HELD = 2**16
"""Contents of a worker that home remembers."""


class Batch:
    """A batch that was sent, or is about to be."""

    _serial = count()

    def __init__(self, worker: RemoteWorker) -> None:
        self.worker = worker
        self.number = next(self._serial)
        self.calls: dict[int, Call] = {}
        self.expected = 0.0
        """Seconds that its leaves take, as far as that is known."""
        self.future: Any = None
        self.sendings = 0
        """How often it was sent again, because its worker lacked something."""
        self.is_over = False


class RemoteWorker:
    """One worker process of the cluster."""

    def __init__(self, address: str, threads: int, host: str, pid: int) -> None:
        self.address = address
        self.threads = threads
        self.host = host
        self.pid = pid
        self.batches: set[Batch] = set()
        self._holds: OrderedDict[bytes, None] = OrderedDict()
        """Digests of contents that it was sent or has made; it may have dropped some, and says so."""
        self._lock = threading.Lock()
        self.to_send: deque[Batch] = deque()
        """Batches that are to be sent to it, one after the other."""
        self.is_sending = False
        """Whether a thread sends them."""
        self.heard = time.monotonic()
        """When it last heard of home."""
        self.is_due = False
        """Whether there is something that it has to be told."""
        self.is_notified = False
        """Whether a thread tells it."""

    @property
    def place(self) -> str:
        """Host and process, as they go on record."""
        return f"{self.host}:{self.pid}"

    def lacks(self, content: bytes) -> bool:
        """Whether it has not got a content, as far as home knows."""
        with self._lock:
            if content not in self._holds:
                return True
            self._holds.move_to_end(content)
            return False

    def hold(self, contents: Iterable[bytes]) -> None:
        """It has got contents; those that were not used for longest are forgotten, and sent again if need be."""
        with self._lock:
            self._holds.update(dict.fromkeys(contents))
            while len(self._holds) > MAX_HELD:
                self._holds.popitem(last=False)

    def release(self, contents: Iterable[bytes]) -> None:
        """It has dropped contents."""
        with self._lock:
            for each in contents:
                self._holds.pop(each, None)
