"""One SQLite file: made, opened, checked, and mended when it turns out to be damaged.

A damaged file is set aside, and a fresh one takes its place, into which all that can still be read is copied. Nothing
is deleted, and nothing is renamed before the damage has been seen a second time through a fresh connection: another
process may have replaced the file in the meantime. Statements are short, and run behind one lock.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from intemi.kernel import forks
from intemi.kernel.disk.claims import exclusively
from intemi.kernel.disk.format import (
    APPLICATION,
    FRESH,
    SCHEMA,
    SCHEMA_VERSION,
    UNRELEASED_VERSIONS,
    DamageError,
    FileDamageError,
)
from intemi.kernel.errors import IntemiError, StoreWarning
from intemi.kernel.plain_files import SQLITE_SUFFIXES, SpecialFileError, check_beside, check_file, create_file

FOLLOW_SECONDS = 0.02
"""Seconds between two checks whether another process has set the file aside."""
BUSY_SECONDS = 60.0
"""Seconds to wait for another process that is writing."""

COMPLAINTS = (sqlite3.Error, UnicodeDecodeError)
"""How SQLite complains; the latter stands for a complaint that quotes damaged text."""
_DAMAGE = (*COMPLAINTS, FileDamageError)
"""How an operation complains of a file that may be damaged as a whole."""
_DAMAGE_CODES = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_ERROR,  # a table or column is missing
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
}

_Row = Sequence[Any]
Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


def warn(message: str) -> None:
    """Warn that something in the store is treated as absent."""
    warnings.warn(StoreWarning(message), stacklevel=3)


def unusable(path: Path, reason: object) -> IntemiError:
    """The error for trouble that is not in the file but around it."""
    return IntemiError(
        f"{path.parent}: {path.name} cannot be used: {reason}; the folder and everything in it must be writable, on a "
        "disk that has space and supports locks"
    )


def set_aside(path: Path) -> Path:
    """Give a file, and those that SQLite puts beside it, another name."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    for suffix in SQLITE_SUFFIXES:
        with suppress(FileNotFoundError):
            os.rename(f"{path}{suffix}", f"{aside}{suffix}")
    return aside


class Database:
    """The SQLite file of a store."""

    def __init__(
        self,
        path: Path,
        prepare: Callable[[sqlite3.Connection], None],
        salvage: Callable[[Path, sqlite3.Connection], str],
        report: Callable[[str], None] = warn,
    ) -> None:
        self._path = path
        self._report = report
        self._prepare = prepare
        """Called with each connection that was opened."""
        self._salvage = salvage
        """Copies what is in order in a file that was set aside, and describes what came of it."""
        self._forks = forks.number
        self._lock = threading.Lock()
        self._replacing = threading.Lock()
        self._locks = path.parent / "claims"
        self._next_check = 0.0
        self.generation = 0
        """How often the file was opened, or replaced by another one."""
        with self._alone():
            self._open()

    # Statements

    def rows(self, statement: str, parameters: _Row = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement answers with."""
        self.refuse_fork()
        with self._lock:
            try:
                return self._connection.execute(statement, parameters).fetchall()
            except COMPLAINTS:
                return self._run(_rows, statement, parameters)

    def change(self, statement: str, parameters: _Row) -> int:
        """Run one statement that changes something; how many rows it changed."""
        self.refuse_fork()
        with self._lock:
            self._follow()
            try:
                return self._connection.execute(statement, parameters).rowcount
            except COMPLAINTS:
                return self._run(_change, statement, parameters)

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
            self._follow()
            return self._run(_in_one_step, lambda connection: action(connection, *arguments, **options))

    def reread(
        self,
        action: Callable[Concatenate[sqlite3.Connection, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Let an action read the file; if it raises a FileDamageError twice, the file is set aside."""
        self.refuse_fork()
        with self._lock:
            return self._run(action, *arguments, **options)

    def version(self) -> tuple[int, int]:
        """A number that changes whenever another connection has changed something."""
        return self.generation, self.rows("PRAGMA data_version")[0][0]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that opened the file."""
        return forks.number != self._forks

    def refuse_fork(self) -> None:
        """SQLite connections and claims do not survive a fork: refuse instead of damaging something."""
        if forks.number != self._forks:
            raise forks.refused(f"{self._path.parent}: this store")

    # Mending

    def _run(
        self,
        operation: Callable[Concatenate[sqlite3.Connection, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        connection = self._connection
        try:
            return operation(connection, *arguments, **options)
        except _DAMAGE as error:
            self._raise_unless_damage(error)
        with self._alone():
            if self._connection is connection:
                self._close()
                self._open()
            try:
                return operation(self._connection, *arguments, **options)
            except _DAMAGE as error:
                self._raise_unless_damage(error)
                self._close()
                self._replace(error)
            try:
                return operation(self._connection, *arguments, **options)
            except _DAMAGE as error:
                raise unusable(self._path, error) from error

    def _follow(self) -> None:
        """Before writing: if another process has set the file aside, write to the new one instead."""
        now = monotonic()
        if now < self._next_check:
            return
        self._next_check = now + FOLLOW_SECONDS
        if self._is_moved():
            with self._alone():
                if self._is_moved():
                    self._close()
                    self._open()

    def _is_moved(self) -> bool:
        try:
            return _identity(self._path) != self._file
        except OSError:
            return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with self._replacing, exclusively(self._locks):
                yield
        except OSError as error:
            raise unusable(self._path, error) from error

    def _open(self) -> None:
        try:
            self._use_file()
        except (*COMPLAINTS, DamageError) as error:
            self._raise_unless_damage(error)
            self._replace(error)

    def _replace(self, reason: object) -> None:
        aside = set_aside(self._path)
        try:
            self._use_file()
        except (DamageError, sqlite3.Error) as error:
            raise unusable(self._path, error) from error
        saved = self._salvage(aside, self._connection)
        name = f"{self._path.parent.name}/{self._path.name}"
        self._report(f"{name}: {reason}; set aside as {aside.name}, a fresh one is used{saved}")

    def _use_file(self) -> None:
        path = self._path
        try:
            check_file(path)
        except SpecialFileError as error:
            raise DamageError(f"it is {error.what}") from None
        check_beside(path)
        if not path.exists():
            _make(path)
        elif not path.stat().st_size:  # SQLite would take it for a new one, and drop the journal beside it
            raise DamageError("it is empty")
        connection = _connect(path)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._file = _identity(path)
        self.generation += 1

    def _close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()

    def _raise_unless_damage(self, error: sqlite3.Error | UnicodeDecodeError | DamageError) -> None:
        if isinstance(error, UnicodeDecodeError | DamageError):
            return
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)
        # One flipped bit in its header makes SQLite take a file for read-only.
        falsely_readonly = code == sqlite3.SQLITE_READONLY and self._is_writable()
        if code & 0xFF not in _DAMAGE_CODES and not falsely_readonly:
            raise unusable(self._path, error) from error

    def _is_writable(self) -> bool:
        files = [f"{self._path}{suffix}" for suffix in SQLITE_SUFFIXES]
        return all(os.access(file, os.W_OK) for file in [str(self._path.parent), *filter(os.path.exists, files)])


def _make(path: Path) -> None:
    """Make an empty file in one piece, so that a kill leaves none. No other process may do so meanwhile."""
    for suffix in SQLITE_SUFFIXES[1:]:  # left of a file that is gone: SQLite would take it for a part of this one
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")
    unfinished = path.with_name(f"{path.name}-new")
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(";".join(FRESH))
        create_file(unfinished, connection.serialize())
    os.rename(unfinished, path)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = bytes  # damaged text must not fail to decode before we have seen it
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _check(connection, path)
        connection.execute("PRAGMA synchronous = OFF")  # a fresh file has nothing to lose: its log is set up at once
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 16000")
        connection.execute("PRAGMA cache_size = -64000")  # kB; ids are scattered: a small cache would always miss
    except BaseException:
        connection.close()
        raise
    return connection


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


def _identity(path: Path) -> tuple[int, int]:
    """Which file it is, whatever its name."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


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
