"""Lookups in the tables of the repository: sets of machines, what leads to them, and what is known of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from intemi.kernel.repository.requests import Requests
from intemi.kernel.repository.tables import Transaction, text


class Narrowing(NamedTuple):
    """A condition on machines, in SQL, that all of those that can qualify fulfil."""

    condition: str
    parameters: tuple[Any, ...] = ()


Edge = tuple[int, int, int, str, bytes | None]
"""A child as its parent knows it: the parent, its place among the children, itself, its name, comments on it."""
Edges = dict[int, list[Edge]]
"""By parents, and in the order of requests."""
Machines = dict[int, tuple[str, int, int | None]]
"""The kinds of machines, the numbers of their configurations, and of the axes of their blocks, if they have any."""
Root = tuple[int, str, bytes | None]
"""A machine that a user has asked for, how the user called it, and comments on it."""
Cells = list[tuple[int, str | None, Any]]
"""Numbers of machines, labels, and cells as they are in the tables."""

# CROSS JOIN is SQLite's way to say which table comes first: it does not know how few machines a question is about.
_CHILDREN = "SELECT edges.* FROM wanted CROSS JOIN edges ON parent = machine"
_FOLLOW = """
    SELECT edges.*, kind, config, axes FROM wanted CROSS JOIN edges ON {near} = wanted.machine
    LEFT JOIN machines ON number = {far} WHERE {condition}
"""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM wanted CROSS JOIN edges ON {near} = wanted.machine LIMIT ?)"
_LEADS_ON = "EXISTS (SELECT 1 FROM edges AS further WHERE further.parent = edges.child)"
_ROOTS = "SELECT number, name, comments FROM roots JOIN machines ON id = machine WHERE kind IS NOT NULL AND ({}) "
_ROOTS_AMONG = """
    SELECT number, name, comments FROM wanted CROSS JOIN machines ON number = wanted.machine
    CROSS JOIN roots ON roots.machine = id
"""
_IN_ORDER = "ORDER BY run, position"
_KNOWN = "SELECT {} FROM machines WHERE kind IS NOT NULL AND ({})"
_NO_LIMIT = -1


class Lookup:
    """What questions need to know from the tables. Used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._wanted: Collection[int] = ()
        """The machines that the table `wanted` holds."""

    def number_of(self, machine: bytes) -> int | None:
        """The number of a machine's id; None if nothing but its name is known."""
        statement = "SELECT number FROM machines WHERE id = ? AND kind IS NOT NULL"
        found = self._connection.execute(statement, (machine,)).fetchone()
        return None if found is None else int(found[0])

    def is_finished(self, machine: bytes) -> bool:
        """Whether all is known of a machine's id."""
        statement = "SELECT 1 FROM machines WHERE id = ? AND wall IS NOT NULL"
        return self._connection.execute(statement, (machine,)).fetchone() is not None

    def first_run(self, machine: bytes) -> tuple[int, str] | None:
        """The number and name of the first run in which a machine was requested by the user's program."""
        statement = (
            "SELECT number, runs.name FROM roots JOIN runs ON number = run WHERE machine = ? ORDER BY number LIMIT 1"
        )
        found: tuple[int, str] | None = self._connection.execute(statement, (machine,)).fetchone()
        return found

    # Machines and edges

    def snapshot(self) -> Transaction:
        """What is looked up within fits together, though another process may be writing."""
        return Transaction(self._connection, "BEGIN")

    def count(self, narrowing: Narrowing) -> int:
        """How many machines fulfil a condition."""
        statement = _KNOWN.format("count(*)", narrowing.condition)
        return int(self._connection.execute(statement, narrowing.parameters).fetchone()[0])

    def numbers(self, narrowing: Narrowing) -> set[int]:
        """The machines that fulfil a condition."""
        statement = _KNOWN.format("number", narrowing.condition)
        return {row[0] for row in self._connection.execute(statement, narrowing.parameters)}

    def machines(self, numbers: Collection[int]) -> Machines:
        """What machines are; some are known by name only, and left out."""
        self._want(numbers)
        statement = (
            "SELECT number, kind, config, axes FROM wanted CROSS JOIN machines ON number = machine WHERE kind NOT NULL"
        )
        return {row[0]: row[1:] for row in self._connection.execute(statement)}

    def above(self, machines: Collection[int]) -> tuple[Edges, Machines]:
        """All edges on the ways that lead to machines, and the machines that they lead from."""
        ways = self._follow(machines, "child", "parent")
        assert ways is not None
        return ways

    def below(
        self, machines: Collection[int], kinds: Collection[str] | None, at_most: int
    ) -> tuple[Edges, Machines] | None:
        """All edges on the ways that lead on from machines, and the machines that they lead to; None if too many.

        Of machines that nothing is below of, those that are of some kinds; None: of any.
        """
        if kinds is None:
            return self._follow(machines, "parent", "child", at_most)
        return self._follow(machines, "parent", "child", at_most, f"{_among('kind', kinds)} OR {_LEADS_ON}", kinds)

    def children(self, machines: Collection[int]) -> Edges:
        """The edges that lead from machines to their children."""
        self._want(machines)
        return _by_parents(self._connection.execute(_CHILDREN))

    def _follow(
        self,
        machines: Collection[int],
        near: str,
        far: str,
        at_most: int = _NO_LIMIT,
        condition: str = "TRUE",
        parameters: Iterable[str] = (),
    ) -> tuple[Edges, Machines] | None:
        statement = _FOLLOW.format(near=near, far=far, condition=condition)
        far_end = ("parent", "position", "child").index(far)
        found: list[tuple[Any, ...]] = []
        met: Machines = {}
        reached = set(machines)
        new: Collection[int] = reached.copy()
        left = at_most
        while new:
            self._want(new)
            if at_most != _NO_LIMIT:  # of edges that are looked at, whether they lead anywhere or not
                left -= self._connection.execute(_COUNT.format(near=near), (left + 1,)).fetchone()[0]
                if left < 0:
                    return None
            rows = self._connection.execute(statement, tuple(parameters)).fetchall()
            found += rows
            met.update((row[far_end], row[5:]) for row in rows if row[5] is not None)
            new = {row[far_end] for row in rows} - reached
            reached |= new
        return _by_parents(row[:5] for row in found), met

    # Roots

    def roots_among(self, machines: Collection[int]) -> list[Root]:
        """Those of some machines that users have asked for."""
        self._want(machines)
        return list(dict.fromkeys(self._connection.execute(_ROOTS_AMONG + _IN_ORDER)))

    def roots_of(self, requests: Requests) -> list[Root]:
        """The machines that requests have asked for."""
        condition, parameters = requests.condition
        statement = _ROOTS.format(condition) + _IN_ORDER
        return list(dict.fromkeys(self._connection.execute(statement, parameters)))

    def machines_of(self, requests: Requests) -> dict[bytes, str]:
        """The ids of machines that requests have asked for, finished or not, and how users called them."""
        condition, parameters = requests.condition
        statement = f"SELECT machine, name FROM roots WHERE machine IS NOT NULL AND {condition} {_IN_ORDER}"
        return dict(self._connection.execute(statement, parameters))

    def unfinished_of(self, requests: Requests) -> list[tuple[str, bytes, bytes | None]]:
        """Requests whose machines are neither finished nor forgotten: name, key and, if that is known, machine."""
        condition, parameters = requests.condition
        statement = f"""
            SELECT DISTINCT name, key, roots.machine FROM roots LEFT JOIN machines ON id = roots.machine
            WHERE wall IS NULL AND {condition}
            AND NOT EXISTS (SELECT 1 FROM forgotten WHERE forgotten.machine = machines.number)
        """
        return self._connection.execute(statement, parameters).fetchall()

    def is_requested(self, requests: Requests) -> bool:
        """Whether there are such requests, started or not."""
        condition, parameters = requests.condition
        return self._connection.execute(f"SELECT 1 FROM roots WHERE {condition}", parameters).fetchone() is not None

    def has_run(self, number: int) -> bool:
        """Whether there is a run of a number."""
        return self._connection.execute("SELECT 1 FROM runs WHERE number = ?", (number,)).fetchone() is not None

    def root_names(self) -> list[str]:
        """The names by which users have asked for machines."""
        return [row[0] for row in self._connection.execute("SELECT DISTINCT name FROM roots ORDER BY name")]

    def requests_of(self, machines: Iterable[bytes]) -> list[str]:
        """How users have called machines that they have asked for, known by their ids."""
        statement = "SELECT DISTINCT name FROM roots WHERE machine = ?"
        return [name for machine in machines for (name,) in self._connection.execute(statement, (machine,))]

    def are_finished(self, machines: Collection[int]) -> bool:
        """Whether all of these machines are finished."""
        self._want(machines)
        statement = "SELECT 1 FROM wanted CROSS JOIN machines ON number = machine WHERE wall IS NULL"
        return self._connection.execute(statement).fetchone() is None

    # What is known of machines

    def ids(self, machines: Collection[int]) -> dict[int, bytes]:
        """The ids of machines."""
        self._want(machines)
        return dict(self._connection.execute("SELECT number, id FROM wanted CROSS JOIN machines ON number = machine"))

    def times(self, machines: Collection[int]) -> dict[int, tuple[Any, ...]]:
        """When each machine was started, what running it took, and why it failed."""
        self._want(machines)
        columns = "number, started, wall, cpu, queue, memory, failure"
        statement = f"SELECT {columns} FROM wanted CROSS JOIN machines ON number = machine"
        return {row[0]: row[1:] for row in self._connection.execute(statement)}

    def configs(self, machines: Collection[int]) -> dict[int, bytes]:
        """The encoded configurations of machines, by their own numbers."""
        self._want(machines)
        statement = (
            "SELECT number, bytes FROM configs WHERE number IN "
            "(SELECT config FROM wanted CROSS JOIN machines ON number = machine)"
        )
        return dict(self._connection.execute(statement))

    def axes(self, number: int) -> bytes:
        """Axes of blocks, encoded, by their own number."""
        (found,) = self._connection.execute("SELECT bytes FROM configs WHERE number = ?", (number,)).fetchone()
        return bytes(found)

    def results(self, machines: Collection[int], labels: Collection[str] | None) -> Cells:
        """The results of machines: all of them, or those with some labels. Cells that have no label are records."""
        self._want(machines)
        statement = (
            "SELECT wanted.machine, label, value FROM wanted CROSS JOIN results ON results.machine = wanted.machine"
        )
        if labels is None:
            return self._connection.execute(f"{statement} ORDER BY results.machine, place").fetchall()
        chosen = f"({_among('label', labels)} OR label IS NULL)"
        return self._connection.execute(f"{statement} WHERE {chosen}", tuple(map(text, labels))).fetchall()

    def machines_with(self, label: str, cell: Any) -> list[bytes]:
        """The ids of all machines with some result."""
        statement = "SELECT id FROM results JOIN machines ON number = machine WHERE label = ? AND value = ?"
        return [machine for (machine,) in self._connection.execute(statement, (text(label), cell))]

    def comments(self, machines: Collection[int], labels: Collection[str] | None) -> Cells:
        """What commentators have said of machines: all of it, or what has some labels."""
        if self._connection.execute("SELECT 1 FROM comments LIMIT 1").fetchone() is None:
            return []
        self._want(machines)
        statement = (
            "SELECT number, label, value FROM wanted CROSS JOIN machines ON number = wanted.machine "
            "CROSS JOIN comments ON comments.machine = machines.id"
        )
        if labels is None:
            return self._connection.execute(statement).fetchall()
        return self._connection.execute(
            f"{statement} AND {_among('label', labels)}", tuple(map(text, labels))
        ).fetchall()

    def _want(self, machines: Collection[int]) -> None:
        if machines is self._wanted and machines:
            return
        self._wanted = ()
        self._connection.execute("DELETE FROM wanted")
        self._connection.execute(
            "INSERT OR IGNORE INTO wanted SELECT value FROM json_each(?)", (str(sorted(machines)),)
        )
        self._wanted = machines


def _by_parents(rows: Iterable[Any]) -> Edges:
    found: Edges = {}
    for edge in rows:
        found.setdefault(edge[0], []).append(edge)
    for edges in found.values():
        edges.sort()  # by position
    return found


def _among(column: str, values: Collection[str]) -> str:
    return f"{column} IN ({','.join('?' * len(values))})"
