"""The log of a store, and what tells that rows are gone: numbers without gaps, and a tally of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from intemi.kernel import entries
from intemi.kernel.disk.format import ENTRY, DamageError, FileDamageError, seal, seal_of, unseal
from intemi.kernel.errors import EncodingError

MAX_GAP = 100_000
"""Rows in a row that can be gone; if there seem to be more, it is their numbers that are damaged."""
_READ = "SELECT number, entry FROM log WHERE number > ? ORDER BY number LIMIT ?"
_WRITE = "INSERT OR REPLACE INTO log VALUES (?, ?)"
_COUNT = """
    SELECT (SELECT machines FROM tally), (SELECT entries FROM tally),
    (SELECT coalesce(max(rowid), 0) FROM machines), (SELECT coalesce(max(number), 0) FROM log)
"""
_COUNT_ANEW = (
    "INSERT INTO tally SELECT coalesce(max(rowid), 0), (SELECT coalesce(max(number), 0) FROM log) FROM machines"
)

Read = tuple[int, entries.Entry, bytes]
"""The number of an entry, the entry, and what tells it from any other that had this number."""


def append(connection: sqlite3.Connection, new: Iterable[entries.Entry]) -> None:
    """Write entries to the end of the log, in a transaction of the caller's."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM log").fetchone()
    rows = [(number, sealed(number, entry)) for number, entry in enumerate(new, last + 1)]
    connection.executemany("INSERT INTO log VALUES (?, ?)", rows)


def sealed(number: int, entry: entries.Entry) -> bytes:
    """An entry as it is written at its place."""
    return seal(ENTRY, b"%d" % number, entries.pack(entry))


def in_order(connection: sqlite3.Connection, statement: str, after: int, at_most: int) -> list[tuple[Any, ...]]:
    """Rows that begin with their numbers, after one of them; FileDamageError if those do not increase."""
    rows = connection.execute(statement, (after, at_most)).fetchall()
    last = after
    for row in rows:
        if not last < row[0] <= last + MAX_GAP:
            raise FileDamageError(f"row {row[0]} comes after row {last}")
        last = row[0]
    return rows


def gaps(after: int, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """The numbers that are missing between rows."""
    if not rows or rows[-1][0] - after == len(rows):
        return []
    return sorted(set(range(after + 1, rows[-1][0])).difference(row[0] for row in rows))


def fill_machines(connection: sqlite3.Connection, absent: Sequence[int]) -> None:
    """Enter rows of machines that are gone as lost, in a transaction of the caller's."""
    connection.executemany("INSERT OR IGNORE INTO machines (rowid) VALUES (?)", [(number,) for number in absent])
    append(connection, [(entries.LOST, None, number, b"", f"machine {number} is gone") for number in absent])
    _count_anew(connection)


def read(connection: sqlite3.Connection, after: int, at_most: int) -> tuple[list[Read], dict[int, str]]:
    """Entries after one, and what is wrong with numbers among them that have none."""
    rows = in_order(connection, _READ, after, at_most)
    wrong = dict.fromkeys(gaps(after, rows), "it is gone")
    found = []
    for number, entry in rows:
        try:
            found.append((number, entries.unpack(unseal(ENTRY, b"%d" % number, entry)), seal_of(entry)))
        except (DamageError, EncodingError) as error:
            wrong[number] = str(error)
    return found, wrong


def fill(connection: sqlite3.Connection, wrong: dict[int, str]) -> None:
    """Replace entries that cannot be read by ones that say so, in a transaction of the caller's."""
    what = "a note of what was requested, said or forgotten is damaged"
    lost = [(number, sealed(number, (entries.LOST, None, number, b"", what))) for number in wrong]
    connection.executemany(_WRITE, lost)
    _count_anew(connection)


def miscounted(connection: sqlite3.Connection) -> str | None:
    """What the tally says against the numbers of rows; None if they fit. Rows at the end leave no gap when they go."""
    machines, noted, last, last_noted = connection.execute(_COUNT).fetchone()
    if (machines, noted) == (last, last_noted):
        return None
    return f"there should be {machines} machines and {noted} notes, and there are {last} and {last_noted}"


def recount(connection: sqlite3.Connection) -> str | None:
    """Enter what the tally says into the log, and correct it, in a transaction of the caller's."""
    wrong = miscounted(connection)
    if wrong is not None:
        append(connection, [(entries.LOST, None, 0, b"", wrong)])
        _count_anew(connection)
    return wrong


def _count_anew(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM tally")
    connection.execute(_COUNT_ANEW)
