"""A durable store as a user may write it: one file, to which everything is appended, and a table in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgpack import Unpacker, packb

from intemi.kernel import entries
from intemi.kernel.entries import Entry
from intemi.kernel.record import Child, Record, decode_children, encode_children
from intemi.kernel.store import Claim, Finished, Store

_claims: dict[tuple[Path, bytes], object] = {}
"""Claims of this process: the file is for one process at a time."""


class JournalStore(Store):
    """Everything that is kept is a line of a journal, which is read again when another store has written to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._path.touch()
        self._lock = threading.RLock()
        self._at = self._seen = 0
        self._ids: dict[bytes, bytes] = {}
        self._records: dict[bytes, tuple[Record, list[Child]]] = {}
        self._contents: dict[bytes, bytes] = {}
        self._order: list[bytes] = []
        self._log: list[Entry] = []
        self._read()
        self._seen = self._at

    def _read(self) -> None:
        with self._lock, self._path.open("rb") as file:
            file.seek(self._at)
            for kind, *fields in Unpacker(file, use_list=False):
                self._apply(kind, *fields)
            self._at = file.tell()

    def _append(self, *lines: tuple[Any, ...]) -> None:
        with self._lock, self._path.open("ab") as file:
            self._read()
            is_own = self._seen == self._at
            file.write(b"".join(map(packb, lines)))
            file.flush()
            self._read()
            self._seen = self._at if is_own else self._seen

    def _apply(self, kind: str, *fields: Any) -> None:
        if kind == "machine":
            record, keys, children, contents = fields
            found = Record.decode(record)
            self._records[found.machine] = found, decode_children(children)
            self._order.append(found.machine)
            self._ids.update(dict.fromkeys(keys, found.machine))
            self._contents.update(contents)
        elif kind == "key":
            self._ids[fields[0]] = fields[1]
        elif kind == "entry":
            self._log.append(entries.unpack(fields[0]))
            if self._log[-1][0] == entries.FORGOTTEN:
                self._records.pop(self._log[-1][1], None)

    def find(self, key: bytes) -> Record | None:
        self._read()
        return self._records.get(self._ids.get(key, key), (None,))[0]

    def children(self, machine: bytes) -> list[Child]:
        return list(self._records.get(machine, (None, ()))[1])

    def content(self, content: bytes) -> bytes | None:
        self._read()
        return self._contents.get(content)

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        if _claims.setdefault((self._path, machine), self) is not self:
            return Claim.BUSY
        found = self.find(machine) or (None if key is None else self.find(key))
        if found is None:
            return Claim.MINE
        self.release(machine)
        return found

    def release(self, machine: bytes) -> None:
        if _claims.get((self._path, machine)) is self:
            del _claims[self._path, machine]

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        lines: list[tuple[Any, ...]] = [("key", *each) for each in keys]
        for record, own, children, contents in finished:
            lines.append(("machine", record.encode(), tuple(own), encode_children(children), dict(contents or {})))
        self._append(*lines)
        for each in finished:
            self.release(each.record.machine)

    def forget(self, machine: bytes) -> None:
        if self.find(machine) is not None:
            self.enter([(entries.FORGOTTEN, machine, 0, b"")])

    def enter(self, new: Sequence[Entry]) -> None:
        self._append(*(("entry", entries.pack(each)) for each in new))

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        self._read()
        for number, machine in enumerate(self._order[after:], after + 1):
            if machine in self._records:
                yield number, *self._records[machine]

    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        self._read()
        for number, entry in enumerate(self._log[after:], after + 1):
            yield number, entry, b""

    def changed(self) -> bool:
        self._read()
        before, self._seen = self._seen, self._at
        return before != self._seen

    def close(self) -> None:
        for path, machine in [each for each, store in _claims.items() if store is self]:
            del _claims[path, machine]
