"""The SQLite file of a store: one connection behind a lock, statements that are short, and damage that is mended."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from typing import Any, Concatenate, ParamSpec, TypeVar

from intemi.kernel import forks
from intemi.kernel.disk.fresh import make_if_absent
from intemi.kernel.disk.mending import BUSY_TIMEOUT, COMPLAINTS, Mending
from intemi.kernel.disk.salvage import salvage
from intemi.kernel.disk.schema import APPLICATION, FRESH, SCHEMA, SCHEMA_VERSION, UNRELEASED_VERSIONS, marks
from intemi.kernel.disk.seal import DamageError
from intemi.kernel.encoding import DIGEST_SIZE
from intemi.kernel.errors import IntemiError

_Row = Sequence[Any]
Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


class Database:
    """The records and keys of a store."""

    def __init__(self, path: Path) -> None:
        self._forks = forks.number
        self._lock = threading.Lock()
        self._mending = Mending(path, path, lambda: _connect(path), sqlite3.Connection.close, salvage)

    def rows(self, statement: str, parameters: _Row = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement answers with."""
        if self.is_inherited:
            self.refuse_fork()
        with self._lock:
            try:
                return self._mending.handle.execute(statement, parameters).fetchall()
            except COMPLAINTS:
                return self._mending.run(_rows, statement, parameters)

    def change(self, statement: str, parameters: _Row) -> int:
        """Run one statement that changes something; how many rows it changed."""
        if self.is_inherited:
            self.refuse_fork()
        with self._lock:
            self._mending.follow()
            try:
                return self._mending.handle.execute(statement, parameters).rowcount
            except COMPLAINTS:
                return self._mending.run(_change, statement, parameters)

    def change_together(self, statements: Sequence[tuple[str, Sequence[_Row]]]) -> None:
        """Run statements, each once per row of parameters: all of them or none."""
        self.in_one_step(_change_all, statements)

    def in_one_step(
        self,
        action: Callable[Concatenate[sqlite3.Connection, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Let an action read and change the file: all of it or nothing, and no other process writes meanwhile."""
        self.refuse_fork()
        with self._lock:
            self._mending.follow()
            return self._mending.run(_in_one_step, lambda connection: action(connection, *arguments, **options))

    def reread(
        self,
        action: Callable[Concatenate[sqlite3.Connection, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Let an action read the file; if it raises a FileDamageError twice, the file is set aside."""
        self.refuse_fork()
        with self._lock:
            return self._mending.run(action, *arguments, **options)

    @property
    def generation(self) -> int:
        """How often the file was replaced by another one, or was opened."""
        return self._mending.generation

    def version(self) -> tuple[int, int]:
        """A number that changes whenever another connection has changed something."""
        return self._mending.generation, self.rows("PRAGMA data_version")[0][0]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._mending.close()

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that opened the file."""
        return forks.number != self._forks

    def refuse_fork(self) -> None:
        """SQLite connections and claims do not survive a fork: say so instead of damaging something."""
        if forks.number != self._forks:
            raise forks.refused(f"{self._mending.path.parent}: this store")


def _rows(connection: sqlite3.Connection, statement: str, parameters: _Row) -> list[tuple[Any, ...]]:
    return connection.execute(statement, parameters).fetchall()


def _change(connection: sqlite3.Connection, statement: str, parameters: _Row) -> int:
    return connection.execute(statement, parameters).rowcount


def _change_all(connection: sqlite3.Connection, statements: Iterable[tuple[str, Sequence[_Row]]]) -> None:
    for statement, rows in statements:
        connection.executemany(statement, rows)


def _in_one_step(connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
    try:
        connection.execute("BEGIN IMMEDIATE")
        answer = action(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has rolled back by itself after some errors
            connection.execute("ROLLBACK")
        raise
    return answer


def _connect(path: Path) -> sqlite3.Connection:
    make_if_absent(path, (*FRESH, *marks(SCHEMA_VERSION)))
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = bytes  # damaged text must not fail to decode before we have seen it
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _check(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 16000")
        connection.execute("PRAGMA cache_size = -64000")  # kB; ids are scattered: a small cache would always miss
        _identify(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _identify(connection: sqlite3.Connection, path: Path) -> None:
    """Give a new file its identity; one that takes the place of another goes on with the folder's index."""
    if not _rows(connection, "SELECT token FROM identity", ()):
        from intemi.kernel.repository.file import NAME, store_of

        token = store_of(path.with_name(NAME)) or token_bytes(DIGEST_SIZE)
        _change(connection, "INSERT INTO identity VALUES (?)", (token,))


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """DamageError if the file is not one of ours, another error if it is of a version that is not read here."""
    application, version = (
        _rows(connection, f"PRAGMA {name}", ())[0][0] for name in ("application_id", "user_version")
    )
    if application != APPLICATION + version:
        raise DamageError("it was written by another program")
    if version < 1:
        raise DamageError(f"it has version {version}, which never was")
    if version in UNRELEASED_VERSIONS:
        raise IntemiError(
            f"{path.parent}: {path.name} has version {version}, which was never released; this version of intemi reads "
            f"version {SCHEMA_VERSION}: use another folder"
        )
    if version > SCHEMA_VERSION:
        raise IntemiError(
            f"{path.parent}: {path.name} has version {version}, this version of intemi reads up to {SCHEMA_VERSION}; "
            "use a newer intemi or another folder"
        )
    found = {row[0] for row in _rows(connection, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", ())}
    if found != {statement.encode() for statement in SCHEMA}:
        raise DamageError("its tables are not those of a store")
