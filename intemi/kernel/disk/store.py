"""A store in a folder: one SQLite file, large contents in diskcache, claims that end with their process.

```
machines.sqlite   machines: id → record, children; keys: key → id; contents: id → bytes, also of configurations
contents/         large contents
claims            locks on what is being run
*.damaged-<n>     what could not be used and was set aside
```

Everything that is read back is checked against a checksum and decoded as plain values; whatever fails is treated as
absent, with one warning. Several processes may use a folder at the same time, on one computer.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intemi.kernel.disk.claims import Claims
from intemi.kernel.disk.configs import SharedConfigs
from intemi.kernel.disk.database import Database
from intemi.kernel.disk.known import KnownIds
from intemi.kernel.disk.mending import unusable, warn
from intemi.kernel.disk.schema import LARGE
from intemi.kernel.disk.seal import CHILDREN, CONTENT, RECORD, DamageError, seal, seal_of, unseal
from intemi.kernel.record import Child, Record, decode_children, encode_children
from intemi.kernel.store import BUSY, MINE, Claim, Finished, Kept, Store

if TYPE_CHECKING:
    from intemi.kernel.disk.contents import Contents

_FIND = """
    SELECT rowid, id, record FROM machines WHERE id = ?1
    UNION ALL SELECT machines.rowid, id, record FROM keys JOIN machines ON id = machine WHERE keys.key = ?2
    UNION ALL SELECT * FROM (SELECT rowid, id, record FROM machines WHERE key = ?2 ORDER BY rowid DESC LIMIT 1) LIMIT 1
"""
"""Of two machines with one key the newer: the other would not have been run again if it were in order."""
_KEEP = """
    INSERT INTO machines (id, key, record, children) VALUES (?, nullif(?, x''), ?, nullif(?, x'')) ON CONFLICT (id)
    DO UPDATE SET
    record = excluded.record, children = coalesce(excluded.children, children), key = coalesce(excluded.key, key)
"""
"""Its rows are of bytearrays, empty ones for what is not there: they are bound twice as fast as bytes and None, for
which sqlite3 looks for an adapter each time."""
_KEEP_CONTENT = "INSERT OR IGNORE INTO contents VALUES (?, ?)"
_READ_CONTENT = "SELECT bytes FROM contents WHERE id = ?"
_DROP_CONTENT = "DELETE FROM contents WHERE id = ?"
_ADD_KEY = "INSERT INTO keys VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET machine = excluded.machine"
_FORGET = "UPDATE machines SET id = NULL, record = NULL, children = NULL, key = NULL WHERE id = ?"
"""The row stays: SQLite would give its number to the next machine if it was the last, and a reader would miss that."""
_NOTE_FORGOTTEN = "INSERT OR IGNORE INTO forgotten SELECT id FROM machines WHERE id = ?"
_IN_ORDER = "SELECT rowid, id, record, children FROM machines WHERE rowid > ? AND id NOT NULL ORDER BY rowid LIMIT ?"
_READ_AHEAD = "SELECT rowid, id, key, record FROM machines WHERE rowid > ? AND id NOT NULL ORDER BY rowid LIMIT ?"
_LIST_CHILDREN = "SELECT children FROM machines WHERE id = ?"


_Row = tuple[int, bytes, Any]
"""The number of a machine, its id, its sealed record."""
AT_A_TIME = 1000
"""Machines that are read in one go."""
AHEAD = 64
"""Machines that are read ahead of being asked for, once machines were asked for in the order of their rows, ..."""
OFTEN = 8
"""... so often in a row, ..."""
NEAR = 4
"""... with no more than so many rows from one to the next."""
REMEMBERED = 10_000
"""Machines that were written here last, and need not be read back by whoever asks for what has finished."""


class DiskStore(Store):
    """A store in a folder, which is made if it is not there."""

    durable = True

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder).absolute()
        self._warned: set[bytes] = set()
        self._last_read = 0
        self._in_order = 0
        self._ahead: dict[bytes, _Row] = {}
        self._written: OrderedDict[bytes, tuple[bytes, Record, Sequence[Child]]] = OrderedDict()
        """The machines that were written here last, each with the seal of its record."""
        self._opened_contents: Contents | None = None
        self._opening_contents = threading.Lock()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._claims = Claims(self._folder / "claims")
        except OSError as error:
            raise unusable(self._folder, error) from error
        try:
            self._database = Database(self._folder / "machines.sqlite")
        except BaseException:
            self._claims.close()
            raise
        self._known = KnownIds(self._database, self._claims)
        self._configs = SharedConfigs()
        self._version = self._first_version = self._database.version()

    def find(self, key: bytes) -> Record | None:
        """The record that answers a key, or has that id."""
        return self._find(key, key)

    def _find(self, machine: bytes, key: bytes) -> Record | None:
        row = self._ahead.get(machine) or self._ahead.get(key)
        for number, found, sealed in (row,) if row else self._database.rows(_FIND, (machine, key)):
            self._in_order = self._in_order + 1 if 0 < number - self._last_read <= NEAR else 0
            self._last_read = number
            if row is None and self._in_order >= OFTEN:
                self._read_ahead(number)
            return self._record(found, sealed)
        return None

    def _read_ahead(self, number: int) -> None:
        """A program that is run again asks for machines in the order in which they were finished."""
        ahead: dict[bytes, _Row] = {}
        for row, machine, key, sealed in self._database.rows(_READ_AHEAD, (number, AHEAD)):
            ahead[machine] = row, machine, sealed
            if key is not None:
                ahead[key] = row, machine, sealed
        self._ahead = ahead

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        """Claim a machine before running it; a damaged record does not count as one."""
        self._database.refuse_fork()
        if not self._claims.take(machine):
            return BUSY
        if key is None:
            key = machine
        if self._known.lack(machine, key):
            return MINE
        record = self._find(machine, key)  # who had the claim before may have finished it
        if record is None:
            return MINE
        self._claims.give_back(machine)
        return record

    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""
        self._claims.give_back(machine)

    def keep_all(self, finished: Sequence[Finished], further: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """Keep finished machines, and further keys of some: large contents first, then everything else in one step."""
        rows: list[tuple[bytearray, ...]] = []
        aliases, keys = list(further), [key for key, _ in further]
        contents: list[tuple[bytes, bytes]] = []
        written: dict[bytes, tuple[bytes, Record, Sequence[Child]]] = {}
        self._ahead = {}
        configs: set[bytes] = set()
        for record, own_keys, children, kept in finished:
            if kept:
                for content, payload in kept.items():
                    self._prepare(content, payload, contents)
            machine, config = record.machine, self._configs.name(record.config)
            if config is not None and config not in configs:
                configs.add(config)
                self._prepare(config, record.config, contents)
            first = b""
            for key in own_keys:
                if key == machine:
                    continue
                keys.append(key)
                if first:
                    aliases.append((key, machine))
                else:
                    first = key
            sealed = seal(RECORD, machine, record.encode(config))
            listed = seal(CHILDREN, machine, encode_children(children)) if children else b""
            rows.append((bytearray(machine), bytearray(first), bytearray(sealed), bytearray(listed)))
            written[machine] = seal_of(sealed), record, children
        if aliases or contents or len(rows) > 1:
            self._database.change_together([(_KEEP_CONTENT, contents), (_KEEP, rows), (_ADD_KEY, aliases)])
        elif rows:
            self._database.change(_KEEP, rows[0])
        self._known.add(written)
        self._known.add(keys)
        self._claims.give_back(*written)
        self._warned.difference_update(written)
        self._written.update(written)
        while len(self._written) > REMEMBERED:
            self._written.popitem(last=False)

    def _prepare(self, content: bytes, payload: bytes, rows: list[tuple[bytes, bytes]]) -> None:
        if len(payload) < LARGE:
            rows.append((content, seal(CONTENT, content, payload)))
        else:
            self._contents().write({content: payload})

    def add_key(self, key: bytes, machine: bytes) -> None:
        """Let one more key lead to a machine."""
        self._ahead = {}
        self._database.change(_ADD_KEY, (key, machine))
        self._known.add((key,))

    def forget(self, machine: bytes) -> None:
        """Drop a record, so that the machine can be run again."""
        self._ahead = {}
        self._written.pop(machine, None)
        self._database.change_together([(_NOTE_FORGOTTEN, [(machine,)]), (_FORGET, [(machine,)])])

    def content(self, content: bytes) -> bytes | None:
        """The bytes of a content, or None if they are absent or damaged."""
        for (sealed,) in self._database.rows(_READ_CONTENT, (content,)):
            try:
                return unseal(CONTENT, content, sealed)
            except DamageError as damage:
                self._database.change(_DROP_CONTENT, (content,))  # so that it can be written again
                warn(f"{self._folder.name}/machines.sqlite: content {content.hex()} is treated as absent: {damage}")
        if self._opened_contents is None and not (self._folder / "contents").exists():
            return None
        return self._contents().read(content)

    def children(self, machine: bytes) -> list[Child]:
        """The children of a composite, in order; a composite whose list is damaged is forgotten, to be run again."""
        for (sealed,) in self._database.rows(_LIST_CHILDREN, (machine,)):
            return self._list_of_children(machine, sealed)
        return []

    def _list_of_children(self, machine: bytes, sealed: object) -> list[Child]:
        if sealed is not None:
            try:
                return decode_children(unseal(CHILDREN, machine, sealed))
            except DamageError as damage:
                self.forget(machine)
                self._warn(machine, f"is forgotten, its list of children is damaged: {damage}")
            except Exception as error:  # a type that is not registered here, or bytes that somebody made up
                self._warn(machine, f"has a list of children that cannot be read: {error}")
        return []

    def at_hand(self) -> Callable[[bytes], Kept | None] | None:
        """What tells of machines that were written here last; None once somebody else has written anything."""
        return self._kept if self._database.version() == self._first_version else None

    def _kept(self, machine: bytes) -> Kept | None:
        known = self._written.get(machine)
        return None if known is None else known[1:]

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines in the order in which they were kept, with numbers greater than the one given."""
        while rows := self._database.rows(_IN_ORDER, (after, AT_A_TIME)):
            yield from self._read(rows)
            after = rows[-1][0]

    def forgotten(self) -> list[bytes]:
        """The machines that were forgotten since the last call."""
        listed = [row[0] for row in self._database.rows("SELECT id FROM forgotten")]
        if listed:
            self._database.change_together([("DELETE FROM forgotten WHERE id = ?", [(each,) for each in listed])])
        return listed

    def _read(self, rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, Record, list[Child]]]:
        for number, machine, sealed, children in rows:
            known = self._written.get(machine)
            if known is not None and known[0] == seal_of(sealed):  # else somebody else has run it again
                yield number, known[1], list(known[2])
            elif (record := self._record(machine, sealed)) is not None:
                yield number, record, self._list_of_children(machine, children)

    def changed(self) -> bool:
        """Whether somebody else has changed anything since the last call.

        A process that dies changes nothing: who waits for its claim has to try `claim` again from time to time.
        """
        before, self._version = self._version, self._database.version()
        return before != self._version

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that opened the store."""
        return self._database.is_inherited

    def close(self) -> None:
        """Give back everything; claims end."""
        if self.is_inherited:
            return
        self._database.close()
        if self._opened_contents is not None:
            self._opened_contents.close()
        self._claims.close()

    def _record(self, machine: bytes, sealed: object) -> Record | None:
        try:
            return Record.decode(unseal(RECORD, machine, sealed), self._config)
        except Exception as error:  # damage, a type that is not registered here, or bytes that somebody made up
            self._warn(machine, f"is treated as absent: {error}")
            return None

    def _config(self, name: bytes) -> bytes:
        return self._configs.called(name, self.content)

    def _warn(self, machine: bytes, what: str) -> None:
        if machine not in self._warned:
            self._warned.add(machine)
            name = machine.hex() if isinstance(machine, bytes) else machine  # an id may be damaged, too
            warn(f"{self._folder.name}/machines.sqlite: machine {name} {what}")

    def _contents(self) -> Contents:
        self._database.refuse_fork()
        if self._opened_contents is None:
            from intemi.kernel.disk.contents import Contents

            with self._opening_contents:
                if self._opened_contents is None:
                    self._opened_contents = Contents(self._folder / "contents")
        return self._opened_contents
