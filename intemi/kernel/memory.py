"""The memory cache: values of finished machines, bounded in bytes, aware of what is going to be used again.

What is held for a queued or running task goes last; everything else goes when it has not been used for the longest
time. A value that was dropped comes back from the store, or is made again. A part that several values share, such as
the table behind many views, counts once, as long as one of them is here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from intemi.kernel.encoding import is_cached, is_shared
from intemi.kernel.protection import Changeable
from intemi.kernel.record import ABSENT

Origin = tuple[bytes, str, int]


class _Part:
    """A part of values, and how many of them have it."""

    __slots__ = ("size", "users")

    def __init__(self, size: int) -> None:
        self.size = size
        self.users = 0


class MemoryCache:
    """Values by their origin.

    >>> cache = MemoryCache(limit=200)
    >>> for index in range(4):
    ...     cache.put((b"machine", "out", index), "x" * 20, size=60)
    >>> cache.get((b"machine", "out", 0)) is ABSENT
    True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._values: OrderedDict[Origin, tuple[Any, int, Sequence[object]]] = OrderedDict()
        self._parts: dict[int, _Part] = {}
        """By their identity: values that are here keep them."""
        self._held: dict[Origin, int] = {}
        self._pinned: dict[Origin, Any] = {}
        self._lock = threading.RLock()

    def get(self, origin: Origin) -> Any:
        """The value, or ABSENT."""
        entry = self._values.get(origin)
        if entry is None:
            return self._pinned.get(origin, ABSENT)
        with self._lock:
            if origin in self._values:
                self._values.move_to_end(origin)
        return entry[0]

    def put(self, origin: Origin, value: Any, size: int, parts: Sequence[object] = ()) -> None:
        """Keep a value of that many bytes, and the parts it shares with others, for as long as there is room."""
        with self._lock:
            known = self._values.get(origin)
            if known is not None:
                if known[0] is value and known[1:] == (size, parts):
                    self._values.move_to_end(origin)
                    return
                self._drop(origin)
            self._values[origin] = value, size, parts
            self.size += size
            for part in parts:
                self._use(part)
            if self.size > self.limit:
                self._shrink(keep=origin)

    def pin(self, origin: Origin, value: Any) -> None:
        """Keep a value that could not be had again; neither it nor its parts count."""
        with self._lock:
            self._pinned[origin] = value
            for part in measured(value)[1]:
                known = self._use(part)
                self.size -= known.size
                known.size = 0

    def hold(self, origins: Sequence[Origin]) -> None:
        """These are going to be used: they are dropped last, until `release`."""
        with self._lock:
            held = self._held
            for origin in origins:
                held[origin] = held.get(origin, 0) + 1

    def release(self, origins: Sequence[Origin]) -> None:
        """One use of each is over."""
        with self._lock:
            held = self._held
            for origin in origins:
                left = held.get(origin, 0) - 1
                if left > 0:
                    held[origin] = left
                else:
                    held.pop(origin, None)

    # Under the lock

    def _use(self, part: object) -> _Part:
        known = self._parts.get(id(part))
        if known is None:
            known = self._parts[id(part)] = _Part(bytes_of(part))
            self.size += known.size
        known.users += 1
        return known

    def _drop(self, origin: Origin) -> None:
        _, size, parts = self._values.pop(origin)
        self.size -= size
        for part in parts:
            known = self._parts[id(part)]
            known.users -= 1
            if not known.users:
                self.size -= known.size
                del self._parts[id(part)]

    def _shrink(self, keep: Origin) -> None:
        bound = self.limit + self._too_large()
        for held_too in (False, True):
            excess = self.size - bound
            dropped = []
            users: dict[int, int] = {}
            for origin, (_, size, parts) in self._values.items():
                if excess <= 0:
                    break
                if origin != keep and (held_too or origin not in self._held):
                    dropped.append(origin)
                    excess -= size
                    for part in parts:
                        known = self._parts[id(part)]
                        users[id(part)] = users.get(id(part), known.users) - 1
                        if not users[id(part)]:
                            excess -= known.size
            for origin in dropped:
                self._drop(origin)

    def _too_large(self) -> int:
        """Bytes of parts that are in use and leave little room for anything else: to drop them would be no help."""
        entries = [self._values[origin] for origin in list(self._held) if origin in self._values]
        large = {id(part): self._parts[id(part)].size for _, _, parts in entries for part in parts}
        return sum(size for size in large.values() if 2 * size > self.limit)


def bytes_of(item: object) -> int:
    """Roughly how many bytes an object occupies, without what it refers to."""
    size = getattr(item, "nbytes", None)
    return (size if isinstance(size, int) else 0) + 64 + (len(item) if isinstance(item, str | bytes) else 0)


def measured(value: object) -> tuple[int, Sequence[object]]:
    """Roughly how many bytes a value occupies, and the parts it shares with others, which are not among them.

    A part is shared whose type says `is_shared`. A type that tells its `nbytes` by itself tells those parts, too, if it
    has any, with `shared_parts`.
    """
    if value is None or type(value) in _SCALARS:
        return 64, ()
    if hasattr(type(value), "nbytes"):
        shared = getattr(value, "shared_parts", ())
        return (0, (value, *shared)) if is_shared(type(value)) else (bytes_of(value), shared)
    total = 0
    parts: list[object] = []
    for item in _flatten(value):
        if is_shared(type(item)):
            parts.append(item)
        else:
            total += bytes_of(item)
    return total, parts


_SCALARS = frozenset((int, float, bool))


def _flatten(value: object) -> Iterator[object]:
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, Changeable):
            pending.append(item.value)
        elif isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            if not (item and type(item) is tuple and is_cached(item[0])):  # these are everywhere, and weigh nothing
                pending.extend(item)
        elif hasattr(item, "nbytes"):
            pending.extend(getattr(item, "shared_parts", ()))
        elif hasattr(item, "__dict__") and not isinstance(item, type):
            pending.extend(vars(item).values())
