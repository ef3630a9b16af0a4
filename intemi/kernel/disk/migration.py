"""How the files of an older version become those of this one: in one step, and nothing of them is lost.

Version 1 had all keys in one table and lists of children in another encoding. Up to version 2, keys had no proofs, and
runs, requests and comments were in `results.sqlite`, which is an index of everything since then. Up to version 3, a
store had no identity.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgpack import unpackb

from intemi.kernel import entries
from intemi.kernel.decoding import decode
from intemi.kernel.disk.mending import warn
from intemi.kernel.disk.schema import SCHEMA, SCHEMA_VERSION, marks
from intemi.kernel.disk.seal import CHILDREN, COMPOSITE, ENTRY, RECORD, proof, seal, unseal
from intemi.kernel.encoding import digest
from intemi.kernel.record import Child, Record, decode_children, encode_children

_OLD_INDEX = b"ir\0\1"
"""What the header of a `results.sqlite` of version 1 says at 68."""


def migrate(connection: sqlite3.Connection, version: int, path: Path) -> None:
    """Bring a file of an older version up to date, in one step."""
    noted = old_notes(path.with_name("results.sqlite"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version == 1:
            _add_keys_and_contents(connection)
        if version == 2:
            connection.execute("DROP TABLE forgotten")
        if version < 3:
            _add_proofs(connection)
            _add_log(connection, [*noted, *_forgotten(connection)])
        connection.execute(SCHEMA[8])
        for mark in marks(SCHEMA_VERSION):
            connection.execute(mark)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _add_keys_and_contents(connection: sqlite3.Connection) -> None:
    """From version 1: the first key of a machine stood among the others, and lists of children in another encoding."""
    connection.execute("ALTER TABLE machines ADD COLUMN key BLOB")
    connection.execute(SCHEMA[1])
    connection.execute(SCHEMA[3])
    for machine, sealed in connection.execute(_HAVE_CHILDREN).fetchall():
        try:
            children = [Child(*child) for child in decode(unseal(CHILDREN, machine, sealed))]
            row = (seal(CHILDREN, machine, encode_children(children)), machine)
        except Exception:  # damage, a type that is not registered here, or foreign bytes
            continue  # the reader of the list warns of it
        connection.execute("UPDATE machines SET children = ? WHERE id = ?", row)


_HAVE_CHILDREN = "SELECT id, children FROM machines WHERE children IS NOT NULL"


def _add_proofs(connection: sqlite3.Connection) -> None:
    execute, change = connection.execute, connection.executemany
    execute("ALTER TABLE machines ADD COLUMN proof BLOB")
    rows = execute("SELECT rowid, id, key FROM machines WHERE key IS NOT NULL").fetchall()
    proven = [(proof(key, machine), number) for number, machine, key in rows if _are_bytes(machine, key)]
    change("UPDATE machines SET proof = ? WHERE rowid = ?", proven)
    rows = execute("SELECT key, machine FROM keys").fetchall()
    further = [(machine + proof(key, machine), key) for key, machine in rows if _are_bytes(machine, key)]
    change("UPDATE keys SET machine = ? WHERE key = ?", further)
    for number, machine, sealed in execute(_COMPOSITES).fetchall():
        with suppress(Exception):  # the reader of a damaged record warns of it
            row = (seal(COMPOSITE, machine, unseal(RECORD, machine, sealed)), number)
            execute("UPDATE machines SET record = ? WHERE rowid = ?", row)


_COMPOSITES = "SELECT rowid, id, record FROM machines WHERE children IS NOT NULL"


def _add_log(connection: sqlite3.Connection, noted: list[entries.Entry]) -> None:
    numbers = {number for (number,) in connection.execute("SELECT rowid FROM machines")}
    absent = set(range(1, max(numbers, default=0) + 1)) - numbers
    connection.executemany("INSERT INTO machines (rowid) VALUES (?)", [(number,) for number in absent])
    for statement in SCHEMA[4:8]:
        connection.execute(statement)
    connection.execute("INSERT INTO tally SELECT count(*), 0 FROM machines")
    rows = [(number, seal(ENTRY, b"%d" % number, entries.pack(entry))) for number, entry in enumerate(noted, 1)]
    connection.executemany("INSERT INTO log VALUES (?, ?)", rows)


def _forgotten(connection: sqlite3.Connection) -> Iterator[entries.Entry]:
    """Entries for children that are not on record: older versions did not say which ones were forgotten on purpose.

    Their parents stay; what is missing runs again when a question needs it.
    """
    known = {machine for (machine,) in connection.execute("SELECT id FROM machines")}
    absent: dict[bytes, None] = {}
    for machine, sealed in connection.execute(_HAVE_CHILDREN).fetchall():
        with suppress(Exception):  # the reader of a damaged list warns of it
            listed = decode_children(unseal(CHILDREN, machine, sealed))
            absent.update((child.machine, None) for child in listed if child.machine not in known)
    for machine in absent:
        yield entries.FORGOTTEN, machine, 0, b""


def old_notes(path: Path) -> list[entries.Entry]:
    """The runs, requests, unfinished composites and comments of a `results.sqlite` of version 1; else nothing."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if file.read(100)[68:72] != _OLD_INDEX:
                return []
    except OSError:
        return []
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return [entries.unpack(entries.pack(entry)) for entry in _old_entries(connection)]
    except Exception as error:  # it had no checksums: whatever damage has made of it
        warn(f"{path.parent.name}/{path.name}: runs, names of requests and comments are lost, it is damaged: {error}")
        return []


def _old_entries(connection: sqlite3.Connection) -> Iterator[entries.Entry]:
    execute = connection.execute
    sessions: dict[int, bytes] = {}
    for number, name, started, program in execute("SELECT * FROM runs ORDER BY number").fetchall():
        sessions[number] = digest(f"{name} {started!r}".encode("utf-8", "surrogatepass"))
        yield entries.RUN, sessions[number], name, started, program
    roots: dict[int, list[tuple[Any, ...]]] = {}
    for run, *root in execute("SELECT * FROM roots ORDER BY run, position").fetchall():
        roots.setdefault(run, []).append(tuple(root))
    for run, packed in execute("SELECT run, packed FROM new_roots ORDER BY rowid").fetchall():
        roots.setdefault(run, []).extend(unpackb(packed, use_list=False))
    for run, listed in roots.items():
        yield entries.ROOTS, sessions[run], tuple(listed)
    composites = []
    for number, machine, kind, started, config in execute(_OLD_COMPOSITES).fetchall():
        children = [
            Child(position, name, child, {} if comments is None else decode(comments))
            for position, child, name, comments in execute(_OLD_CHILDREN, (number,)).fetchall()
        ]
        record = Record(machine, kind, config, None, {}, started=started)
        composites.append((record.encode(), encode_children(children)))
    if composites:
        yield entries.OPEN, tuple(composites)
    comments = tuple(execute("SELECT * FROM comments").fetchall())
    if comments:
        yield entries.COMMENTS, comments


_OLD_COMPOSITES = """
    SELECT machines.number, id, kind, started, bytes FROM machines JOIN configs ON configs.number = config
    WHERE kind IS NOT NULL AND wall IS NULL
"""
_OLD_CHILDREN = """
    SELECT position, id, name, comments FROM edges JOIN machines ON number = child WHERE parent = ? ORDER BY position
"""


def _are_bytes(*values: object) -> bool:
    return all(isinstance(value, bytes) for value in values)
