"""The index: what the store has on record, read once and turned into tables that can be searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.errors import EncodingError
from intemi.kernel.record import Child, Record
from intemi.kernel.repository.tables import Transaction, text, to_cell
from intemi.kernel.store import Store

AT_A_TIME = 2000
"""Machines that are written in one transaction."""
_REMEMBERED = 2**18
"""Numbers that are kept in memory."""
_IN_ONE_STATEMENT = 500

_COLUMNS = ("kind", "config", "started", "wall", "cpu", "queue", "memory", "failure")
_UPDATED = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS)
_ADD_MACHINE = f"INSERT INTO machines VALUES ({', '.join('?' * 10)}) ON CONFLICT (number) DO UPDATE SET {_UPDATED}"
_ADD_CHILD = "INSERT OR IGNORE INTO machines (number, id) VALUES (?, ?)"
_ADD_RESULT = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)"
_ADD_EDGE = "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?)"
_DROP_EDGES = "DELETE FROM edges WHERE parent = ?"
_DROP = (
    "DELETE FROM results WHERE machine = ?",
    _DROP_EDGES,
    f"UPDATE machines SET {', '.join(f'{column} = NULL' for column in _COLUMNS)} WHERE number = ?",
)

_Row = tuple[Any, ...]


class Index:
    """The tables of machines, results and edges, as they are written. Used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[bytes, int] = {}
        self._configs: dict[bytes, int] = {}

    def catch_up(self, store: Store, source: str) -> None:
        """Read what has finished since the last time from the store, whose file is known as `source`."""
        while self._read_some(store, source) == AT_A_TIME:
            pass

    def add_unfinished(self, machines: Sequence[tuple[Record, list[Child]]]) -> None:
        """Note what is known so far of machines that are not finished; some may have been read since as finished."""
        with self._changing():
            finished = dict(self._known([record.machine for record, _ in machines], "wall IS NOT NULL"))
            self._add([each for each in machines if each[0].machine not in finished], are_finished=False)

    def _read_some(self, store: Store, source: str) -> int:
        # The store is read while nobody else can write here: what it says then is newer than all that was written.
        with self._changing():
            mark = self._mark(store, source)
            finished = list(islice(store.finished(mark), AT_A_TIME))
            if finished:
                ran = [(record, children) for _, record, children in finished if record.started]
                self._add(ran, are_finished=True)  # a value that was given has never run
                self._connection.execute("UPDATE mark SET number = ?", (finished[-1][0],))
            return len(finished)

    def _mark(self, store: Store, source: str) -> int:
        """Up to which number the store has been read; what it has forgotten since is dropped here as well."""
        known, mark = self._connection.execute("SELECT source, number FROM mark").fetchone() or (None, 0)
        if known != source:
            mark = 0
            self._connection.execute("DELETE FROM mark")
            self._connection.execute("INSERT INTO mark VALUES (?, 0)", (source,))
        forgotten = store.forgotten()
        if forgotten:
            numbers = [(number,) for _, number in self._known(forgotten)]
            for statement in _DROP:
                self._connection.executemany(statement, numbers)
        return int(mark)

    def _add(self, found: Sequence[tuple[Record, list[Child]]], are_finished: bool) -> None:
        machines: dict[int, _Row] = {}
        results: list[_Row] = []
        edges: list[_Row] = []
        ids = (each for record, children in found for each in (record.machine, *(child.machine for child in children)))
        new = self._give_numbers(dict.fromkeys(ids))
        for record, children in found:
            number = self._numbers[record.machine]
            machines[number] = (
                number,
                record.machine,
                record.kind,
                self._config(record.config),
                record.started,
                *((record.wall, record.cpu, record.queue, record.memory) if are_finished else (None,) * 4),
                None if record.failure is None else text(record.failure.message),
            )
            results += results_of(number, record)
            for child in children:
                comments = encoding.encode(child.comments) if child.comments else None
                edges.append((number, child.index, self._numbers[child.machine], text(child.name), comments))
        change = self._connection.executemany
        change(_ADD_MACHINE, machines.values())
        change(_ADD_CHILD, [(number, machine) for machine, number in new if number not in machines])
        change(_ADD_RESULT, results)
        if are_finished:  # children of the time before it finished may have been given up
            change(_DROP_EDGES, [(self._numbers[record.machine],) for record, children in found if children])
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
        if len(self._numbers) > _REMEMBERED:
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
        for start in range(0, len(machines), _IN_ONE_STATEMENT):
            some = machines[start : start + _IN_ONE_STATEMENT]
            listed = f"id IN ({','.join('?' * len(some))})"
            yield from self._connection.execute(f"SELECT id, number FROM machines WHERE {listed} AND {condition}", some)

    def _config(self, config: bytes) -> int:
        known = self._configs.get(config)
        if known is None:
            digest = encoding.digest(config)
            found = self._connection.execute("SELECT number FROM configs WHERE digest = ?", (digest,)).fetchone()
            if found is None:
                added = self._connection.execute("INSERT INTO configs (digest, bytes) VALUES (?, ?)", (digest, config))
                found = (added.lastrowid,)
            if len(self._configs) > _REMEMBERED:
                self._configs.clear()
            known = self._configs[config] = int(found[0])
        return known


def results_of(number: int, record: Record) -> list[_Row]:
    """The rows of a machine's results."""
    try:
        results = record.fixed_results()
    except EncodingError:  # somebody who knows the type of these values may ask for them
        return [(number, 0, None, record.encode())]
    return [
        (number, place, text(label), value if type(value) is bytes else to_cell(value))
        for place, (label, value) in enumerate(results.items())
    ]
