"""The index: what the store has on record, read once and turned into tables that can be searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from intemi.kernel import encoding
from intemi.kernel.record import Child, Record
from intemi.kernel.repository.tables import from_cell, to_cell
from intemi.kernel.store import Store

AT_A_TIME = 5000
"""Machines that are written in one transaction."""

_ADD_MACHINE = """
    INSERT INTO machines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET
    kind = excluded.kind, config = excluded.config, started = excluded.started, wall = excluded.wall,
    cpu = excluded.cpu, queue = excluded.queue, memory = excluded.memory, failure = excluded.failure
"""
_ADD_RESULT = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)"
_ADD_EDGE = "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?)"

Finished = tuple[int, Record, list[Child]]


class Edge(NamedTuple):
    """A child as its parent knows it."""

    parent: int
    position: int
    name: str
    comments: bytes | None


class Index:
    """The tables of machines, results and edges. Used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._configs: dict[bytes, int] = {}
        self._numbers: dict[bytes, int] = {}

    def catch_up(self, store: Store, source: str) -> None:
        """Read what has finished since the last time."""
        gone, again = store.forgotten()
        if gone:
            with self._transaction():
                self._drop(gone)
                self._add(again)
        found = self._connection.execute("SELECT number FROM marks WHERE source = ?", (source,)).fetchone()
        finished = store.finished(0 if found is None else found[0])
        while batch := list(islice(finished, AT_A_TIME)):
            with self._transaction():
                self._add(batch)
                self._connection.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (source, batch[-1][0]))

    def add_unfinished(self, machines: Iterable[tuple[Record, list[Child]]]) -> None:
        """Note what is known so far of composites that are not finished."""
        with self._transaction():
            self._add([(0, record, children) for record, children in machines])

    def _transaction(self) -> Transaction:
        return Transaction(self._connection)

    def _drop(self, machines: list[bytes]) -> None:
        for machine in machines:
            number = self.number_of(machine)
            if number is not None:
                for statement in (
                    "DELETE FROM results WHERE machine = ?",
                    "DELETE FROM edges WHERE parent = ?",
                    "UPDATE machines SET kind = NULL WHERE number = ?",
                ):
                    self._connection.execute(statement, (number,))

    def _add(self, finished: list[Finished]) -> None:
        machines, results, edges = [], [], []
        for _, record, children in finished:
            number = self._number(record.machine)
            failure = None if record.failure is None else record.failure.message
            machines.append(
                (
                    number,
                    record.machine,
                    record.kind,
                    self._config(record.config),
                    record.started,
                    record.wall,
                    record.cpu,
                    record.queue,
                    record.memory,
                    failure,
                )
            )
            results += [
                (number, place, label, to_cell(value)) for place, (label, value) in enumerate(record.results.items())
            ]
            edges += [
                (
                    number,
                    child.index,
                    self._number(child.machine),
                    child.name,
                    encoding.encode(child.comments) if child.comments else None,
                )
                for child in children
            ]
        self._connection.executemany(_ADD_MACHINE, machines)
        self._connection.executemany(_ADD_RESULT, results)
        self._connection.executemany(_ADD_EDGE, edges)

    def _number(self, machine: bytes) -> int:
        """The number of a machine, given to it if it has none."""
        known = self._numbers.get(machine)
        if known is None:
            known = self.number_of(machine)
            if known is None:
                known = self._connection.execute("INSERT INTO machines (id) VALUES (?)", (machine,)).lastrowid
            assert known is not None
            self._numbers[machine] = known
        return known

    def _config(self, config: bytes) -> int:
        known = self._configs.get(config)
        if known is None:
            digest = encoding.digest(config)
            self._connection.execute(
                "INSERT OR IGNORE INTO configs (digest, bytes) VALUES (?, ?)", (digest, to_cell(config))
            )
            known = self._connection.execute("SELECT number FROM configs WHERE digest = ?", (digest,)).fetchone()[0]
            self._configs[config] = known
        return known

    # Questions

    def number_of(self, machine: bytes) -> int | None:
        """The number of a machine's id."""
        found = self._connection.execute("SELECT number FROM machines WHERE id = ?", (machine,)).fetchone()
        return None if found is None else found[0]

    def machines(self, kinds: Iterable[str] | None, name: str | None, below: Iterable[int] | None) -> list[int]:
        """The finished machines of some kinds, or with some name, or below others: whatever narrows them down most."""
        if kinds is not None:
            kinds = list(kinds)
            holes = ",".join("?" * len(kinds))
            return self._column(f"SELECT number FROM machines WHERE kind IN ({holes})", kinds)
        if name is not None:
            return self._column("SELECT DISTINCT child FROM edges WHERE name = ?", [name])
        if below is None:
            return self._column("SELECT number FROM machines WHERE kind IS NOT NULL", [])
        self._want(below)
        return self._column(
            "WITH RECURSIVE below (machine) AS (SELECT machine FROM wanted UNION "
            "SELECT child FROM edges JOIN below ON parent = machine) SELECT machine FROM below",
            [],
        )

    def edges_to(self, machines: Iterable[int]) -> dict[int, list[Edge]]:
        """For each machine the edges that lead to it from its parents."""
        self._want(machines)
        found: dict[int, list[Edge]] = {}
        for child, *edge in self._connection.execute(
            "SELECT child, parent, position, name, comments FROM wanted JOIN edges ON child = machine"
        ):
            found.setdefault(child, []).append(Edge(*edge))
        return found

    def details(self, machines: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """For each machine its id, kind, configuration's number, and what running it took."""
        self._want(machines)
        statement = "SELECT machines.* FROM wanted JOIN machines ON number = machine"
        return {row[0]: row[1:] for row in self._connection.execute(statement)}

    def configs(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The encoded configurations of some numbers."""
        self._want(numbers)
        statement = "SELECT number, bytes FROM wanted JOIN configs ON number = machine"
        return {number: from_cell(cell) for number, cell in self._connection.execute(statement)}

    def results(self, machines: Iterable[int], labels: Iterable[str] | None = None) -> dict[int, dict[str, Any]]:
        """For each machine its results, all of them or those with some labels."""
        self._want(machines)
        statement = "SELECT wanted.machine, label, value FROM wanted JOIN results ON results.machine = wanted.machine"
        parameters: list[str] = []
        if labels is not None:
            parameters = list(labels)
            statement += f" AND label IN ({','.join('?' * len(parameters))})"
        found: dict[int, dict[str, Any]] = {}
        for machine, label, cell in self._connection.execute(statement, parameters):
            found.setdefault(machine, {})[label] = from_cell(cell)
        return found

    def comments(self, machines: Iterable[int]) -> dict[int, dict[str, Any]]:
        """For each machine what commentators have said of it."""
        self._want(machines)
        statement = (
            "SELECT number, label, value FROM wanted JOIN machines ON number = wanted.machine "
            "JOIN comments ON comments.machine = machines.id"
        )
        found: dict[int, dict[str, Any]] = {}
        for machine, label, cell in self._connection.execute(statement):
            found.setdefault(machine, {})[label] = from_cell(cell)
        return found

    def _column(self, statement: str, parameters: list[Any]) -> list[int]:
        return [row[0] for row in self._connection.execute(statement, parameters)]

    def _want(self, numbers: Iterable[int]) -> None:
        self._connection.execute("DELETE FROM wanted")
        with Transaction(self._connection, "BEGIN"):  # it is a table of this connection alone
            self._connection.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", ((number,) for number in numbers))


class Transaction:
    """All of it or nothing."""

    def __init__(self, connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> None:
        self._connection = connection
        self._begin = begin

    def __enter__(self) -> None:
        self._connection.execute(self._begin)

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
