"""Which ids and keys a file holds, known without asking it, as long as no other process can add any."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from intemi.kernel.disk.claims import Claims
from intemi.kernel.disk.database import Database
from intemi.kernel.id_filter import IdFilter

WORTH = 100
"""All ids are read once so many of them are there for each machine that was claimed: that costs as much as asking."""

_COUNT = "SELECT coalesce(max(rowid), 0) FROM machines"
_LIST_IDS = "SELECT id, key FROM machines WHERE id NOT NULL UNION ALL SELECT key, NULL FROM keys"


class KnownIds:
    """The ids and keys in a file, for a store whose claims tell whether it is alone."""

    def __init__(self, database: Database, claims: Claims) -> None:
        self._database = database
        self._claims = claims
        self._ids: IdFilter | None = None
        self._alone: int | None = None
        self._read_at: tuple[int, int] | None = None
        self._looks = self._size = 0
        self._reading = threading.Lock()

    def lack(self, machine: bytes, key: bytes) -> bool:
        """Whether neither is there, for sure: if that is not known, the file has to be asked."""
        alone = self._claims.alone
        if alone is None:
            return False
        ids = self._ids if alone == self._alone else None
        if ids is None:
            ids = self._read(alone)
        return ids is not None and ids.lack(machine) and ids.lack(key)

    def add(self, ids: Iterable[bytes]) -> None:
        """These have just been written by this store."""
        with self._reading:
            if self._ids is not None:
                self._ids.add(ids)

    def _read(self, alone: int) -> IdFilter | None:
        with self._reading:
            if alone != self._alone:
                state = self._database.version()
                if state != self._read_at:  # others were here: what they have added is not known
                    self._read_at, self._ids = state, None
                    self._looks, self._size = 0, self._database.rows(_COUNT)[0][0]
                self._alone = alone
            if self._ids is None:
                self._looks += 1
                if self._looks * WORTH >= self._size:
                    ids = IdFilter()
                    ids.add(name for row in self._database.rows(_LIST_IDS) for name in row)
                    self._ids = ids
            return self._ids
