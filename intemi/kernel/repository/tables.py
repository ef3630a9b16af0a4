"""The tables of the repository: an index of what the store has on record, made for questions, and notes of runs.

The machines, their results and the edges between them are read from the store, in the order in which they finished;
nothing is lost if the index is behind, or gone. Runs, their root requests and the comments of commentators live here
alone.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.decoding import decode
from intemi.kernel.disk.fresh import make_if_absent
from intemi.kernel.disk.mending import BUSY_TIMEOUT
from intemi.kernel.disk.seal import DamageError
from intemi.kernel.errors import IntemiError

VERSION = 1
APPLICATION = int.from_bytes(b"ir", "big") << 16
SCHEMA = (
    "CREATE TABLE mark (source TEXT, number INTEGER)",
    "CREATE TABLE machines (number INTEGER PRIMARY KEY, id BLOB UNIQUE, kind TEXT, config INTEGER, "
    "started REAL, wall REAL, cpu REAL, queue REAL, memory INTEGER, failure TEXT)",
    "CREATE INDEX machines_by_kind ON machines (kind)",
    "CREATE TABLE configs (number INTEGER PRIMARY KEY, digest BLOB UNIQUE, bytes BLOB)",
    "CREATE TABLE results (machine INTEGER, place INTEGER, label TEXT, value, "
    "PRIMARY KEY (machine, place)) WITHOUT ROWID",
    "CREATE TABLE edges (parent INTEGER, position INTEGER, child INTEGER, name TEXT, comments BLOB, "
    "PRIMARY KEY (parent, position)) WITHOUT ROWID",
    "CREATE INDEX edges_by_child ON edges (child)",
    "CREATE INDEX edges_by_name ON edges (name, child)",
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, name TEXT, started REAL, program TEXT)",
    "CREATE TABLE roots (run INTEGER, position INTEGER, name TEXT, key BLOB, machine BLOB, "
    "PRIMARY KEY (run, position)) WITHOUT ROWID",
    "CREATE INDEX roots_by_machine ON roots (machine)",
    "CREATE TABLE new_roots (run INTEGER, packed BLOB)",
    "CREATE TABLE comments (machine BLOB, label TEXT, value, commentator TEXT, "
    "PRIMARY KEY (machine, label)) WITHOUT ROWID",
)
"""`mark` says how far which file of the store was read. A machine without a kind is known as somebody's child only; one
without a wall time is not finished. A result without a label is a whole record, with values of a type that whoever read
it did not know."""
_FRESH = (*SCHEMA, f"PRAGMA application_id = {APPLICATION + VERSION}", f"PRAGMA user_version = {VERSION}")
WAIT_FOR_DISK = "PRAGMA synchronous = NORMAL"
"""From now on a loss of power, too, leaves the file in order."""
WANTED = "CREATE TEMP TABLE wanted (machine INTEGER PRIMARY KEY)"
"""The machines that a lookup is about; of one connection alone."""


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the repository's file, or one in memory."""
    is_fresh = path is not None and make_if_absent(path, _FRESH)
    name = ":memory:" if path is None else str(path)
    connection = sqlite3.connect(name, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if path is None:
            connection.executescript("; ".join(_FRESH))
        else:
            _check(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # Nothing in a fresh file is older than this session: it is not worth waiting for the disk.
        connection.execute("PRAGMA synchronous = OFF" if is_fresh else WAIT_FOR_DISK)
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -64000")  # kB; ids are scattered: a small cache would always miss
        connection.execute(WANTED)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """DamageError if the file is not one of ours, another error if it is a newer one."""
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION + version:
        raise DamageError("it was written by another program")
    if version > VERSION:
        raise IntemiError(
            f"{path}: it has version {version}, this version of intemi reads up to {VERSION}; "
            "use a newer intemi or another folder"
        )
    found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    if found != set(SCHEMA):
        raise DamageError("its tables are not those of a repository")


class Transaction:
    """All of it or nothing."""

    def __init__(self, connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> None:
        self._connection = connection
        self._begin = begin

    def __enter__(self) -> None:
        self._connection.execute(self._begin)

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # the error that led here is the one to tell of
                    self._connection.execute("ROLLBACK")


def to_cell(value: Any) -> Any:
    """A value as SQLite keeps it: numbers and text as they are, everything else encoded."""
    kind = type(value)
    if (
        (kind is float and value == value)
        or (kind is int and -(2**63) <= value < 2**63)
        or (kind is str and text(value) is value)
    ):
        return value
    return encoding.encode(value)


def from_cell(cell: Any) -> Any:
    """The value of a cell."""
    return decode(cell) if type(cell) is bytes else cell


def text(given: str) -> str:
    """Text that SQLite can keep: what is no valid Unicode, such as a name of a file may hold, is spelled out.

    >>> text("caf\\udce9")
    'caf\\\\udce9'
    """
    try:
        if not given.isascii():
            given.encode()
    except UnicodeEncodeError:
        return given.encode("utf-8", "backslashreplace").decode()
    return given
