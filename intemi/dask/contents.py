"""What a worker has received and may need again: bytes by their digests, as many as fit, with the values of them."""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from intemi.dask.wire import Garbled, Reference
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import digest
from intemi.kernel.errors import IntemiError
from intemi.kernel.protection import protected
from intemi.kernel.record import ABSENT
from intemi.kernel.values import PICKLE


class Dropped(IntemiError):
    """A content that was here had to make room for others."""


MAX_UNFINISHED = 8
"""Contents that arrive in pieces; the rest of one may never come, because its home was killed."""


class Contents:
    """Contents by digest, those that were used last.

    >>> contents = Contents(limit=100)
    >>> contents.add(digest(b"N"), b"N")
    >>> contents.lacking([digest(b"N"), digest(b"T")]) == [digest(b"T")]
    True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, bytes] = OrderedDict()
        self._values: dict[bytes, Any] = {}
        self._unfinished: dict[bytes, bytearray] = {}
        self.size = 0

    def add(self, name: bytes, content: bytes) -> None:
        """Keep a content; Garbled if it does not have that digest."""
        if digest(content) != name:
            raise Garbled(f"a content of {len(content)} bytes does not have the digest {name.hex()}")
        self.keep(name, content)

    def keep(self, name: bytes, content: bytes) -> None:
        """Keep a content whose digest was just taken; what was not used for longest makes room."""
        with self._lock:
            if name not in self._held:
                self._held[name] = content
                self.size += len(content)
            self._held.move_to_end(name)
            while self.size > self.limit and len(self._held) > 1:
                oldest, dropped = self._held.popitem(last=False)
                self._values.pop(oldest, None)
                self.size -= len(dropped)

    def add_piece(self, name: bytes, at: int, piece: bytes, size: int) -> None:
        """Take a piece of a large content; the last one completes it."""
        with self._lock:
            if name in self._held:  # another home has sent it meanwhile
                self._unfinished.pop(name, None)
                return
            if name not in self._unfinished:
                self._unfinished[name] = bytearray(size)
            whole = self._unfinished[name]
            if len(self._unfinished) > MAX_UNFINISHED:
                del self._unfinished[next(iter(self._unfinished))]
            whole[at : at + len(piece)] = piece
            if at + len(piece) < size:
                return
            del self._unfinished[name]
        self.add(name, bytes(whole))

    def lacking(self, names: Iterable[bytes]) -> list[bytes]:
        """Which of them are not here; the others are used now."""
        with self._lock:
            missing = []
            for name in dict.fromkeys(names):
                if name in self._held:
                    self._held.move_to_end(name)
                else:
                    missing.append(name)
            return missing

    def value(self, reference: Reference, trusted: bool) -> Any:
        """The value that a reference names."""
        return self._value(reference.content, reference.parts, trusted)

    def _value(self, name: bytes, parts: dict[bytes, bytes], trusted: bool) -> Any:
        with self._lock:
            value = self._values.get(name, ABSENT)
            content = self._held.get(name)
        if value is not ABSENT:
            return value
        if content is None:
            raise Dropped(f"the content {name.hex()} was dropped before it was used; give DaskWorkers more memory")
        if content.startswith(PICKLE):
            if not trusted:
                raise Garbled("a pickled value is taken from a home that trusts the cluster only")
            value = protected(pickle.loads(memoryview(content)[len(PICKLE) :]))
        else:
            value = protected(decode(content, lambda part: self._value(parts[part], parts, trusted)))
        with self._lock:
            if name in self._held:
                self._values[name] = value
        return value
