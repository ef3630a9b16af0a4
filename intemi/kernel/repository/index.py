"""The index: what the store has on record, read once and turned into tables that can be searched.

A finished composite is in it only with its whole branch: if damage has taken something below it, it is dropped here and
in the store, with all that is above it, so that the next request runs it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice, zip_longest
from typing import Any

from intemi.kernel import encoding, entries
from intemi.kernel.block import Axes, axes_of, is_block
from intemi.kernel.decoding import decode
from intemi.kernel.entries import Entry
from intemi.kernel.errors import EncodingError
from intemi.kernel.record import Child, Record, decode_children
from intemi.kernel.repository.tables import IN_BLOCK, Transaction, text, to_cell
from intemi.kernel.store import BufferedStore, Store

MAX_BATCH_ROWS = 20_000
"""Machines, or entries, that are written in one transaction. At its end SQLite looks at all pages of the tables."""
_READ_ROWS = 1000
"""Machines that are read at once: Python's collector looks at all of their records."""
_MAX_CACHED_NUMBERS = 2**14
"""Numbers that are kept in memory: more of them would not fit into the caches of the processor."""
_MAX_PARAMETERS = 500

_COLUMNS = ("kind", "config", "started", "wall", "cpu", "queue", "memory", "failure", "axes")
_UPDATED = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS)
_ADD_MACHINE = f"INSERT INTO machines VALUES ({', '.join('?' * 11)}) ON CONFLICT (number) DO UPDATE SET {_UPDATED}"
_ADD_CHILD = "INSERT OR IGNORE INTO machines (number, id) VALUES (?, ?)"
_ADD_CONFIG = "INSERT OR IGNORE INTO configs (digest, bytes) VALUES (?, ?)"
_ADD_RESULT = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)"
_ADD_AXIS_LABEL = "INSERT OR IGNORE INTO axis_labels VALUES (?, ?)"
_ADD_EDGE = "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?)"
_ADD_ROOT = """
    INSERT INTO roots VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, position) DO UPDATE SET name = excluded.name,
    key = excluded.key, machine = coalesce(excluded.machine, machine), comments = excluded.comments
"""
_DROP_EDGES = "DELETE FROM edges WHERE parent = ?"
_DROP_RESULTS = "DELETE FROM results WHERE machine = ?"
_NOT_FORGOTTEN = "DELETE FROM forgotten WHERE machine = ?"
_DROP = (
    _DROP_RESULTS,
    _DROP_EDGES,
    f"UPDATE machines SET {', '.join(f'{column} = NULL' for column in _COLUMNS)} WHERE number = ?",
)
_WITH_BLOCKS = "SELECT number FROM machines WHERE id = ? AND axes IS NOT NULL"
"""A machine whose results are not all in the index: if its record is lost, they are."""
_INCOMPLETE = """
    SELECT DISTINCT parent.number, parent.id FROM machines AS child
    CROSS JOIN edges ON edges.child = child.number CROSS JOIN machines AS parent ON parent.number = edges.parent
    WHERE child.wall IS NULL AND parent.wall IS NOT NULL AND child.number NOT IN (SELECT machine FROM forgotten)
"""
"""Finished composites that have children which are not finished any more, though they were not forgotten."""
_FORGOTTEN_BELOW = """
    WITH RECURSIVE below (machine) AS (
        SELECT number FROM machines WHERE id = ? AND wall IS NOT NULL
        UNION SELECT child FROM below JOIN edges ON parent = below.machine
    )
    SELECT machine FROM below NATURAL JOIN forgotten
"""
_LOST = """
    SELECT lost.machine, what FROM lost LEFT JOIN machines ON id = lost.machine WHERE wall IS NULL ORDER BY entry
"""
"""What damage has taken, as far as it has not run again."""
_CLEAR = """
    DELETE FROM lost WHERE machine IS NULL
    OR NOT EXISTS (SELECT 1 FROM roots WHERE roots.machine = lost.machine)
"""
"""What belongs to no known request, so that no request can end a warning of it."""

_Row = tuple[Any, ...]


class Index:
    """The tables of machines, results and edges, as they are written. Used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[bytes, int] = {}
        self._configs: dict[bytes, int] = {}
        self._generation: int | None = None
        """That of the store when the mark was compared with what stands there."""
        self._unsaved = 0
        self.new = 0
        """Machines and entries that were read since the tables were opened."""

    @property
    def has_unsaved(self) -> bool:
        """Whether it knows machines that are not in the store."""
        return self._unsaved > 0

    def size(self) -> int:
        """How many machines there are."""
        return int(self._connection.execute("SELECT count(*) FROM machines").fetchone()[0])

    def catch_up(self, store: Store) -> set[bytes]:
        """Read what the store has that is not here yet; machines that are found to be lost or forgotten."""
        lost: set[bytes] = set()
        while True:
            while self._read_machines(store) == MAX_BATCH_ROWS:
                pass
            self._read_unsaved(store)
            lost |= self.read_log(store)
            incomplete = self._drop_incomplete()
            if not incomplete:
                return lost
            store.lose(incomplete, "something below it is damaged or gone")
            lost.update(incomplete)

    def read_log(self, store: Store) -> set[bytes]:
        """Read what the log of the store has that is not here yet; machines that are found to be lost or forgotten."""
        lost: set[bytes] = set()
        while True:
            with self._changing():
                _, mark = self._mark(store)
                found = list(islice(store.log(mark), MAX_BATCH_ROWS))
                for number, entry, _ in found:
                    lost |= self._enter(number, entry, store)
                if found:
                    number, _, stamp = found[-1]
                    self._connection.execute("UPDATE mark SET entry = ?, entry_stamp = ?", (number, stamp))
                    self.new += len(found)
            if len(found) < MAX_BATCH_ROWS:
                return lost

    def expect_all_below(self, machines: Sequence[bytes]) -> bool:
        """Whether something below finished machines was forgotten; `catch_up` treats it as lost from now on."""
        if self._connection.execute("SELECT 1 FROM forgotten LIMIT 1").fetchone() is None:
            return False
        with self._changing():
            found = [
                row for machine in machines for row in self._connection.execute(_FORGOTTEN_BELOW, (machine,)).fetchall()
            ]
            self._connection.executemany(_NOT_FORGOTTEN, found)
        return bool(found)

    def lost(self) -> list[tuple[bytes | None, str]]:
        """What damage has taken and has not run again: machines, as far as they are known, and why."""
        return list(dict.fromkeys(self._connection.execute(_LOST)))

    def _read_machines(self, store: Store) -> int:
        with self._changing():
            mark, _ = self._mark(store)
            unread, before = islice(store.finished(mark), MAX_BATCH_ROWS), self.new
            while finished := list(islice(unread, _READ_ROWS)):
                ran = [(record, children) for _, record, children in finished if record.started]
                self._add(ran, are_finished=True)  # a value that was given has never run
                mark = finished[-1][0]
                self.new += len(finished)
            if self.new > before:
                self._connection.execute("UPDATE mark SET number = ?, stamp = ?", (mark, store.stamp(mark)))
            return self.new - before

    def _read_unsaved(self, store: Store) -> None:
        """Read what this process alone has on record, because it could not, or must not, be written."""
        found = list(store.unsaved(self._unsaved)) if isinstance(store, BufferedStore) else []
        if found:
            with self._changing():
                self._add([(record, children) for _, record, children in found if record.started], are_finished=True)
            self._unsaved = found[-1][0]

    def _mark(self, store: Store) -> tuple[int, int]:
        """Up to which machine and which entry the store has been read."""
        execute = self._connection.execute
        found = execute("SELECT * FROM mark").fetchone()
        identity, generation = store.origin
        if found is not None and generation != self._generation:
            *mark, read = found
            is_another = read != identity
            if is_another and self._generation is None:
                self._clear()
                found = None
            elif is_another or not _stands(store, *mark):
                execute("DELETE FROM mark")  # an older copy, or a file that has taken its place: what was read stays
                found = None
        if found is None:
            found = (0, b"", 0, b"", identity)
            execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?)", found)
        self._generation = generation
        return int(found[0]), int(found[2])

    def _clear(self) -> None:
        """Drop everything: it was read from another store."""
        for (table,) in self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            self._connection.execute(f"DELETE FROM {table}")
        self._numbers.clear()
        self._configs.clear()

    # Entries of the log

    def _enter(self, number: int, entry: Entry, store: Store) -> set[bytes]:
        kind, *fields = entry
        change = self._connection.execute
        if kind == entries.RUN:
            self._run(*fields)
        elif kind == entries.ROOTS:
            self._add_roots(*fields)
        elif kind == entries.OPEN:
            self._add_unfinished(*fields)
        elif kind == entries.COMMENTS:
            self._connection.executemany("INSERT OR REPLACE INTO comments VALUES (?, ?, ?, ?)", *fields)
        elif kind == entries.CLEARED:
            change(_CLEAR)
        elif kind == entries.FORGOTTEN:
            if store.find(fields[0]) is None:  # else it has run again
                self._connection.executemany(_ADD_CHILD, [row[::-1] for row in self._give_numbers({fields[0]: None})])
                number = self._numbers[fields[0]]
                self._drop([number])
                change("INSERT OR IGNORE INTO forgotten VALUES (?)", (number,))
                return {fields[0]}
        elif fields[0] is None:
            change("INSERT OR REPLACE INTO lost VALUES (?, NULL, ?)", (number, fields[3]))
        elif store.find(fields[0]) is None:
            change("DELETE FROM forgotten WHERE machine = (SELECT number FROM machines WHERE id = ?)", (fields[0],))
            change("INSERT OR REPLACE INTO lost VALUES (?, ?, ?)", (number, fields[0], fields[3]))
            self._drop([number for (number,) in change(_WITH_BLOCKS, (fields[0],)).fetchall()])
            return {fields[0]}
        return set()

    def _run(self, session: bytes, name: str, started: float, program: str) -> None:
        row = (text(name), started, text(program), session)
        change = "INSERT INTO runs (name, started, program, session) VALUES (?, ?, ?, ?) ON CONFLICT (session) "
        self._connection.execute(f"{change} DO UPDATE SET name = excluded.name, program = excluded.program", row)

    def _add_roots(self, session: bytes, roots: Sequence[_Row]) -> None:
        find = "SELECT number FROM runs WHERE session = ?"
        found = self._connection.execute(find, (session,)).fetchone()
        if found is None:  # its entry is lost
            self._run(session, "?", 0.0, "{}")
            found = self._connection.execute(find, (session,)).fetchone()
        rows = [
            (found[0], position, text(name), key, machine, *(comments or (None,)))
            for position, name, key, machine, *comments in roots
        ]
        self._connection.executemany(_ADD_ROOT, rows)
        new = [row[:2] for row in rows if row[4] is None]
        self._connection.executemany("INSERT INTO new_roots VALUES (?, ?)", new)

    def _add_unfinished(self, machines: Sequence[tuple[bytes, bytes]]) -> None:
        """Note what was known of machines that were not finished; some may have been read since as finished."""
        decoded = []
        for record, children in machines:
            with suppress(EncodingError):  # comments of a type that is not registered here
                decoded.append((Record.decode(record), decode_children(children)))
        finished = dict(self._known([record.machine for record, _ in decoded], "wall IS NOT NULL"))
        self._add([each for each in decoded if each[0].machine not in finished], are_finished=False)

    def look_up_roots(self, store: Store) -> None:
        """Find the machines of requests that had not been resolved when they were noted."""
        with self._changing():
            execute = self._connection.execute
            rows = execute("SELECT DISTINCT run, position, key, machine FROM new_roots NATURAL JOIN roots").fetchall()
            found = [(*at, None if machine is not None else store.find(key)) for *at, key, machine in rows]
            known = [(record.machine, *at) for *at, record in found if record is not None]
            self._connection.executemany("UPDATE roots SET machine = ? WHERE run = ? AND position = ?", known)
            execute(
                "DELETE FROM new_roots WHERE NOT EXISTS (SELECT 1 FROM roots WHERE machine IS NULL AND "
                "roots.run = new_roots.run AND roots.position = new_roots.position)"
            )

    # Machines

    def _drop_incomplete(self) -> list[bytes]:
        """Drop composites that lack something below them, and all that are above; their ids."""
        dropped: list[bytes] = []
        with self._changing():
            while found := self._connection.execute(_INCOMPLETE).fetchall():
                self._drop([number for number, _ in found])
                dropped += [machine for _, machine in found]
        return dropped

    def _drop(self, numbers: Sequence[int]) -> None:
        for statement in _DROP:
            self._connection.executemany(statement, [(number,) for number in numbers])

    def _add(self, found: Sequence[tuple[Record, list[Child]]], are_finished: bool) -> None:
        machines: dict[int, _Row] = {}
        results: list[_Row] = []
        edges: list[_Row] = []
        axes_found: dict[int, Axes] = {}
        ids = (each for record, children in found for each in (record.machine, *(child.machine for child in children)))
        new = self._give_numbers(dict.fromkeys(ids))
        for record, children in found:
            number = self._numbers[record.machine]
            rows, axes = results_of(number, record)
            machines[number] = (
                number,
                record.machine,
                record.kind,
                self._config(record.config),
                record.started,
                *((record.wall, record.cpu, record.queue, record.memory) if are_finished else (None,) * 4),
                None if record.failure is None else text(record.failure.message),
                None if axes is None else self._config(axes),
            )
            if axes is not None:
                axes_found[self._config(axes)] = axes_of(axes)
            results += rows
            for child in children:
                comments = encoding.encode(child.comments) if child.comments else None
                edges.append((number, child.index, self._numbers[child.machine], text(child.name), comments))
        change = self._connection.executemany
        fresh = {number for _, number in new}
        again = [(number,) for number in machines if number not in fresh]
        if are_finished and again:
            change(_DROP_RESULTS, again)
            change(_NOT_FORGOTTEN, again)
        change(_ADD_MACHINE, machines.values())
        change(_ADD_CHILD, [(number, machine) for machine, number in new if number not in machines])
        change(_ADD_RESULT, results)
        change(_ADD_AXIS_LABEL, [(number, text(label)) for number, axes in axes_found.items() for label in axes.labels])
        if are_finished:  # children of the time before it finished may have been given up
            change(_DROP_EDGES, again)
        change(_ADD_EDGE, edges)

    # Numbers

    @contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            with Transaction(self._connection):
                yield
        except BaseException:
            self._numbers.clear()  # those that were given just now have been taken back
            self._configs.clear()
            raise

    def _give_numbers(self, machines: dict[bytes, None]) -> list[tuple[bytes, int]]:
        """See to it that all of these have numbers; those that had none come back."""
        if len(self._numbers) > _MAX_CACHED_NUMBERS:
            self._numbers.clear()
        missing = [machine for machine in machines if machine not in self._numbers]
        self._numbers.update(self._known(missing))
        (last,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM machines").fetchone()
        given = [
            (machine, number)
            for number, machine in enumerate((each for each in missing if each not in self._numbers), last + 1)
        ]
        self._numbers.update(given)
        return given

    def _known(self, machines: Sequence[bytes], condition: str = "TRUE") -> Iterator[tuple[bytes, int]]:
        for start in range(0, len(machines), _MAX_PARAMETERS):
            some = machines[start : start + _MAX_PARAMETERS]
            listed = f"id IN ({','.join('?' * len(some))})"
            yield from self._connection.execute(f"SELECT id, number FROM machines WHERE {listed} AND {condition}", some)

    def _config(self, config: bytes) -> int:
        """The number of a configuration, or of the axes of blocks: bytes that many machines have in common."""
        known = self._configs.get(config)
        if known is None:
            digest = encoding.digest(config)
            added = self._connection.execute(_ADD_CONFIG, (digest, config))
            known = added.lastrowid
            if not added.rowcount:
                (known,) = self._connection.execute("SELECT number FROM configs WHERE digest = ?", (digest,)).fetchone()
            assert known is not None
            if len(self._configs) > _MAX_CACHED_NUMBERS:
                self._configs.clear()
            self._configs[config] = known
        return known


_CONTENT = {
    "machines": "SELECT id, kind, digest, started, wall, cpu, queue, memory, failure FROM machines "
    "JOIN configs ON configs.number = config WHERE wall IS NOT NULL",
    "results": "SELECT id, place, label, value FROM results JOIN machines ON number = machine WHERE wall IS NOT NULL",
    "axes of blocks": "SELECT id, digest FROM machines JOIN configs ON configs.number = axes WHERE wall IS NOT NULL",
    "children": "SELECT parent.id, position, child.id, name, comments FROM edges "
    "JOIN machines AS parent ON parent.number = parent JOIN machines AS child ON child.number = child "
    "WHERE parent.wall IS NOT NULL",
    "configurations": "SELECT digest, bytes FROM configs",
    "comments": "SELECT machine, label, value, commentator FROM comments",
    "requests": "SELECT session, position, roots.name, key, comments FROM roots JOIN runs ON number = run",
    "runs": "SELECT session, name, started, program FROM runs",
}
"""What an index says, whatever its numbers; each row belongs to what it begins with, and differs from others in its
first two columns."""
_OF_MACHINES = {"machines", "results", "axes of blocks", "children"}
"""Of these, the owners are finished machines."""


def difference(found: sqlite3.Connection, right: sqlite3.Connection) -> str:
    """In what an index differs from one that was just made; empty if it does not. It may know more machines."""
    owners = {machine for (machine,) in right.execute("SELECT id FROM machines WHERE wall IS NOT NULL")}
    for what, statement in _CONTENT.items():
        ordered = f"{statement} ORDER BY 1, 2"
        if what not in _OF_MACHINES:
            owners.update(row[0] for row in right.execute(statement))
        said = (row for row in found.execute(ordered) if row[0] in owners)
        if any(row != expected for row, expected in zip_longest(said, right.execute(ordered))):
            return f"its {what} are not those on record"
    return ""


def only_here(found: sqlite3.Connection, right: sqlite3.Connection) -> int:
    """How many finished machines an index knows that are neither on record nor known to be lost."""
    known = {
        row[0] for row in right.execute("SELECT id FROM machines WHERE wall IS NOT NULL UNION SELECT machine FROM lost")
    }
    return sum(row[0] not in known for row in found.execute("SELECT id FROM machines WHERE wall IS NOT NULL"))


def _stands(store: Store, number: int, stamp: bytes, entry: int, entry_stamp: bytes) -> bool:
    """Whether a store has what a mark says, or says itself that it has dropped it since."""
    later = store.log(entry - 1 if entry else 0)
    if entry and next(((at, found) for at, _, found in later), None) != (entry, entry_stamp):
        return False
    if not number or store.stamp(number) == stamp:
        return True
    dropped = {(fields[1], fields[2]) for _, (kind, *fields), _ in later if kind in (entries.FORGOTTEN, entries.LOST)}
    return (number, stamp) in dropped


def results_of(number: int, record: Record) -> tuple[list[_Row], bytes | None]:
    """The rows of a machine's results, and the axes of its blocks, if it has any: their cells stay in the record."""
    try:
        results = record.fixed_results()
        blocks = [label for label, value in results.items() if type(value) is bytes and is_block(value)]
        axes = decode(results[blocks[0]]).encoded_axes if blocks else None
        if axes is not None:
            results = {**results, **dict.fromkeys(blocks, IN_BLOCK)}
    except EncodingError:  # a program that knows the type of these values may ask for them
        try:
            return [(number, 0, None, record.encode())], None
        except EncodingError:  # what has no encoding is on record in this process only, and cannot be searched
            return [], None
    rows = [
        (number, place, text(label), value if type(value) is bytes else to_cell(value))
        for place, (label, value) in enumerate(results.items())
    ]
    return rows, axes
