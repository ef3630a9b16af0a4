"""Regular files only: a link, a pipe, a socket or a device in place of a file is neither followed nor waited for.

Write access to a folder is enough to put one there. Everything that opens a file of a folder does so through this
module, or looks here before a library (SQLite) opens it. The folder itself may be reached through links.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from intemi.kernel.errors import IntemiError

_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFE
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
}
UNFINISHED = "new"
"""The ending of files that are being written."""
SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""A SQLite file and those that SQLite puts beside it."""


class SpecialFileError(IntemiError):
    """Something that is no regular file, or no folder, stands where one is expected."""

    def __init__(self, path: Path, kind: str, expected: str) -> None:
        super().__init__(f"{path}: must be {expected}, got {kind}; it is not opened: move it away")
        self.what = f"{kind}, not {expected}"


def check_file(path: Path) -> None:
    """Refuse what exists and is no regular file."""
    _check(path, stat.S_IFREG)


def check_beside(path: Path) -> None:
    """Refuse special files in place of those that SQLite puts beside its file, and opens by itself."""
    for suffix in SQLITE_SUFFIXES[1:]:
        check_file(path.with_name(path.name + suffix))


def check_folder(path: Path) -> None:
    """Refuse what is there and is no folder; a link to one is refused, too."""
    _check(path, stat.S_IFDIR)


def is_file(path: Path) -> bool:
    """Whether a regular file, and no link to one, is there."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def open_file(path: Path, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a regular file; `flags` are those of `os.open`."""
    return _opened(path, flags, mode, None)


def open_below(folder: Path, name: str, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a regular file in a folder of a folder, `name` is `inner/file`: neither may be a link."""
    inner = _inner_folder(folder, name, create=False)
    try:
        return _opened(folder / name, flags, mode, inner)
    finally:
        os.close(inner)


def write_below(folder: Path, name: str, content: bytes) -> None:
    """Write a file in a folder of a folder as a whole or not at all; it replaces what has its name, be it a link."""
    inner = _inner_folder(folder, name, create=True)
    unfinished = f"{secrets.token_hex(16)}.{UNFINISHED}"
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=inner)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.rename(unfinished, (folder / name).name, src_dir_fd=inner, dst_dir_fd=inner)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(unfinished, dir_fd=inner)
            raise
    finally:
        os.close(inner)


def remove_below(folder: Path, name: str) -> None:
    """Remove a file in a folder of a folder, neither of which may be a link."""
    inner = _inner_folder(folder, name, create=False)
    try:
        os.unlink((folder / name).name, dir_fd=inner)
    finally:
        os.close(inner)


def remove_all(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_file(path: Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes."""
    with open(open_file(path, os.O_RDONLY), "rb", buffering=0) as file:
        return read_all(file.fileno(), path, most)


def read_all(descriptor: int, path: Path, most: int) -> bytes:
    """What an open file holds, if that is at most so many bytes."""
    size = os.fstat(descriptor).st_size
    if size > most:
        raise SpecialFileError(path, f"one of {size:,} bytes", f"a file of at most {most:,} bytes")
    parts = []
    while part := os.read(descriptor, max(size, 4096)):
        parts.append(part)
        size = max(0, size - len(part))
    return b"".join(parts)


def create_file(path: Path, content: bytes) -> None:
    """Write a new file; what is left of an earlier attempt is removed, whatever it is."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    with open(_opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, None), "wb") as file:
        file.write(content)


def _check(path: Path, expected: int) -> None:
    try:
        found = stat.S_IFMT(os.lstat(path).st_mode)
    except FileNotFoundError:
        return
    if found != expected:
        raise SpecialFileError(path, _KINDS.get(found, "something else"), _KINDS[expected])


def _opened(path: Path, flags: int, mode: int, within: int | None) -> int:
    try:
        descriptor = os.open(path if within is None else path.name, flags | _SAFE, mode, dir_fd=within)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a socket, or a pipe that no process reads
            kind = "a symbolic link" if error.errno == errno.ELOOP else "a named pipe or a socket"
            raise SpecialFileError(path, kind, "a file") from None
        raise
    found = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if found != stat.S_IFREG:
        os.close(descriptor)
        raise SpecialFileError(path, _KINDS.get(found, "something else"), "a file")
    return descriptor


def _inner_folder(folder: Path, name: str, create: bool) -> int:
    inner = name.partition("/")[0]
    outer = _opened_folder(folder, None)
    try:
        if create:
            with suppress(FileExistsError):
                os.mkdir(inner, 0o700, dir_fd=outer)
        return _opened_folder(folder / inner, outer)
    finally:
        os.close(outer)


def _opened_folder(path: Path, within: int | None) -> int:
    try:
        return os.open(path if within is None else path.name, _FOLDER, dir_fd=within)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise SpecialFileError(path, "a link or a file", "a folder") from None
        raise
