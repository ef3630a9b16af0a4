"""A store in a folder: one SQLite file, large contents as files, claims that end with their process.

```
machines.sqlite   machines: id → record, children; keys: key → id; contents: id → bytes, also of configurations;
                  log: runs, requests, comments, losses
contents/         large contents
claims            locks on what is being run
*.damaged-<n>     what could not be used and was set aside
```

Everything that is read back is checked against a checksum and decoded as plain values; whatever fails is treated as
absent, with one warning. Which key leads to which machine has a checksum, too; where that does not fit, the machine is
found by its id. Several processes may use a folder at the same time, on one computer.
"""

from __future__ import annotations

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from secrets import token_bytes
from typing import Any

from intemi.kernel import entries
from intemi.kernel.disk import log
from intemi.kernel.disk.claims import Claims, writing
from intemi.kernel.disk.contents import Contents
from intemi.kernel.disk.database import Database, unusable, warn
from intemi.kernel.disk.format import (
    CHILDREN,
    COMPOSITE,
    CONTENT,
    LARGE,
    RECORD,
    DamageError,
    SharedConfigs,
    proof,
    seal,
    seal_of,
    unseal,
)
from intemi.kernel.disk.salvage import salvage
from intemi.kernel.encoding import DIGEST_SIZE
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import Child, Record, decode_children, encode_children
from intemi.kernel.store import BUSY, MINE, Claim, Finished, Store

_FIND = """
    SELECT rowid, id, record, children IS NOT NULL, NULL FROM machines WHERE id = ?1
    UNION ALL SELECT machines.rowid, id, record, children IS NOT NULL, substr(machine, -16)
    FROM keys JOIN machines ON id = substr(machine, 1, length(machine) - 16) WHERE keys.key = ?2
    UNION ALL SELECT * FROM (
        SELECT rowid, id, record, children IS NOT NULL, coalesce(proof, x'')
        FROM machines WHERE key = ?2 ORDER BY rowid DESC LIMIT 1
    ) LIMIT 1
"""
"""Of two machines with one key the newer: the other would not have been run again if it were in order. The last column
is the proof that the key leads there; a machine that is found by its id needs none."""
_FIND_ALL = "SELECT rowid, id, record, children IS NOT NULL FROM machines WHERE id IN ({})"
_KEEP = """
    INSERT INTO machines (id, key, proof, record, children)
    VALUES (?, nullif(?, x''), nullif(?, x''), ?, nullif(?, x'')) ON CONFLICT (id) DO UPDATE SET
    record = excluded.record, children = excluded.children,
    key = coalesce(excluded.key, key), proof = coalesce(excluded.proof, proof)
"""
"""Its rows are of bytearrays, empty ones for what is not there: they are bound twice as fast as bytes and None, for
which sqlite3 looks for an adapter each time."""
_KEEP_CONTENT = "INSERT OR IGNORE INTO contents VALUES (?, ?)"
_READ_CONTENT = "SELECT bytes FROM contents WHERE id = ?"
_DROP_CONTENT = "DELETE FROM contents WHERE id = ?"
_ADD_KEY = "INSERT INTO keys VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET machine = excluded.machine"
_IS_KEPT = "SELECT 1 FROM machines WHERE id = ?"
_STAMP = "SELECT record FROM machines WHERE rowid = ?"
_WHERE = "SELECT rowid, record FROM machines WHERE id = ?"
_FORGET = "UPDATE machines SET id = NULL, record = NULL, children = NULL, key = NULL, proof = NULL WHERE rowid = ?"
"""The row stays: its number must not be given to another machine."""
_IN_ORDER = "SELECT rowid, id, record, children FROM machines WHERE rowid > ? ORDER BY rowid LIMIT ?"
_READ_AHEAD = """
    SELECT rowid, id, record, children IS NOT NULL, key, proof FROM machines
    WHERE rowid > ? AND id NOT NULL ORDER BY rowid LIMIT ?
"""
_LIST_CHILDREN = "SELECT rowid, children FROM machines WHERE id = ?"


_NewRow = tuple[bytearray, ...]
_Row = tuple[int, bytes, Any, Any, Any]
"""The number of a machine, its id, its sealed record, whether it has children, and the proof of a key."""
PAGE_ROWS = 1000
"""Machines that are read in one go."""
MAX_PARAMETERS = 500
"""Machines that are looked for in one go."""
READ_AHEAD_ROWS = 64
"""Machines that are read ahead of being asked for, once machines were asked for in the order of their rows, ..."""
SEQUENTIAL_READS = 8
"""... so often in a row, ..."""
MAX_ROW_GAP = 4
"""... with no more than so many rows from one to the next."""
MAX_LISTED_NUMBERS = 10
"""Numbers that a message lists."""


MAX_KEPT_LAST = 10_000


class DiskStore(Store):
    """A store in a folder, which is made if it is not there."""

    durable = True

    def __init__(
        self,
        folder: str | os.PathLike[str],
        identity: Callable[[], bytes | None] = lambda: None,
        report: Callable[[str], None] = warn,
    ) -> None:
        """Open a folder; a file that has to be made anew gets the identity that the folder's index knows, if any.

        `report` is called with a sentence for everything that is damaged; it warns by default.
        """
        self._folder = Path(folder).absolute()
        self._name = f"{self._folder.name}/machines.sqlite"
        self._report = report
        self._warned: set[bytes] = set()
        self._last_read = 0
        self._in_order = 0
        self._ahead: dict[bytes, _Row] = {}
        self._kept_last: OrderedDict[bytes, tuple[Record, Sequence[Child]]] = OrderedDict()
        """The machines that were written here last, to be written again if the file is replaced while it is in use."""
        self._contents = Contents(self._folder / "contents", report)
        self._locks = self._folder / "claims"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._claims = Claims(self._locks)
        except OSError as error:
            raise unusable(self._folder, error) from error
        try:
            self._database = Database(self._folder / "machines.sqlite", partial(_identify, identity), salvage, report)
        except BaseException:
            self._claims.close()
            raise
        self._configs = SharedConfigs()
        self._version = self._first_version = self._database.version()

    def find(self, key: bytes) -> Record | None:
        """The record that answers a key, or has that id."""
        return self._find(key, key)

    def _find(self, machine: bytes, key: bytes) -> Record | None:
        row = self._ahead.get(machine) or self._ahead.get(key)
        for number, found, sealed, is_composite, proven in (
            (row,) if row else self._database.rows(_FIND, (machine, key))
        ):
            if proven is not None and not (isinstance(found, bytes) and proven == proof(key, found)):
                return None  # the caller looks for the machine by its id, too
            self._in_order = self._in_order + 1 if 0 < number - self._last_read <= MAX_ROW_GAP else 0
            self._last_read = number
            if row is None and self._in_order >= SEQUENTIAL_READS:
                self._read_ahead(number)
            return self._record(number, found, sealed, is_composite)
        return None

    def find_all(self, machines: Sequence[bytes]) -> Iterator[Record]:
        """The records of machines by their ids, in any order; those that are not there are left out."""
        for start in range(0, len(machines), MAX_PARAMETERS):
            some = machines[start : start + MAX_PARAMETERS]
            for row in self._database.rows(_FIND_ALL.format(", ".join("?" * len(some))), some):
                record = self._record(*row)
                if record is not None:
                    yield record

    def _read_ahead(self, number: int) -> None:
        """A program that is run again asks for machines in the order in which they were finished."""
        ahead: dict[bytes, _Row] = {}
        for row, machine, sealed, is_composite, key, proven in self._database.rows(
            _READ_AHEAD, (number, READ_AHEAD_ROWS)
        ):
            ahead[machine] = row, machine, sealed, is_composite, None
            if key is not None:
                ahead[key] = row, machine, sealed, is_composite, proven or b""
        self._ahead = ahead

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        """Claim a machine before running it; a damaged record does not count as one."""
        self._database.refuse_fork()
        if not self._claims.take(machine):
            return BUSY
        if key is None:
            key = machine
        record = self._find(machine, key)  # who had the claim before may have finished it
        if record is None:
            return MINE
        self._claims.give_back(machine)
        return record

    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""
        self._claims.give_back(machine)

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """Keep finished machines, and further keys of some: large contents first, then everything else in one step."""
        rows: dict[bytes, _NewRow] = {}
        aliases = [_alias(*each) for each in keys]
        contents: list[tuple[bytes, bytes]] = []
        large: dict[bytes, bytes] = {}
        self._ahead = {}
        configs: set[bytes] = set()
        kept_last: dict[bytes, tuple[Record, Sequence[Child]]] = {}
        for record, own_keys, children, kept in finished:
            if kept:
                for content, payload in kept.items():
                    if len(payload) < LARGE:
                        contents.append((content, seal(CONTENT, content, payload)))
                    else:
                        large[content] = payload
            machine, config = record.machine, self._configs.name(record.config)
            if config is not None and config not in configs:
                configs.add(config)
                contents.append((config, seal(CONTENT, config, record.config)))
            first = b""
            for key in own_keys:
                if key == machine:
                    continue
                if first:
                    aliases.append(_alias(key, machine))
                else:
                    first = key
            rows[machine] = _new_row(record, children, first, config)
            kept_last[machine] = record, children
        self._database.refuse_fork()
        with writing(self._locks) if large else nullcontext():
            for content, payload in large.items():
                self._contents.write(content, payload)
            if aliases or contents or len(rows) > 1 or any(row[4] for row in rows.values()):
                self._database.in_one_step(
                    lambda connection: self._write(connection, rows, contents, aliases, finished)
                )
            elif rows:
                self._database.change(_KEEP, *rows.values())
        self._claims.give_back(*rows)
        self._warned.difference_update(rows)
        self._kept_last.update(kept_last)
        while len(self._kept_last) > MAX_KEPT_LAST:
            self._kept_last.popitem(last=False)

    def _write(
        self,
        connection: sqlite3.Connection,
        rows: dict[bytes, _NewRow],
        contents: list[tuple[bytes, bytes]],
        aliases: list[tuple[bytes, bytes]],
        finished: Sequence[Finished],
    ) -> None:
        if self._database.generation != self._first_version[0]:
            rows = {**self._below(connection, finished), **rows}
        for statement, listed in ((_KEEP_CONTENT, contents), (_KEEP, rows.values()), (_ADD_KEY, aliases)):
            if listed:
                connection.executemany(statement, listed)

    def _below(self, connection: sqlite3.Connection, finished: Sequence[Finished]) -> dict[bytes, _NewRow]:
        """What is below composites and was written to another file, before that was set aside, moved or replaced."""
        together = {each.record.machine for each in finished}
        pending = [child for each in finished for child in each.children]
        missing: dict[bytes, _NewRow] = {}
        while pending:
            machine = pending.pop().machine
            if machine in together or machine in missing or connection.execute(_IS_KEPT, (machine,)).fetchone():
                continue
            if machine not in self._kept_last:
                raise IntemiError(
                    f"{self._folder}: machines.sqlite was replaced while it was in use, and what is below a composite "
                    "is not in the new file; run the request again"
                )
            record, children = self._kept_last[machine]
            missing[machine] = _new_row(record, children, b"", None)
            pending += children
        return dict(reversed(missing.items()))

    def add_key(self, key: bytes, machine: bytes) -> None:
        """Let one more key lead to a machine."""
        self._ahead = {}
        self._database.change(_ADD_KEY, _alias(key, machine))

    def forget(self, machine: bytes) -> None:
        """Drop a record, so that the machine can be run again."""

        def drop(connection: sqlite3.Connection) -> None:
            for number, sealed in connection.execute(_WHERE, (machine,)).fetchall():
                connection.execute(_FORGET, (number,))
                log.append(connection, [(entries.FORGOTTEN, machine, number, seal_of(sealed))])

        self._ahead = {}
        self._database.in_one_step(drop)

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        """Drop records of machines that damage has left incomplete; the log says so until they have run again."""

        def drop(connection: sqlite3.Connection) -> None:
            for machine in machines:
                for number, sealed in connection.execute(_WHERE, (machine,)).fetchall():
                    connection.execute(_FORGET, (number,))
                    log.append(connection, [(entries.LOST, machine, number, seal_of(sealed), what)])

        self._ahead = {}
        self._database.in_one_step(drop)

    def _lose(self, number: int, machine: object, why: str) -> None:
        """Drop a row that is damaged."""

        def drop(connection: sqlite3.Connection) -> None:
            for (sealed,) in connection.execute(_STAMP, (number,)).fetchall():
                connection.execute(_FORGET, (number,))
                name = machine if isinstance(machine, bytes) else None
                log.append(connection, [(entries.LOST, name, number, seal_of(sealed), why)])

        self._ahead = {}
        self._database.in_one_step(drop)

    def content(self, content: bytes) -> bytes | None:
        """The bytes of a content, or None if they are absent or damaged."""
        for (sealed,) in self._database.rows(_READ_CONTENT, (content,)):
            try:
                return unseal(CONTENT, content, sealed)
            except DamageError as damage:
                self._database.change(_DROP_CONTENT, (content,))  # so that it can be written again
                self._report(f"{self._name}: content {content.hex()} is treated as absent: {damage}")
        return self._contents.read(content)

    def children(self, machine: bytes) -> list[Child]:
        """The children of a composite, in order; a composite whose list is damaged is lost, to be run again."""
        for number, sealed in self._database.rows(_LIST_CHILDREN, (machine,)):
            return self._list_of_children(number, machine, sealed) or []
        return []

    def _list_of_children(self, number: int, machine: bytes, sealed: object) -> list[Child] | None:
        if sealed is None:
            return []
        try:
            return decode_children(unseal(CHILDREN, machine, sealed))
        except DamageError as damage:
            self._lose(number, machine, "its list of children is damaged")
            self._warn(machine, f"is forgotten, its list of children is damaged: {damage}")
        except Exception as error:  # a type that is not registered here, or foreign bytes
            self._warn(machine, f"has a list of children that cannot be read: {error}")
        return None

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines in the order in which they were kept, with numbers greater than the one given."""
        while rows := self._database.reread(log.in_order, _IN_ORDER, after, PAGE_ROWS):
            if absent := log.gaps(after, rows):
                self._database.in_one_step(log.fill_machines, absent)
                self._report(f"{self._name}: {len(absent)} machines are gone: rows {_listed(absent)}")
            yield from self._read(rows)
            after = rows[-1][0]
        if self._database.reread(log.miscounted) and (wrong := self._database.in_one_step(log.recount)):
            self._report(f"{self._name}: {wrong}")

    def enter(self, new: Sequence[entries.Entry]) -> None:
        """Append entries to the log."""
        self._database.in_one_step(log.append, new)

    def log(self, after: int) -> Iterator[log.Read]:
        """The entries of the log with numbers greater than the one given."""
        while True:
            found, wrong = self._database.reread(log.read, after, PAGE_ROWS)
            if wrong:
                self._database.in_one_step(log.fill, wrong)
                name, why = f"{self._folder.name}/machines.sqlite", next(iter(wrong.values()))
                self._report(f"{name}: {len(wrong)} notes of the log are lost, numbers {_listed(sorted(wrong))}: {why}")
                continue
            if not found:
                return
            yield from found
            after = found[-1][0]

    @property
    def origin(self) -> tuple[bytes, int]:
        token = next((token for (token,) in self._database.rows("SELECT token FROM identity")), b"")
        return token, self._database.generation

    def stamp(self, number: int) -> bytes:
        """What tells the machine with a number from any other that had it; empty if there is none."""
        return next((seal_of(sealed) for (sealed,) in self._database.rows(_STAMP, (number,))), b"")

    def _read(self, rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, Record, list[Child]]]:
        for number, machine, sealed, listed in rows:
            if machine is None:
                continue
            record = self._record(number, machine, sealed, listed is not None)
            if record is not None:
                children = self._list_of_children(number, machine, listed)
                if children is not None:
                    yield number, record, children

    def changed(self) -> bool:
        """Whether another process has changed anything since the last call.

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
        self._claims.close()

    def _record(self, number: int, machine: bytes, sealed: object, is_composite: object) -> Record | None:
        try:
            return Record.decode(unseal(COMPOSITE if is_composite else RECORD, machine, sealed), self._config)
        except Exception as error:  # damage, a configuration that is gone, or foreign bytes
            self._lose(number, machine, f"its record cannot be read: {error}")
            self._warn(machine, f"is treated as absent: {error}")
            return None

    def _config(self, name: bytes) -> bytes:
        return self._configs.called(name, self.content)

    def _warn(self, machine: bytes, what: str) -> None:
        if machine not in self._warned:
            self._warned.add(machine)
            name = machine.hex() if isinstance(machine, bytes) else machine  # an id may be damaged, too
            self._report(f"{self._name}: machine {name} {what}")


def _identify(known: Callable[[], bytes | None], connection: sqlite3.Connection) -> None:
    """Give a new file its identity; one that takes the place of another goes on with the folder's index."""
    if connection.execute("SELECT 1 FROM identity").fetchone() is None:
        connection.execute("INSERT INTO identity VALUES (?)", (known() or token_bytes(DIGEST_SIZE),))


def _new_row(record: Record, children: Sequence[Child], key: bytes, config: bytes | None) -> _NewRow:
    """The row of a machine, with the first key that leads to it and the name of its configuration, if it has those."""
    machine = record.machine
    sealed = seal(COMPOSITE if children else RECORD, machine, record.encode(config))
    listed = seal(CHILDREN, machine, encode_children(children)) if children else b""
    proven = proof(key, machine) if key else b""
    return bytearray(machine), bytearray(key), bytearray(proven), bytearray(sealed), bytearray(listed)


def _alias(key: bytes, machine: bytes) -> tuple[bytes, bytes]:
    return key, machine + proof(key, machine)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:MAX_LISTED_NUMBERS]))
    return shown if len(numbers) <= MAX_LISTED_NUMBERS else f"{shown}, …"
