"""The memory cache: values of finished machines, bounded in bytes, aware of what is going to be used again.

What is held for a queued or running task goes last; everything else goes when it has not been used for the longest
time. A value that was dropped comes back from the store, or is made again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from intemi.kernel.locks import StepLock
from intemi.kernel.record import ABSENT

Origin = tuple[bytes, str, int]


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
        self._values: OrderedDict[Origin, tuple[Any, int]] = OrderedDict()
        self._held: dict[Origin, int] = {}
        self._pinned: dict[Origin, Any] = {}
        self._lock = StepLock()

    def get(self, origin: Origin) -> Any:
        """The value, or ABSENT."""
        with self._lock:
            entry = self._values.get(origin)
            if entry is not None:
                self._values.move_to_end(origin)
                return entry[0]
        return self._pinned.get(origin, ABSENT)

    def put(self, origin: Origin, value: Any, size: int) -> None:
        """Keep a value of that many bytes for as long as there is room."""
        with self._lock:
            old = self._values.pop(origin, None)
            if old is not None:
                self.size -= old[1]
            self._values[origin] = (value, size)
            self.size += size
            if self.size > self.limit:
                self._shrink(keep=origin)

    def pin(self, origin: Origin, value: Any) -> None:
        """Keep a value that could not be had again."""
        self._pinned[origin] = value

    def hold(self, origins: list[Origin]) -> None:
        """Say that these are going to be used."""
        with self._lock:
            held = self._held
            for origin in origins:
                held[origin] = held.get(origin, 0) + 1

    def release(self, origins: list[Origin]) -> None:
        """Say that one use of each is over."""
        with self._lock:
            held = self._held
            for origin in origins:
                left = held.get(origin, 0) - 1
                if left > 0:
                    held[origin] = left
                else:
                    held.pop(origin, None)

    def _shrink(self, keep: Origin) -> None:
        for held_too in (False, True):
            excess = self.size - self.limit
            dropped = []
            for origin, (_, size) in self._values.items():
                if excess <= 0:
                    break
                if origin != keep and (held_too or origin not in self._held):
                    dropped.append(origin)
                    excess -= size
            for origin in dropped:
                self.size -= self._values.pop(origin)[1]


def plain_size(value: object) -> int:
    """Roughly how many bytes a value occupies, for the bound of the memory cache."""
    if value is None or type(value) in (int, float, bool):
        return 64
    total = 0
    for item in _flatten(value):
        size = getattr(item, "nbytes", None)
        total += (size if isinstance(size, int) else 0) + 64 + (len(item) if isinstance(item, str | bytes) else 0)
    return total


def _flatten(value: object) -> Iterator[object]:
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            pending.extend(item)
        elif not hasattr(item, "nbytes") and hasattr(item, "__dict__") and not isinstance(item, type):
            pending.extend(vars(item).values())
