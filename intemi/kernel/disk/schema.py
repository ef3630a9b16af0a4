"""The tables of a store's SQLite file."""

from __future__ import annotations

SCHEMA_VERSION = 5
"""The first version that was released, and the first that every later version of this package has to read."""
UNRELEASED_VERSIONS = range(1, SCHEMA_VERSION)
SCHEMA = (
    "CREATE TABLE machines (id BLOB PRIMARY KEY, record BLOB, children BLOB, key BLOB, proof BLOB)",
    "CREATE INDEX machines_by_key ON machines (key) WHERE key IS NOT NULL",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, machine BLOB) WITHOUT ROWID",
    "CREATE TABLE contents (id BLOB PRIMARY KEY, bytes BLOB)",
    "CREATE TABLE log (number INTEGER PRIMARY KEY, entry BLOB)",
    "CREATE TABLE tally (machines INTEGER, entries INTEGER)",
    "CREATE TRIGGER count_machines AFTER INSERT ON machines BEGIN UPDATE tally SET machines = machines + 1; END",
    "CREATE TRIGGER count_entries AFTER INSERT ON log BEGIN UPDATE tally SET entries = entries + 1; END",
    "CREATE TABLE identity (token BLOB)",
)
"""A machine is found by its id, by the key that it was first asked for with, or by further keys. A key counts only with
its proof: beside it, or behind the id in `keys`. Large contents are kept elsewhere.

No row of `machines` or `log` is ever deleted: what is forgotten leaves a row without an id. So the numbers of rows have
no gaps, and `tally` says how many there must be. The token of `identity` tells this store, and copies of it, from all
others: an index is one of such a store."""
FRESH = (*SCHEMA, "INSERT INTO tally VALUES (0, 0)")
"""What makes an empty file."""
LARGE = 65_536
"""Bytes from which on a content is not kept with the records."""
APPLICATION = int.from_bytes(b"im", "big") << 16
"""Our mark in SQLite's header; the lower half repeats the version: a damaged one is not taken for a newer."""


def marks(version: int) -> tuple[str, ...]:
    """What writes the version into a file."""
    return f"PRAGMA application_id = {APPLICATION + version}", f"PRAGMA user_version = {version}"
