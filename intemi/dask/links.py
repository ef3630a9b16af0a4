"""The workers of a cluster as home sees them: how many batches each has, and what it holds."""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import Any

from intemi.kernel.managers import Call


class Shipment:
    """A batch that was sent, or is about to be."""

    _serial = count()

    def __init__(self, link: Link) -> None:
        self.link = link
        self.number = next(self._serial)
        self.calls: dict[int, Call] = {}
        self.expected = 0.0
        """Seconds that its leaves take, as far as that is known."""
        self.future: Any = None
        self.is_over = False


class Link:
    """One worker process of the cluster."""

    def __init__(self, address: str, threads: int, host: str, pid: int) -> None:
        self.address = address
        self.threads = threads
        self.host = host
        self.pid = pid
        self.shipments: set[Shipment] = set()
        self.holds: set[bytes] = set()
        """Digests of contents that it was sent or has made; it may have dropped some, and says so."""
        self.sending = threading.Lock()
        self.heard = time.monotonic()
        """When it last heard of home."""
        self.is_asked = False
        """Whether a sign of life is on its way to it."""

    @property
    def place(self) -> str:
        """Host and process, as they go on record."""
        return f"{self.host}:{self.pid}"

    def lacks(self, content: bytes) -> bool:
        """Whether it has not got a content."""
        return content not in self.holds
