"""The file of the repository: one for all threads, opened when it is first needed, and mended when it is damaged."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from intemi.kernel import forks
from intemi.kernel.disk.mending import Mending
from intemi.kernel.errors import IntemiError
from intemi.kernel.repository.index import Index
from intemi.kernel.repository.lookup import Lookup
from intemi.kernel.repository.tables import connect

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


class Opened:
    """The open file, and what is known of it."""

    def __init__(self, path: Path | None) -> None:
        self.connection = connect(path)
        self.index = Index(self.connection)
        self.lookup = Lookup(self.connection)
        self.run: int | None = None
        """The number of this session in it."""

    def close(self) -> None:
        self.connection.close()


class RepositoryFile:
    """`results.sqlite` in a folder or, without one, tables in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.lock = threading.RLock()
        self._path = None if folder is None else folder / "results.sqlite"
        self._forks = forks.number
        self._mending: Mending[Opened] | None = None
        self._memory: Opened | None = None
        self._is_closed = False

    def do(
        self,
        action: Callable[Concatenate[Opened, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Do something with the file; once more, if it was damaged, with a fresh one."""
        with self.lock:
            self.check_usable()
            if self._path is None:
                if self._memory is None:
                    self._memory = Opened(None)
                return action(self._memory, *arguments, **options)
            if self._mending is None:
                path = self._path
                self._mending = Mending(path, path, lambda: Opened(path), Opened.close)
            self._mending.follow()
            return self._mending.run(_telling_damage(action), *arguments, **options)

    def check_usable(self) -> None:
        """Refuse to go on if it is closed, or another process's."""
        if self.is_inherited:
            raise forks.refused(f"{self._path or 'a project in memory'}: this repository")
        if self._is_closed:
            raise IntemiError("the project is closed")

    @property
    def is_there(self) -> bool:
        """Whether anybody has written anything."""
        if self._path is None:
            return self._memory is not None
        return self._mending is not None or self._path.exists()

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that opened the file."""
        return forks.number != self._forks

    def close(self) -> None:
        """Close it."""
        with self.lock:
            self._is_closed = True
            for opened in (self._mending, self._memory):
                if opened is not None:
                    opened.close()


def _telling_damage(action: Callable[..., Answer]) -> Callable[..., Answer]:
    """The action; text that cannot be decoded is damage, which SQLite's own numbers do not tell."""

    def act(opened: Opened, *arguments: Any, **options: Any) -> Answer:
        try:
            return action(opened, *arguments, **options)
        except sqlite3.OperationalError as error:
            if not hasattr(error, "sqlite_errorcode"):
                error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise

    return act
