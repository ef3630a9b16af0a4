"""Who is alive: an owner holds a POSIX lock on a file of its own, and the system drops the lock however it ends.

POSIX locks belong to a process, not to an open file, which has two consequences. A process cannot learn anything from
trying its own locks, so it remembers its own owners; and closing *any* descriptor of a locked file drops the lock, so
the files of own owners are never opened again.
"""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from intemi.kernel.errors import IntemiError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

ID_SIZE = 8
_LOCK_NAME = re.compile(rf"[0-9a-f]{{{2 * ID_SIZE}}}")

_alive_here: set[bytes] = set()
_one_at_a_time = threading.Lock()


def _start_afresh_after_fork() -> None:
    """A forked child inherits no locks, so it owns nothing; and a thread that held ours does not exist in it."""
    global _one_at_a_time
    _alive_here.clear()
    _one_at_a_time = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh_after_fork)


class Owner:
    """One owner of claims: alive until it is closed, collected, or its process ends in whatever way."""

    def __init__(self, folder: Path) -> None:
        if fcntl is None:
            raise IntemiError(f"{folder}: needs POSIX file locks, which this platform lacks; use a store in memory")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            self.id = os.urandom(ID_SIZE)
            path = folder / self.id.hex()
            _alive_here.add(self.id)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            fcntl.lockf(descriptor, fcntl.LOCK_EX)
            if path.exists():
                break
            # Somebody cleaned the file away before it was locked.
            _alive_here.discard(self.id)
            os.close(descriptor)
        self.close = weakref.finalize(self, _leave, self.id, path, descriptor, os.getpid())
        """End this owner; all claims of it are free then."""


def _leave(owner: bytes, path: Path, descriptor: int, process: int) -> None:
    if os.getpid() != process:
        return
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)
    _alive_here.discard(owner)


def is_alive(folder: Path, owner: object) -> bool:
    """Whether an owner, as found in a file that may be damaged, is one and is alive."""
    if not isinstance(owner, bytes) or len(owner) != ID_SIZE:
        return False
    return owner in _alive_here or _is_locked(folder / owner.hex())


def remove_dead(folder: Path) -> None:
    """Remove the lock files of the dead, to be called by one process at a time; without its file, an owner is dead."""
    for entry in os.scandir(folder):
        if not _LOCK_NAME.fullmatch(entry.name) or bytes.fromhex(entry.name) in _alive_here:
            continue
        _is_locked(Path(entry.path), remove_if_not=True)


def _is_locked(path: Path, remove_if_not: bool = False) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError:  # too many open files, say: when in doubt, it is alive
        return True
    try:
        # A shared lock, so that two who ask at the same time do not take each other for the owner.
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        if remove_if_not:
            path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)


@contextmanager
def exclusively(folder: Path) -> Iterator[None]:
    """Only one thread of one process that uses the folder is in here: for opening files and for setting them aside."""
    with _one_at_a_time:
        descriptor = os.open(folder / "opening", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
