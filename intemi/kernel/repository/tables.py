"""The tables of the repository: an index of what the store has on record, made for questions.

Everything in here was read from the store: machines, their results and the edges between them in the order in which
they finished; runs, requests and comments from its log. Nothing is lost if the index is behind, or gone.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.decoding import decode
from intemi.kernel.disk.format import DamageError

VERSION = 7
APPLICATION = int.from_bytes(b"ir", "big") << 16
SCHEMA = (
    "CREATE TABLE mark (number INTEGER, stamp BLOB, entry INTEGER, entry_stamp BLOB, store BLOB)",
    "CREATE TABLE machines (number INTEGER PRIMARY KEY, id BLOB UNIQUE, kind TEXT, config INTEGER, "
    "started REAL, wall REAL, cpu REAL, queue REAL, memory INTEGER, failure TEXT, axes INTEGER)",
    "CREATE INDEX machines_by_kind ON machines (kind)",
    "CREATE INDEX machines_unfinished ON machines (number) WHERE wall IS NULL",
    "CREATE TABLE configs (number INTEGER PRIMARY KEY, digest BLOB UNIQUE, bytes BLOB)",
    "CREATE TABLE axis_labels (axes INTEGER, label TEXT, PRIMARY KEY (axes, label)) WITHOUT ROWID",
    "CREATE TABLE results (machine INTEGER, place INTEGER, label TEXT, value, "
    "PRIMARY KEY (machine, place)) WITHOUT ROWID",
    "CREATE TABLE edges (parent INTEGER, position INTEGER, child INTEGER, name TEXT, comments BLOB, "
    "PRIMARY KEY (parent, position)) WITHOUT ROWID",
    "CREATE INDEX edges_by_child ON edges (child)",
    "CREATE INDEX edges_by_name ON edges (name, child)",
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, name TEXT, started REAL, program TEXT, session BLOB UNIQUE)",
    "CREATE TABLE roots (run INTEGER, position INTEGER, name TEXT, key BLOB, machine BLOB, comments BLOB, "
    "PRIMARY KEY (run, position)) WITHOUT ROWID",
    "CREATE INDEX roots_by_machine ON roots (machine)",
    "CREATE INDEX roots_by_name ON roots (name)",
    "CREATE TABLE new_roots (run INTEGER, position INTEGER)",
    "CREATE TABLE comments (machine BLOB, label TEXT, value, commentator TEXT, "
    "PRIMARY KEY (machine, label)) WITHOUT ROWID",
    "CREATE TABLE forgotten (machine INTEGER PRIMARY KEY)",
    "CREATE TABLE lost (entry INTEGER PRIMARY KEY, machine BLOB, what TEXT)",
)
"""`mark` says how far the store and its log were read, what stood there, and which store that was. A machine without a
kind is known as a child only; one without a wall time is not finished. A result without a label is a whole record, with
values of a type that was not known where it was read. The cells of blocks are in the records of machines, and not here:
a machine has the number of their axes, which are among the `configs` and have their labels in `axis_labels`; results
with the labels of its blocks have the cell `IN_BLOCK`. `new_roots` are requests whose machines were not known when
they were noted. `forgotten` is what users have dropped and has not run again, `lost` what damage has taken from the
store."""
IN_BLOCK = b""
_MADE = (*SCHEMA, f"PRAGMA application_id = {APPLICATION + VERSION}", f"PRAGMA user_version = {VERSION}")
Image = bytes | memoryview
SMALL = 2**28
"""Bytes up to which an image is used as it is; SQLite lets such tables grow to 1 GB."""
WANTED = "CREATE TEMP TABLE wanted (machine INTEGER PRIMARY KEY)"
"""The machines that a lookup is about; of one connection alone."""


def connect(image: Image | None = None) -> sqlite3.Connection:
    """Tables of this process alone, in memory, empty or with the content of an image; DamageError if that is not one of
    ours."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if image is not None:
            _load(connection, image)
        else:
            connection.executescript("; ".join(_MADE))
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(WANTED)
    except BaseException:
        connection.close()
        raise
    return connection


def _load(connection: sqlite3.Connection, image: Image) -> None:
    try:
        if len(image) < SMALL:
            connection.deserialize(image)
        else:
            with closing(sqlite3.connect(":memory:")) as source:
                source.deserialize(image)
                source.backup(connection)
        numbers = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    except sqlite3.Error as error:
        raise DamageError(str(error)) from error
    if numbers != [APPLICATION + VERSION, VERSION] or found != set(SCHEMA):
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
                with suppress(sqlite3.Error):  # the error that led here is the one to report
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
