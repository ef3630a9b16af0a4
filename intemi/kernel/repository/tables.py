"""The tables of the repository: an index of what the store has on record, made for questions, and lookups in it.

Everything in here was read from the store: machines, their results and the edges between them in the order in which
they finished; runs, requests and comments from its log. Nothing is lost if the index is behind, or gone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from typing import Any, Literal, NamedTuple

from intemi.kernel import encoding
from intemi.kernel.decoding import decode
from intemi.kernel.disk.format import DamageError

VERSION = 7
APPLICATION = int.from_bytes(b"ir", "big") << 16
SCHEMA = (
    "CREATE TABLE mark (number INTEGER, stamp BLOB, entry INTEGER, entry_stamp BLOB, store BLOB)",
    "CREATE TABLE machines (number INTEGER PRIMARY KEY, id BLOB UNIQUE, kind TEXT, config INTEGER, "
    "started REAL, wall REAL, cpu REAL, queue REAL, memory INTEGER, failure TEXT, axes INTEGER)",
    "CREATE INDEX machines_by_kind ON machines (kind)",
    "CREATE INDEX machines_unfinished ON machines (number) WHERE wall IS NULL",
    "CREATE TABLE configs (number INTEGER PRIMARY KEY, digest BLOB UNIQUE, bytes BLOB)",
    "CREATE TABLE axis_labels (axes INTEGER, label TEXT, PRIMARY KEY (axes, label)) WITHOUT ROWID",
    "CREATE TABLE results (machine INTEGER, place INTEGER, label TEXT, value, "
    "PRIMARY KEY (machine, place)) WITHOUT ROWID",
    "CREATE TABLE edges (parent INTEGER, position INTEGER, child INTEGER, name TEXT, comments BLOB, "
    "PRIMARY KEY (parent, position)) WITHOUT ROWID",
    "CREATE INDEX edges_by_child ON edges (child)",
    "CREATE INDEX edges_by_name ON edges (name, child)",
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, name TEXT, started REAL, program TEXT, session BLOB UNIQUE)",
    "CREATE TABLE roots (run INTEGER, position INTEGER, name TEXT, key BLOB, machine BLOB, comments BLOB, "
    "PRIMARY KEY (run, position)) WITHOUT ROWID",
    "CREATE INDEX roots_by_machine ON roots (machine)",
    "CREATE INDEX roots_by_name ON roots (name)",
    "CREATE TABLE new_roots (run INTEGER, position INTEGER)",
    "CREATE TABLE comments (machine BLOB, label TEXT, value, commentator TEXT, "
    "PRIMARY KEY (machine, label)) WITHOUT ROWID",
    "CREATE TABLE forgotten (machine INTEGER PRIMARY KEY)",
    "CREATE TABLE lost (entry INTEGER PRIMARY KEY, machine BLOB, what TEXT)",
)
"""`mark` says how far the store and its log were read, what stood there, and which store that was. A machine without a
kind is known as a child only; one without a wall time is not finished. A result without a label is a whole record, with
values of a type that was not known where it was read. The cells of blocks are in the records of machines, and not here:
a machine has the number of their axes, which are among the `configs` and have their labels in `axis_labels`; results
with the labels of its blocks have the cell `IN_BLOCK`. `new_roots` are requests whose machines were not known when
they were noted. `forgotten` is what users have dropped and has not run again, `lost` what damage has taken from the
store."""
IN_BLOCK = b""
_MADE = (*SCHEMA, f"PRAGMA application_id = {APPLICATION + VERSION}", f"PRAGMA user_version = {VERSION}")
Image = bytes | memoryview
SMALL = 2**28
"""Bytes up to which an image is used as it is; SQLite lets such tables grow to 1 GB."""
WANTED = "CREATE TEMP TABLE wanted (machine INTEGER PRIMARY KEY)"
"""The machines that a lookup is about; of one connection alone."""


def connect(image: Image | None = None) -> sqlite3.Connection:
    """Tables of this process alone, in memory, empty or with the content of an image; DamageError if that is not one of
    ours."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if image is not None:
            _load(connection, image)
        else:
            connection.executescript("; ".join(_MADE))
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(WANTED)
    except BaseException:
        connection.close()
        raise
    return connection


def _load(connection: sqlite3.Connection, image: Image) -> None:
    try:
        if len(image) < SMALL:
            connection.deserialize(image)
        else:
            with closing(sqlite3.connect(":memory:")) as source:
                source.deserialize(image)
                source.backup(connection)
        numbers = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        found = {row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    except sqlite3.Error as error:
        raise DamageError(str(error)) from error
    if numbers != [APPLICATION + VERSION, VERSION] or found != set(SCHEMA):
        raise DamageError("its tables are not those of a repository")


class Transaction:
    """All of it or nothing."""

    def __init__(self, connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> None:
        self._connection = connection
        self._begin = begin

    def __enter__(self) -> None:
        self._connection.execute(self._begin)

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):  # the error that led here is the one to report
                    self._connection.execute("ROLLBACK")


def to_cell(value: Any) -> Any:
    """A value as SQLite keeps it: numbers and text as they are, everything else encoded."""
    kind = type(value)
    if (
        (kind is float and value == value)
        or (kind is int and -(2**63) <= value < 2**63)
        or (kind is str and text(value) is value)
    ):
        return value
    return encoding.encode(value)


def from_cell(cell: Any) -> Any:
    """The value of a cell."""
    return decode(cell) if type(cell) is bytes else cell


def text(given: str) -> str:
    """Text that SQLite can keep: what is no valid Unicode, such as a name of a file may hold, is spelled out.

    >>> text("caf\\udce9")
    'caf\\\\udce9'
    """
    try:
        if not given.isascii():
            given.encode()
    except UnicodeEncodeError:
        return given.encode("utf-8", "backslashreplace").decode()
    return given


_ON_PATH = "(?1 = roots.name OR substr(?1, 1, length(roots.name) + 1) = roots.name || '/')"
_NONE_LATER = "NOT EXISTS (SELECT 1 FROM roots AS later WHERE later.name = roots.name AND later.run {})"
_LATEST_IN_RUN = _NONE_LATER.format("= roots.run AND later.position > roots.position")
_LATEST = f"{_NONE_LATER.format('> roots.run')} AND {_LATEST_IN_RUN}"  # one comparison of pairs would not use the index


class Requests(NamedTuple):
    """Requests by the name that a path begins with; without a path, all of a run."""

    path: str | None
    run: int | Literal["all"] | None = None

    @property
    def condition(self) -> tuple[str, tuple[Any, ...]]:
        """What their rows in the table of requests fulfil, in SQL."""
        if self.path is None:
            return "roots.run = ?1", (self.run,)
        path = text(self.path)
        if self.run is None:
            return f"{_ON_PATH} AND {_LATEST}", (path,)
        if self.run == "all":
            return _ON_PATH, (path,)
        return f"{_ON_PATH} AND roots.run = ?2 AND {_LATEST_IN_RUN}", (path, self.run)

    def __str__(self) -> str:
        return f"{self.path!r} in " + ("this project" if type(self.run) is not int else f"run {self.run}")


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
