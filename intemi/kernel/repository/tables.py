"""The tables of the repository: an index of what the store has on record, made for questions, and notes of runs.

The machines, their results and the edges between them are read from the store, in the order in which they finished;
nothing is lost if the index is behind, or gone. Runs, their root requests and the comments of commentators live here
alone.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.disk.mending import BUSY_TIMEOUT
from intemi.kernel.disk.seal import DamageError

VERSION = 1
APPLICATION = int.from_bytes(b"ir", "big") << 16
SCHEMA = (
    "CREATE TABLE marks (source TEXT PRIMARY KEY, number INTEGER)",
    "CREATE TABLE machines (number INTEGER PRIMARY KEY, id BLOB UNIQUE, kind TEXT, config INTEGER, started REAL, "
    "wall REAL, cpu REAL, queue REAL, memory INTEGER, failure TEXT)",
    "CREATE INDEX machines_by_kind ON machines (kind)",
    "CREATE TABLE configs (number INTEGER PRIMARY KEY, digest BLOB UNIQUE, bytes BLOB)",
    "CREATE TABLE results (machine INTEGER, place INTEGER, label TEXT, value, "
    "PRIMARY KEY (machine, place)) WITHOUT ROWID",
    "CREATE TABLE edges (parent INTEGER, position INTEGER, child INTEGER, name TEXT, comments BLOB, "
    "PRIMARY KEY (parent, position)) WITHOUT ROWID",
    "CREATE INDEX edges_by_child ON edges (child)",
    "CREATE INDEX edges_by_name ON edges (name)",
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, name TEXT, started REAL, program TEXT)",
    "CREATE TABLE roots (run INTEGER, position INTEGER, name TEXT, key BLOB, machine BLOB, "
    "PRIMARY KEY (run, position)) WITHOUT ROWID",
    "CREATE TABLE comments (machine BLOB, label TEXT, value, commentator TEXT, "
    "PRIMARY KEY (machine, label)) WITHOUT ROWID",
)


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the repository's file, or one in memory."""
    name = ":memory:" if path is None else str(path)
    connection = sqlite3.connect(name, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _check(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -32000")
        connection.execute("CREATE TEMP TABLE wanted (machine INTEGER PRIMARY KEY)")
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    if not application and not version and not found:
        marks = (f"PRAGMA application_id = {APPLICATION + VERSION}", f"PRAGMA user_version = {VERSION}")
        connection.executescript("; ".join(("BEGIN IMMEDIATE", *SCHEMA, *marks, "COMMIT")))
    elif application != APPLICATION + version or found != set(SCHEMA):
        raise DamageError("it was written by another program or another version")


def to_cell(value: Any) -> Any:
    """A value as SQLite keeps it: numbers and text as they are, everything else encoded."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    if (type(value) is float and value == value) or type(value) is str:
        return value
    return encoding.encode(value)


def from_cell(cell: Any) -> Any:
    """The value of a cell."""
    return encoding.decode(cell) if type(cell) is bytes else cell
