"""Configurations that many machines have, such as the test that is run on every fold, are kept once, as contents."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from intemi.kernel.encoding import digest
from intemi.kernel.errors import EncodingError

SMALL = 256
"""Bytes up to which a configuration is kept in each record."""
MOST = 10_000
"""Configurations that are remembered."""


@lru_cache(maxsize=MOST)
def name_of(config: bytes) -> bytes:
    """What a configuration is called where it is kept by itself: as any other content that is the same."""
    return digest(config)


class SharedConfigs:
    """Which configurations of a store stand in records by their names."""

    def __init__(self) -> None:
        self._met: set[bytes] = set()
        self._known: dict[bytes, bytes] = {}

    def name(self, config: bytes) -> bytes | None:
        """The name to be written in its place; None for one that is small, or that no other machine has had."""
        if len(config) <= SMALL:
            return None
        if config in self._met:
            return name_of(config)
        if len(self._met) >= MOST:
            self._met.clear()
        self._met.add(config)
        return None

    def called(self, name: bytes, content: Callable[[bytes], bytes | None]) -> bytes:
        """The configuration of that name, to be read from the store's contents if it is not remembered."""
        config = self._known.get(name)
        if config is None:
            config = content(name)
            if config is None:
                raise EncodingError(f"its configuration {name.hex()} is gone")
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[name] = config
        return config
