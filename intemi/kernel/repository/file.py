"""The index of a project: tables of this process alone, which begin as the last session has left them.

`results.sqlite` is an image of them with a checksum at its end. It is read as a whole, and replaced as a whole when a
session ends. If it is damaged, changed by another program or of another version, the index is made anew from the store.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from intemi.kernel import forks
from intemi.kernel.disk import claims
from intemi.kernel.disk.database import set_aside, warn
from intemi.kernel.disk.format import DamageError
from intemi.kernel.encoding import DIGEST_SIZE, digest
from intemi.kernel.errors import IntemiError, StoreWarning
from intemi.kernel.repository.index import Index
from intemi.kernel.repository.tables import APPLICATION, Lookup, connect

NAME = "results.sqlite"
READ_COST_RATIO = 100
"""The image is written if so many times the machines that were read since exceed those that it holds: to read them
again would take longer than to write it."""
_MAGIC = b"intemi index"
_TRAILER = len(_MAGIC) + DIGEST_SIZE
_HEADER, _APPLICATION = 100, slice(68, 70)
"""The header of a SQLite file, and where it says what program the file is of."""

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


class Opened:
    """The tables, and what is known of them."""

    def __init__(self, path: Path | None) -> None:
        image = None if path is None else read_image(path)
        self.is_from_file = image is not None
        try:
            self.connection = connect(image)
        except DamageError:
            self.is_from_file = False
            self.connection = connect()
        self.index = Index(self.connection)
        self.lookup = Lookup(self.connection)


class RepositoryFile:
    """The tables of a project with a folder, or of one without."""

    def __init__(self, folder: Path | None) -> None:
        self.lock = threading.RLock()
        self.path = None if folder is None else folder / NAME
        self._forks = forks.number
        self._opened: Opened | None = None
        self._is_closed = False

    def do(
        self,
        action: Callable[Concatenate[Opened, Arguments], Answer],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Answer:
        """Do something with the tables."""
        with self.lock:
            self.check_usable()
            if self._opened is None:
                self._opened = Opened(self.path)
            try:
                return action(self._opened, *arguments, **options)
            except (IntemiError, StoreWarning):
                raise
            except Exception:
                if not self._opened.is_from_file:
                    raise
            # What was read from the file may have been sealed by another program: what is made anew is not.
            self._opened.connection.close()
            self._opened = Opened(None)
            return action(self._opened, *arguments, **options)

    def check_usable(self) -> None:
        """Refuse to go on if it is closed, or another process's."""
        if self.is_inherited:
            raise forks.refused(f"{self.path or 'a project in memory'}: this repository")
        if self._is_closed:
            raise IntemiError("the project is closed")

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that opened the file."""
        return forks.number != self._forks

    def close(self) -> None:
        """Write an image of the tables, if it is worth it, and close them."""
        with self.lock:
            self._is_closed = True
            if self._opened is None:
                return
            try:
                index = self._opened.index
                is_worth_it = not self._opened.is_from_file or index.new * READ_COST_RATIO > index.size()
                if self.path is not None and is_worth_it and not index.has_unsaved:
                    write_image(self.path, self._opened.connection.serialize())
            finally:
                self._opened.connection.close()


def read_image(path: Path) -> memoryview | None:
    """The image in a file, if there is one whose checksum fits."""
    with suppress(OSError), _opened(path) as file:
        content = memoryview(file.read())
        image, trailer = content[:-_TRAILER], content[-_TRAILER:]
        if trailer == _MAGIC + digest(image):
            return image
    return None


def store_of(folder: Path) -> bytes | None:
    """The identity of the store that a folder's index was read from, if there is an index."""
    image = read_image(folder / NAME)
    if image is None:
        return None
    try:
        with closing(connect(image)) as connection:
            return store_in(connection)
    except (DamageError, sqlite3.Error):
        return None


def store_in(connection: sqlite3.Connection) -> bytes | None:
    """The identity of the store that tables were read from."""
    found = connection.execute("SELECT store FROM mark").fetchone()
    return found[0] if found is not None and isinstance(found[0], bytes) else None


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    """A regular file, open for reading; OSError for everything else, be it a link to one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with FileIO(descriptor, closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def _is_ours(path: Path) -> bool:
    """Whether a file is an index of any version, or what damage has left of one: it can go."""
    try:
        with _opened(path) as file:
            head = file.read(_HEADER)
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TRAILER))
            return not head or _MAGIC in file.read() or head[_APPLICATION] == APPLICATION.to_bytes(4, "big")[:2]
    except FileNotFoundError:
        return True
    except OSError:
        return False


def write_image(path: Path, image: bytes) -> None:
    """Replace the image in a file."""
    unfinished = path.with_name(f"{path.name}-new")
    try:
        with claims.exclusively(path.with_name("claims")):
            with suppress(FileNotFoundError):
                os.unlink(unfinished)
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                with open(descriptor, "wb") as file:
                    file.write(image)
                    file.write(_MAGIC + digest(image))
            except BaseException:  # a full disk needs its space
                os.unlink(unfinished)
                raise
            if not _is_ours(path):
                aside = set_aside(path)
                warn(f"{path.parent.name}/{path.name}: it is of another program; set aside as {aside.name}")
            for suffix in ("-wal", "-shm", "-journal"):  # of another program, or of version 1
                with suppress(FileNotFoundError):
                    os.unlink(f"{path}{suffix}")
            os.rename(unfinished, path)
    except OSError as error:
        raise IntemiError(f"{path}: cannot be written: {error}; the next session reads the records again") from error
