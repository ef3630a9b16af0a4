"""Claims: what a process is running, as locks that the system drops however the process ends.

A claim on a machine is a POSIX lock on one byte of a file, at an offset that the machine's id determines. There is
nothing to clean up after a process that was killed.

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
from intemi.kernel.plain_files import open_file

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_OPENING_FILES = 0
"""The offset that is locked while files are opened or set aside."""
_WRITERS = 1
"""The offset that is locked, by any number of processes together, while large contents are written."""
_MACHINES = 2
"""The offsets of machines begin here."""


class _LockFile:
    """The one open descriptor of a file of locks in this process, and which store holds which of them."""

    def __init__(self, path: Path) -> None:
        self.descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        self.users = 0
        self.writers = 0
        self.holders: dict[bytes, object] = {}
        """Machines that are claimed, and by which store."""
        self.lock = threading.RLock()  # a store that is collected just then gives its claims back under it
        self.opening = threading.Lock()

    def take(self, offset: int) -> bool:
        """Lock a byte for this process alone; False if another process has locked it."""
        try:
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def give_back(self, offset: int) -> None:
        """Unlock a byte."""
        fcntl.lockf(self.descriptor, fcntl.LOCK_UN, 1, offset)


_files: dict[Path, _LockFile] = {}
_opening = threading.Lock()


def _start_afresh_after_fork() -> None:
    """A forked child inherits no locks; and a thread that held ours does not exist in it."""
    global _opening
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
            with file.lock:
                os.close(file.descriptor)


class Claims:
    """The claims of one store. They end when it is closed or collected, or its process ends in whatever way."""

    def __init__(self, path: Path) -> None:
        self._file = _use(path)
        self._me = object()
        self.close = weakref.finalize(self, _give_all_back, path, self._file, self._me, os.getpid())
        """Give back everything."""

    def take(self, machine: bytes) -> bool:
        """Claim a machine; False if another store has claimed it. What is claimed already stays so."""
        file = self._file
        with file.lock:
            holder = file.holders.get(machine)
            if holder is None and file.take(_offset(machine)):
                holder = file.holders[machine] = self._me
            return holder is self._me

    def give_back(self, *machines: bytes) -> None:
        """End claims, as far as they are among these."""
        file, me = self._file, self._me
        with file.lock:
            for machine in machines:
                if file.holders.get(machine) is me:
                    del file.holders[machine]
                    file.give_back(_offset(machine))


def _offset(machine: bytes) -> int:
    return _MACHINES + (int.from_bytes(machine[:8], "little") >> 2)


def _give_all_back(path: Path, file: _LockFile, me: object, process: int) -> None:
    if os.getpid() != process:
        return
    with file.lock:
        for machine in [machine for machine, holder in file.holders.items() if holder is me]:
            del file.holders[machine]
            file.give_back(_offset(machine))
    _leave(path, file)


@contextmanager
def exclusively(path: Path) -> Iterator[None]:
    """Only one thread of one process at a time is in here: for opening files and for setting them aside."""
    file = _use(path)
    try:
        with file.opening:
            fcntl.lockf(file.descriptor, fcntl.LOCK_EX, 1, _OPENING_FILES)
            try:
                yield
            finally:
                file.give_back(_OPENING_FILES)
    finally:
        _leave(path, file)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Contents are written: any number of threads and processes may do so at a time."""
    file = _use(path)
    try:
        with file.lock:
            if not file.writers:
                fcntl.lockf(file.descriptor, fcntl.LOCK_SH, 1, _WRITERS)
            file.writers += 1
        try:
            yield
        finally:
            with file.lock:
                file.writers -= 1
                if not file.writers:
                    file.give_back(_WRITERS)
    finally:
        _leave(path, file)


@contextmanager
def without_writers(path: Path) -> Iterator[bool]:
    """No contents are being written as long as this lasts; False if some are now, which is not waited for."""
    file = _use(path)
    try:
        with file.lock:
            is_free = not file.writers and file.take(_WRITERS)
            try:
                yield is_free
            finally:
                if is_free:
                    file.give_back(_WRITERS)
    finally:
        _leave(path, file)
