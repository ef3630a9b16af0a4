"""Claims: what a process is running, as locks that the system drops however the process ends.

A claim on a machine is a POSIX lock on one byte of a file, at a place that the machine's id determines. It costs one
call of the system, and there is nothing to clean up after a process that was killed.

POSIX locks belong to a process, not to an open file, which has two consequences. Between the stores of one process they
do not exclude anything, so the process keeps a table of its own; and closing *any* descriptor of the file drops all its
locks, so a process opens it once.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intemi.kernel.errors import IntemiError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_DOOR = 0
"""The place that is locked by whoever opens files or sets them aside; those of machines come behind it."""


class _LockFile:
    """The one open descriptor of a file of locks in this process, and who holds which of them."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.users = 0
        self.holders: dict[int, object] = {}
        self.lock = threading.Lock()
        self.door = threading.Lock()


_files: dict[Path, _LockFile] = {}
_opening = threading.Lock()
_forks = 0


def forks() -> int:
    """How many forks lie between this process and the first one; cheaper to ask than for the id of the process."""
    return _forks


def _start_afresh_after_fork() -> None:
    """A forked child inherits no locks; and a thread that held ours does not exist in it."""
    global _opening, _forks
    _forks += 1
    _files.clear()
    _opening = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh_after_fork)


def _use(path: Path) -> _LockFile:
    if fcntl is None:
        raise IntemiError(f"{path}: needs POSIX file locks, which this platform lacks; use a store in memory")
    with _opening:
        file = _files.get(path)
        if file is None:
            file = _files[path] = _LockFile(path)
        file.users += 1
        return file


def _leave(path: Path, file: _LockFile) -> None:
    with _opening:
        file.users -= 1
        if not file.users and _files.get(path) is file:
            del _files[path]
            os.close(file.descriptor)


class Claims:
    """The claims of one store. They end when it is closed or collected, or its process ends in whatever way."""

    def __init__(self, path: Path) -> None:
        self._file = _use(path)
        self._me = object()
        self.close = weakref.finalize(self, _give_all_back, path, self._file, self._me, os.getpid())
        """Give back everything."""

    def take(self, machine: bytes) -> bool:
        """Claim a machine; False if somebody else has claimed it. What is claimed already stays so."""
        place = _place(machine)
        with self._file.lock:
            holder = self._file.holders.get(place)
            if holder is not None:
                return holder is self._me
            try:
                fcntl.lockf(self._file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):
                return False
            self._file.holders[place] = self._me
            return True

    def give_back(self, machine: bytes) -> None:
        """End a claim, if it is one of these."""
        place = _place(machine)
        with self._file.lock:
            if self._file.holders.get(place) is self._me:
                del self._file.holders[place]
                fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, place)


def _place(machine: bytes) -> int:
    return 1 + (int.from_bytes(machine[:8], "little") >> 2)


def _give_all_back(path: Path, file: _LockFile, me: object, process: int) -> None:
    if os.getpid() != process:
        return
    with file.lock:
        for place in [place for place, holder in file.holders.items() if holder is me]:
            del file.holders[place]
            fcntl.lockf(file.descriptor, fcntl.LOCK_UN, 1, place)
    _leave(path, file)


@contextmanager
def exclusively(path: Path) -> Iterator[None]:
    """Only one thread of one process that uses the file is in here: for opening files and for setting them aside."""
    file = _use(path)
    try:
        with file.door:
            fcntl.lockf(file.descriptor, fcntl.LOCK_EX, 1, _DOOR)
            try:
                yield
            finally:
                fcntl.lockf(file.descriptor, fcntl.LOCK_UN, 1, _DOOR)
    finally:
        _leave(path, file)
