"""What can be had from a damaged SQLite file of a store: every row that still fits its seal.

A composite counts only with its whole branch. What had been there and is not saved is entered into the log as lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from intemi.kernel import entries
from intemi.kernel.disk.database import COMPLAINTS
from intemi.kernel.disk.format import CHILDREN, COMPOSITE, CONTENT, ENTRY, RECORD, proof, seal, unseal
from intemi.kernel.encoding import DIGEST_SIZE
from intemi.kernel.record import decode_children

MAX_LOOKUPS = 10_000_000
"""Rows that are looked for one by one where a table cannot be read as a whole."""

_Row = tuple[Any, ...]


def salvage(aside: Path, connection: sqlite3.Connection) -> str:
    """Copy what is in order into a fresh file; what is to be said of it."""
    found = _Found({}, {}, [], [], (0, 0))
    if aside.is_file() and not aside.is_symlink():
        with suppress(*COMPLAINTS), closing(sqlite3.connect(aside, isolation_level=None)) as damaged:
            damaged.text_factory = bytes
            found = _Found(
                dict(_machines(damaged)),
                dict(_log(damaged)),
                [row for row in _all(damaged, "keys", "key, machine", "key") if _is_proven(*row)],
                [row for row in _all(damaged, "contents", "id, bytes", "rowid") if _fits(CONTENT, *row)],
                _tally(damaged),
            )
    return found.write(connection)


class _Found:
    """The rows that fit their seals; machines and entries of the log by their numbers."""

    def __init__(
        self,
        machines: dict[int, _Row],
        log: dict[int, bytes],
        keys: list[_Row],
        contents: list[_Row],
        tally: tuple[int, int],
    ) -> None:
        self.machines = machines
        self.log = log
        self._keys = keys
        self._contents = contents
        self._tally = tally
        """How many machines and entries there were."""
        self._drop_incomplete()

    def _drop_incomplete(self) -> None:
        """Drop composites whose branches are not whole, and those above them."""
        known = {row[0]: number for number, row in self.machines.items()}
        below = {row[0]: row[5] for row in self.machines.values() if row[5]}
        incomplete = [machine for machine, children in below.items() if not children <= known.keys()]
        while incomplete:
            for machine in incomplete:
                self.machines.pop(known.pop(machine), None)
                below.pop(machine)
            incomplete = [machine for machine, children in below.items() if not children <= known.keys()]

    def write(self, connection: sqlite3.Connection) -> str:
        last, last_entry = max(0, self._tally[0], *self.machines), max(0, self._tally[1], *self.log)
        gone = [number for number in range(1, last + 1) if number not in self.machines]
        ids = {row[0] for row in self.machines.values()}
        rows = [(number, *row[:5]) for number, row in self.machines.items()]
        rows += [(number, None, None, None, None, None) for number in gone]
        log = dict(self.log)
        for number in (number for number in range(1, last_entry + 1) if number not in self.log):
            log[number] = _lost(number, number, "an entry of the log")
        if gone or not self._tally[0]:
            what = f"{len(gone) or 'all'} machines of a file that was damaged and set aside"
            log[last_entry + 1] = _lost(last_entry + 1, 0, what)
        insert = connection.executemany
        connection.execute("BEGIN IMMEDIATE")
        try:
            insert("INSERT INTO machines (rowid, id, record, children, key, proof) VALUES (?, ?, ?, ?, ?, ?)", rows)
            insert("INSERT INTO log VALUES (?, ?)", sorted(log.items()))
            insert(
                "INSERT OR IGNORE INTO keys VALUES (?, ?)", [row for row in self._keys if row[1][:-DIGEST_SIZE] in ids]
            )
            insert("INSERT OR IGNORE INTO contents VALUES (?, ?)", self._contents)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        if not self.machines:
            return ""
        return f" with {len(self.machines)} machines of it" + (f", {len(gone)} are lost" if gone else "")


def _machines(damaged: sqlite3.Connection) -> Iterator[tuple[int, _Row]]:
    """Number → id, record, children, key, proof, and the ids of its children."""
    seen: set[bytes] = set()
    for number, machine, record, children, key, proven in _numbered(
        damaged, "machines", "rowid, id, record, children, key, proof", "rowid"
    ):
        if not isinstance(machine, bytes) or machine in seen:
            continue
        try:
            unseal(RECORD if children is None else COMPOSITE, machine, record)
            listed = () if children is None else decode_children(unseal(CHILDREN, machine, children))
        except Exception:  # whatever damage has made of it
            continue
        seen.add(machine)
        yield number, (machine, record, children, key, proven, frozenset(child.machine for child in listed))


def _log(damaged: sqlite3.Connection) -> Iterator[tuple[int, bytes]]:
    for number, entry in _numbered(damaged, "log", "number, entry", "number"):
        if _fits(ENTRY, b"%d" % number, entry):
            yield number, entry


def _numbered(damaged: sqlite3.Connection, table: str, columns: str, number: str) -> Iterator[_Row]:
    """The rows of a table: in one go as far as that goes, then one by one."""
    seen = set()
    for row in _all(damaged, table, columns, number):
        if isinstance(row[0], int) and 0 < row[0] < MAX_LOOKUPS and row[0] not in seen:
            seen.add(row[0])
            yield row
    last = max(seen, default=0)
    with suppress(*COMPLAINTS, TypeError):
        last = max(last, *(row[0] or 0 for row in damaged.execute(f"SELECT max({number}) FROM {table}")))
    for each in range(1, min(last, MAX_LOOKUPS) + 1):
        if each not in seen:
            with suppress(*COMPLAINTS):
                yield from damaged.execute(f"SELECT {columns} FROM {table} WHERE {number} = ?", (each,)).fetchall()


def _all(damaged: sqlite3.Connection, table: str, columns: str, order: str) -> Iterator[_Row]:
    """The rows of a table as they come, up to the first that cannot be read, from either end."""
    for direction in ("", "DESC"):
        rows = damaged.cursor()
        try:
            rows.execute(f"SELECT {columns} FROM {table} NOT INDEXED ORDER BY {order} {direction}")
            while (row := rows.fetchone()) is not None:
                yield row
            return
        except COMPLAINTS:
            continue


def _tally(damaged: sqlite3.Connection) -> tuple[int, int]:
    with suppress(*COMPLAINTS, TypeError, ValueError):
        machines, noted = damaged.execute("SELECT machines, entries FROM tally").fetchone()
        return min(int(machines), MAX_LOOKUPS), min(int(noted), MAX_LOOKUPS)
    return 0, 0


def _is_proven(key: object, target: object) -> bool:
    if not isinstance(key, bytes) or not isinstance(target, bytes):
        return False
    return target[-DIGEST_SIZE:] == proof(key, target[:-DIGEST_SIZE])


def _fits(kind: bytes, owner: object, sealed: object) -> bool:
    try:
        assert isinstance(owner, bytes)
        unseal(kind, owner, sealed)
    except Exception:  # whatever damage has made of it
        return False
    return True


def _lost(entry: int, number: int, what: str) -> bytes:
    return seal(ENTRY, b"%d" % entry, entries.pack((entries.LOST, None, number, b"", what)))
