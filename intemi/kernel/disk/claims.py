"""Claims: what a process is running, as locks that the system drops however the process ends.

A claim on a machine is a POSIX lock on one byte of a file, at a place that the machine's id determines. There is
nothing to clean up after a process that was killed.

A process that is alone locks all places at once and claims by a note in memory, without asking the system each time.
Another process finds all places locked, sets a flag (a byte of the file that both have mapped), and waits; the first
keeps the places that it has claimed and unlocks all others.

POSIX locks belong to a process, not to an open file, which has two consequences. Between the stores of one process they
do not exclude anything, so the process keeps a table of its own; and closing *any* descriptor of the file drops all its
locks, so a process opens it once.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from mmap import mmap
from pathlib import Path

from intemi.kernel.errors import IntemiError
from intemi.kernel.plain_files import open_file

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_OPENING_FILES = 0
"""The place that is locked while files are opened or set aside; those of machines come behind it."""
_WRITERS = 1
"""The place that is locked, by any number of processes together, while large contents are written."""
_MACHINES = 2
_NO_MACHINE = _MACHINES + 2**62
"""A place behind those of all machines: it is locked as long as some process has locked all places."""

CHECK_SECONDS = 0.05
"""Seconds between two looks at the flag; a process that claims something looks at it anyway."""
ASK_SECONDS = 0.5
"""Seconds for which a process that has set the flag waits for an answer."""
SHARED_SECONDS = 60.0
"""Seconds after meeting another process until a process tries again whether it is alone."""


class _LockFile:
    """The one open descriptor of a file of locks in this process, and who holds which of them."""

    def __init__(self, path: Path) -> None:
        self.descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        size = os.fstat(self.descriptor).st_size
        if size > 1:  # its first byte would be written to
            os.close(self.descriptor)
            raise IntemiError(f"{path}: must be a file of one byte for locks, got {size:,} bytes; move it away")
        if not size:
            os.ftruncate(self.descriptor, 1)
        self._flag = mmap(self.descriptor, 1)
        self.users = 0
        self.claimants = 0
        self.writers = 0
        self.holders: dict[bytes, object] = {}
        """Machines that are claimed, and by which store."""
        self.lock = threading.RLock()  # a store that is collected just then gives its claims back under it
        self.opening = threading.Lock()
        self.alone: int | None = None
        """A number for the time in which all places are locked."""
        self._numbers = count()
        self._shared_at = -SHARED_SECONDS
        self._is_over = threading.Event()

    # Under the lock

    def take(self, machine: bytes) -> bool:
        """Lock the place of a machine; False if another process has."""
        if self.alone is None and not self.holders and self.claimants == 1:
            self._take_all()
        if self.alone is not None:
            if not self._flag[0]:
                return True
            self.share()
        return self.lock_place(1, _place(machine))

    def give_back(self, machine: bytes) -> None:
        """Unlock the place of a machine; as long as this process is alone, it stays with the others."""
        if self.alone is None:
            self._unlock(1, _place(machine))

    def share(self) -> None:
        """Unlock all places but those that are held."""
        first = _MACHINES
        for place in sorted(map(_place, self.holders)):
            if place > first:
                self._unlock(place - first, first)
            first = place + 1
        self._unlock(0, first)
        self.alone = None
        if self._flag[0]:
            self._shared_at = time.monotonic()

    def close(self) -> None:
        """Unlock everything."""
        self._is_over.set()
        self.alone = None
        self._flag.close()
        os.close(self.descriptor)

    def _take_all(self) -> None:
        if time.monotonic() - self._shared_at < SHARED_SECONDS:
            return
        if not self.lock_place(0, _MACHINES):
            self._shared_at = time.monotonic()
            return
        self._flag[0] = 0
        self.alone = next(self._numbers)
        threading.Thread(target=self._watch_flag, args=(self.alone,), name="intemi claims", daemon=True).start()

    def lock_place(self, length: int, start: int) -> bool:
        """Lock places for this process alone; False if another process has locked some of them."""
        try:
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(self, length: int, start: int) -> None:
        fcntl.lockf(self.descriptor, fcntl.LOCK_UN, length, start)

    # Without the lock

    def _watch_flag(self, number: int) -> None:
        """Look at the flag while nothing is claimed; a process that holds nothing need not keep others out."""
        while not self._is_over.wait(CHECK_SECONDS):
            with self.lock:
                if self.alone != number:
                    return
                if self._flag[0] or not self.holders:
                    self.share()
                    return

    def ask_to_share(self) -> bool:
        """Ask a process that has locked all places to unlock those that it does not hold; whether it has."""
        until = time.monotonic() + ASK_SECONDS
        was_exclusive = False
        while time.monotonic() < until:
            with self.lock:
                if self.alone is not None:
                    return True
                if self.lock_place(1, _NO_MACHINE):
                    self._unlock(1, _NO_MACHINE)
                    return was_exclusive
                self._flag[0] = 1
            was_exclusive = True
            time.sleep(CHECK_SECONDS / 20)
        return False


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
                file.close()


class Claims:
    """The claims of one store. They end when it is closed or collected, or its process ends in whatever way."""

    def __init__(self, path: Path) -> None:
        self._file = _use(path)
        with self._file.lock:
            self._file.claimants += 1
            if self._file.alone is not None:  # another store of this process is, and they share its locks
                self._file.share()
        self._me = object()
        self.close = weakref.finalize(self, _give_all_back, path, self._file, self._me, os.getpid())
        """Give back everything."""

    @property
    def alone(self) -> int | None:
        """While no other store can claim anything: a number that stands for this time."""
        return self._file.alone

    def take(self, machine: bytes) -> bool:
        """Claim a machine; False if another process has claimed it. What is claimed already stays so."""
        return self._take(machine) or (self._file.ask_to_share() and self._take(machine))

    def _take(self, machine: bytes) -> bool:
        file = self._file
        with file.lock:
            holder = file.holders.get(machine)
            if holder is None and file.take(machine):
                holder = file.holders[machine] = self._me
            return holder is self._me

    def give_back(self, *machines: bytes) -> None:
        """End claims, as far as they are among these."""
        file, me = self._file, self._me
        with file.lock:
            for machine in machines:
                if file.holders.get(machine) is me:
                    del file.holders[machine]
                    file.give_back(machine)


def _place(machine: bytes) -> int:
    return _MACHINES + (int.from_bytes(machine[:8], "little") >> 2)


def _give_all_back(path: Path, file: _LockFile, me: object, process: int) -> None:
    if os.getpid() != process:
        return
    with file.lock:
        file.claimants -= 1
        for machine in [machine for machine, holder in file.holders.items() if holder is me]:
            del file.holders[machine]
            file.give_back(machine)
        if file.alone is not None:
            file.share()
    _leave(path, file)


@contextmanager
def exclusively(path: Path) -> Iterator[None]:
    """Only one thread of one process that uses the file is in here: for opening files and for setting them aside."""
    file = _use(path)
    try:
        with file.opening:
            fcntl.lockf(file.descriptor, fcntl.LOCK_EX, 1, _OPENING_FILES)
            try:
                yield
            finally:
                fcntl.lockf(file.descriptor, fcntl.LOCK_UN, 1, _OPENING_FILES)
    finally:
        _leave(path, file)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Files of contents are written and then listed: any number of threads and processes may do so at a time."""
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
                    fcntl.lockf(file.descriptor, fcntl.LOCK_UN, 1, _WRITERS)
    finally:
        _leave(path, file)


@contextmanager
def without_writers(path: Path) -> Iterator[bool]:
    """No contents are being written as long as this lasts; False if some are now, which is not waited for."""
    file = _use(path)
    try:
        with file.lock:
            is_free = not file.writers and file.lock_place(1, _WRITERS)
            try:
                yield is_free
            finally:
                if is_free:
                    fcntl.lockf(file.descriptor, fcntl.LOCK_UN, 1, _WRITERS)
    finally:
        _leave(path, file)
