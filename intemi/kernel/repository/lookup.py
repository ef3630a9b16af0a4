"""Lookups in the tables of the repository: sets of machines, what leads to them, and what is known of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from intemi.kernel.repository.tables import Transaction


class Edge(NamedTuple):
    """A child as its parent knows it: a row of the table."""

    parent: int
    position: int
    child: int
    name: str
    comments: bytes | None


class Narrowing(NamedTuple):
    """A condition on machines, in SQL, that all of those that can qualify fulfil."""

    condition: str
    parameters: tuple[Any, ...] = ()


Cells = list[tuple[int, str | None, Any]]
"""Numbers of machines, labels, and cells as they are in the tables."""

# CROSS JOIN is SQLite's way to say which table comes first: it does not know how few machines a question is about.
_BELOW = """
    INSERT INTO around WITH RECURSIVE below (machine) AS (
        SELECT machine FROM wanted UNION SELECT child FROM below CROSS JOIN edges ON parent = machine LIMIT ?
    ) SELECT machine FROM below
"""
_ABOVE = """
    INSERT INTO around WITH RECURSIVE above (machine) AS (
        SELECT machine FROM wanted UNION SELECT parent FROM above CROSS JOIN edges ON child = machine
    ) SELECT machine FROM above
"""
_EDGES = "SELECT edges.* FROM around CROSS JOIN edges ON {} = machine ORDER BY parent, position"
_ROOTS = "SELECT number, name FROM roots JOIN machines ON id = machine WHERE kind IS NOT NULL AND ({}) "
_ON_PATH = "?1 = name OR substr(?1, 1, length(name) + 1) = name || '/'"
_IN_ORDER = "ORDER BY run, position"
_KNOWN = "SELECT {} FROM machines WHERE kind IS NOT NULL AND ({})"


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

    # Sets of machines

    def snapshot(self) -> Transaction:
        """What is looked up within fits together, though somebody else may be writing."""
        return Transaction(self._connection, "BEGIN")

    def count(self, narrowing: Narrowing) -> int:
        """How many machines fulfil a condition."""
        statement = _KNOWN.format("count(*)", narrowing.condition)
        return int(self._connection.execute(statement, narrowing.parameters).fetchone()[0])

    def surround_by_those_below(self, roots: Collection[int], at_most: int) -> bool:
        """Look at machines and all that lie below them; False if these are too many."""
        self._connection.execute("DELETE FROM around")
        self._want(roots)
        self._connection.execute(_BELOW, (at_most + 1,))
        return int(self._connection.execute("SELECT count(*) FROM around").fetchone()[0]) <= at_most

    def surround_by_those_above(self, narrowing: Narrowing, roots: Collection[int]) -> set[int]:
        """Look at roots, machines that fulfil a condition, and all that lie above them; those but the last are told."""
        self._connection.execute("DELETE FROM around")
        self._want(roots)
        self._wanted = ()
        statement = _KNOWN.format("number", narrowing.condition)
        self._connection.execute(f"INSERT OR IGNORE INTO wanted {statement}", narrowing.parameters)
        self._connection.execute(_ABOVE)
        return {row[0] for row in self._connection.execute("SELECT machine FROM wanted")}

    def edges_around(self, end: str) -> dict[int, list[Edge]]:
        """The edges one end of which, `parent` or `child`, is looked at: by parents, and in the order of requests."""
        return _by_parents(self._connection.execute(_EDGES.format(end)))

    def machines_around(self, more: Iterable[int] = ()) -> dict[int, tuple[str, int]]:
        """The kind and the number of the configuration of all machines that are looked at, and some more."""
        self._connection.executemany("INSERT OR IGNORE INTO around VALUES (?)", ((each,) for each in more))
        statement = (
            "SELECT number, kind, config FROM around CROSS JOIN machines ON number = machine WHERE kind IS NOT NULL"
        )
        return {number: (kind, config) for number, kind, config in self._connection.execute(statement)}

    # Roots

    def roots_around(self) -> list[tuple[int, str]]:
        """The machines among those looked at that users have asked for, and how they called them."""
        statement = (
            "SELECT number, name FROM around CROSS JOIN machines ON number = around.machine "
            "CROSS JOIN roots ON roots.machine = id "
        )
        return list(dict.fromkeys(self._connection.execute(statement + _IN_ORDER)))

    def roots_of_run(self, run: int) -> list[tuple[int, str]]:
        """The machines that users have asked for in some run."""
        return self._roots("run = ?", run)

    def roots_on(self, path: str) -> list[tuple[int, str]]:
        """The machines that users have asked for by the name that a path begins with."""
        return self._roots(_ON_PATH, path)

    def is_requested(self, path: str) -> bool:
        """Whether a path begins with the name of a request, started or not."""
        return self._connection.execute(f"SELECT 1 FROM roots WHERE {_ON_PATH}", (path,)).fetchone() is not None

    def root_names(self) -> list[str]:
        """The names by which users have asked for machines."""
        return [row[0] for row in self._connection.execute("SELECT DISTINCT name FROM roots ORDER BY name")]

    def are_finished(self, machines: Collection[int]) -> bool:
        """Whether all of these machines are finished."""
        self._want(machines)
        statement = "SELECT 1 FROM wanted CROSS JOIN machines ON number = machine WHERE wall IS NULL"
        return self._connection.execute(statement).fetchone() is None

    def _roots(self, condition: str, *parameters: Any) -> list[tuple[int, str]]:
        return list(dict.fromkeys(self._connection.execute(_ROOTS.format(condition) + _IN_ORDER, parameters)))

    # What is known of machines

    def edges_below(self, machines: Collection[int]) -> dict[int, list[Edge]]:
        """The edges that lead from machines to their children, in the order of requests."""
        self._want(machines)
        return _by_parents(
            self._connection.execute(
                "SELECT edges.* FROM wanted CROSS JOIN edges ON parent = machine ORDER BY parent, position"
            )
        )

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

    def results(self, machines: Collection[int], labels: Collection[str] | None) -> Cells:
        """The results of machines: all of them, or those with some labels. Cells that have no label are records."""
        self._want(machines)
        statement = (
            "SELECT wanted.machine, label, value FROM wanted CROSS JOIN results ON results.machine = wanted.machine"
        )
        if labels is None:
            return self._connection.execute(f"{statement} ORDER BY results.machine, place").fetchall()
        chosen = f"({_among('label', labels)} OR label IS NULL)"
        return self._connection.execute(f"{statement} WHERE {chosen}", tuple(labels)).fetchall()

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
        return self._connection.execute(f"{statement} AND {_among('label', labels)}", tuple(labels)).fetchall()

    def _want(self, machines: Collection[int]) -> None:
        if machines is self._wanted and machines:
            return
        self._wanted = ()
        self._connection.execute("DELETE FROM wanted")
        self._connection.execute("INSERT OR IGNORE INTO wanted SELECT value FROM json_each(?)", (str(list(machines)),))
        self._wanted = machines


def _by_parents(rows: Iterable[Any]) -> dict[int, list[Edge]]:
    found: dict[int, list[Edge]] = {}
    for edge in map(Edge._make, rows):
        found.setdefault(edge.parent, []).append(edge)
    return found


def _among(column: str, values: Collection[str]) -> str:
    return f"{column} IN ({','.join('?' * len(values))})"
