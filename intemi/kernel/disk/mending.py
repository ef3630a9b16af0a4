"""What to do with a SQLite file that turns out to be damaged: set it aside, say so, and go on with a fresh one, into
which whatever can still be read is copied.

Nothing is deleted, and nothing is renamed before the damage has been seen a second time through a fresh handle: another
process may have replaced the file in the meantime.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Concatenate, Generic, ParamSpec, TypeVar

from intemi.kernel.disk.claims import exclusively
from intemi.kernel.disk.seal import DamageError, FileDamageError
from intemi.kernel.errors import IntemiError, StoreWarning
from intemi.kernel.plain_files import SQLITE_SUFFIXES, SpecialFileError, check_beside, check_files, check_folder

LOOK_INTERVAL = 0.02
"""Seconds between two looks whether another process has set the file aside."""
BUSY_TIMEOUT = 60.0
"""Seconds to wait for another process that is writing."""

COMPLAINTS = (sqlite3.Error, UnicodeDecodeError)
"""How SQLite complains; the latter stands for a complaint that quotes damaged text."""
DAMAGE = (*COMPLAINTS, FileDamageError)
"""How an operation complains of a file that may be damaged as a whole."""
_DAMAGE_CODES = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_ERROR,  # a table or column that should be there is not
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
}

Handle = TypeVar("Handle")
Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


def warn(message: str) -> None:
    """Say that something in the store is treated as absent."""
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


class Mending(Generic[Handle]):
    """An open handle to `path`, replaced together with the file when that turns out to be damaged.

    `main` is the SQLite file that belongs to it: `path` itself or a file in the folder `path`.
    """

    def __init__(
        self,
        path: Path,
        main: Path,
        open_it: Callable[[], Handle],
        close_it: Callable[[Handle], None],
        salvage: Callable[[Path, Handle], str] | None = None,
    ) -> None:
        self.path = path
        self.generation = 0
        """How often the handle was replaced."""
        self._main = main
        self._open_it = open_it
        self._close_it = close_it
        self._salvage = salvage
        """Copies what is in order in a file that was set aside, and says what came of it."""
        self._replacing = threading.Lock()
        self._next_look = 0.0
        self._locks = path.parent / "claims"
        with self._alone():
            self._open()

    def run(
        self,
        operation: Callable[Concatenate[Handle, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Do something with the handle."""
        handle = self.handle
        try:
            return operation(handle, *arguments, **options)
        except DAMAGE as error:
            self._raise_unless_damage(error)
        with self._alone():
            if self.handle is handle:
                self.close()
                self._open()
            try:
                return operation(self.handle, *arguments, **options)
            except DAMAGE as error:
                self._raise_unless_damage(error)
                self.close()
                self._replace(error)
            try:
                return operation(self.handle, *arguments, **options)
            except DAMAGE as error:
                raise unusable(self.path, error) from error

    def follow(self) -> None:
        """Before writing: if another process has set the file aside, write to the new one instead."""
        now = monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_INTERVAL
        if self._is_moved():
            with self._alone():
                if self._is_moved():
                    self.close()
                    self._open()

    def close(self) -> None:
        """Close the handle."""
        with suppress(sqlite3.Error):
            self._close_it(self.handle)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with self._replacing, exclusively(self._locks):
                yield
        except OSError as error:
            raise unusable(self.path, error) from error

    def _open(self) -> None:
        try:
            self._use(self._usable())
        except (*COMPLAINTS, DamageError) as error:
            self._raise_unless_damage(error)
            self._replace(error)

    def _usable(self) -> Handle:
        try:
            if self.path != self._main:
                check_folder(self.path)
            check_files([self._main])
        except SpecialFileError as error:
            raise DamageError(f"it is {error.what}") from None
        check_beside(self._main)
        # SQLite would take an empty file for a new one, and drop the journal beside it.
        if self._main.exists() and not self._main.stat().st_size:
            raise DamageError("it is empty")
        return self._open_it()

    def _use(self, handle: Handle) -> None:
        self.handle = handle
        self._file = _identity(self._main)
        self.generation += 1

    def _is_moved(self) -> bool:
        try:
            return _identity(self._main) != self._file
        except OSError:
            return True

    def _raise_unless_damage(self, error: sqlite3.Error | UnicodeDecodeError | DamageError) -> None:
        if isinstance(error, UnicodeDecodeError | DamageError):
            return
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)
        # One flipped bit in its header makes SQLite take a file for read-only.
        falsely_readonly = code == sqlite3.SQLITE_READONLY and self._is_writable()
        if code & 0xFF not in _DAMAGE_CODES and not falsely_readonly:
            raise unusable(self.path, error) from error

    def _is_writable(self) -> bool:
        files = [f"{self._main}{suffix}" for suffix in SQLITE_SUFFIXES]
        return all(os.access(file, os.W_OK) for file in [str(self._main.parent), *filter(os.path.exists, files)])

    def _replace(self, reason: object) -> None:
        aside = set_aside(self.path)
        try:
            self._use(self._usable())
        except (DamageError, sqlite3.Error) as error:
            raise unusable(self.path, error) from error
        saved = "" if self._salvage is None else self._salvage(aside, self.handle)
        name = f"{self.path.parent.name}/{self.path.name}"
        warn(f"{name}: {reason}; set aside as {aside.name}, a fresh one is used{saved}")


def _identity(path: Path) -> tuple[int, int]:
    """Which file it is, whatever its name."""
    found = os.stat(path)
    return found.st_dev, found.st_ino
