"""The tables of a store's SQLite file, and how those of an older version become those of this one."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from intemi.kernel.decoding import decode
from intemi.kernel.disk.seal import CHILDREN, seal, unseal
from intemi.kernel.record import Child, encode_children

SCHEMA_VERSION = 2
SCHEMA = (
    "CREATE TABLE machines (id BLOB PRIMARY KEY, record BLOB, children BLOB, key BLOB)",
    "CREATE INDEX machines_by_key ON machines (key) WHERE key IS NOT NULL",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, machine BLOB) WITHOUT ROWID",
    "CREATE TABLE forgotten (id BLOB PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE contents (id BLOB PRIMARY KEY, bytes BLOB)",
)
"""A machine is found by its id, by the key that it was first asked for with, or by further keys. Large contents are
kept elsewhere. Machines that were forgotten are listed, for whoever has read them before."""
LARGE = 65_536
"""Bytes from which on a content is not kept with the records."""
APPLICATION = int.from_bytes(b"im", "big") << 16
"""Our mark in SQLite's header; the lower half repeats the version: a damaged one is not taken for a newer."""


_HAVE_CHILDREN = "SELECT id, children FROM machines WHERE children IS NOT NULL"


def marks(version: int) -> tuple[str, ...]:
    """What writes the version into a file."""
    return f"PRAGMA application_id = {APPLICATION + version}", f"PRAGMA user_version = {version}"


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an older version up to date, in one step."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version == 1:
            _add_keys_and_changes(connection)
        for mark in marks(SCHEMA_VERSION):
            connection.execute(mark)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _add_keys_and_changes(connection: sqlite3.Connection) -> None:
    """From version 1: the first key of a machine stood among the others, and lists of children in another encoding."""
    connection.execute("ALTER TABLE machines ADD COLUMN key BLOB")
    connection.execute(SCHEMA[1])
    connection.execute(SCHEMA[3])
    connection.execute(SCHEMA[4])
    for machine, sealed in connection.execute(_HAVE_CHILDREN).fetchall():
        try:
            children = [Child(*child) for child in decode(unseal(CHILDREN, machine, sealed))]
            row = (seal(CHILDREN, machine, encode_children(children)), machine)
        except Exception:  # damage, a type that is not registered here, or bytes that somebody made up
            continue  # it is met, and warned about, when somebody asks for it
        connection.execute("UPDATE machines SET children = ? WHERE id = ?", row)
