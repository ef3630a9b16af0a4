"""The large contents of a store: bytes under the hex form of their content id, in diskcache, which must never unpickle.

Loads diskcache, so it is imported when the first of them is written or read. A content lives in a file of its own that
has a fresh name: it is not seen before its row is committed. Version 1 had small ones here, too, in the rows.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import ENOVAL, METADATA, MODE_BINARY, MODE_RAW

from intemi.kernel.disk.claims import exclusively, writing
from intemi.kernel.disk.fresh import drop_beside
from intemi.kernel.disk.mending import BUSY_TIMEOUT, Mending, unusable, warn
from intemi.kernel.disk.seal import CONTENT, DamageError, seal, unseal
from intemi.kernel.errors import IntemiError
from intemi.kernel.plain_files import SpecialFileError, is_file, open_below, read_all, remove_all, remove_below

FILE_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{30}\.val")
_MAX_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
"""Larger files than the memory are not read."""
_NOT_ITS_FAULT = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM}
"""What may go wrong with opening a file that is in order."""

_SETTINGS = {
    **diskcache.DEFAULT_SETTINGS,
    "size_limit": 2**62,  # the default of 1 GB evicts without a word
    "eviction_policy": "none",
    "cull_limit": 0,
    "statistics": 0,
    "sqlite_auto_vacuum": 0,
    "sqlite_mmap_size": 0,  # a mapped file that gets truncated kills the process
    "sqlite_cache_size": 2**11,
}


class Contents:
    """Content id → bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locks = path.parent / "claims"
        with exclusively(self._locks):
            _drop_unfinished(path)
        self._mending = Mending(path, path / diskcache.core.DBNAME, self._open, diskcache.Cache.close)

    def read(self, content: bytes) -> bytes | None:
        """The bytes of a content; None if they are absent, None and a warning if they are damaged."""
        key = content.hex()
        try:
            sealed = self._mending.run(_read, key)
            return None if sealed is None else unseal(CONTENT, content, sealed)
        except DamageError as damage:
            # Without its row, the content can be written again.
            self._mending.run(self._drop, key)
            warn(f"{self._path.parent.name}/{self._path.name}: content {key} is treated as absent: {damage}")
            return None

    def write(self, contents: Mapping[bytes, bytes]) -> None:
        """Write those contents that are not there yet."""
        self._mending.follow()
        try:
            with writing(self._locks):
                for content, payload in contents.items():
                    self._mending.run(_write, content, payload)
        except (OSError, diskcache.Timeout) as error:
            raise unusable(self._path, error or "another process is writing for too long") from error

    def sizes(self) -> list[tuple[object, object]]:
        """The keys of all contents, and how large they are said to be."""
        return self._mending.run(self._list)

    def close(self) -> None:
        """Close what this thread has open; diskcache closes what other threads have open when they end."""
        self._mending.close()

    def _open(self) -> _PlainCache:
        self._path.mkdir(mode=0o700, exist_ok=True)
        if not (self._path / diskcache.core.DBNAME).exists():
            self._make()
        return _cache_in(self._path)

    def _make(self) -> None:
        """Let diskcache make its file elsewhere, and move it here: it does so step by step, and may be killed."""
        unfinished = self._path.with_name(f"{self._path.name}-new")
        remove_all(unfinished)
        unfinished.mkdir(mode=0o700)
        _cache_in(unfinished).close()
        drop_beside(self._path / diskcache.core.DBNAME)
        os.rename(unfinished / diskcache.core.DBNAME, self._path / diskcache.core.DBNAME)
        remove_all(unfinished)

    def _drop(self, _: _PlainCache, key: str) -> None:
        # Not with diskcache, which would have to read the damaged row. The value's file stays.
        file = self._path / diskcache.core.DBNAME
        with closing(sqlite3.connect(file, timeout=BUSY_TIMEOUT, isolation_level=None)) as connection:
            connection.execute("DELETE FROM Cache WHERE key = ?", (key,))

    def _list(self, _: _PlainCache) -> list[tuple[object, object]]:
        # Not with diskcache, which would stop at a key that is damaged.
        file = self._path / diskcache.core.DBNAME
        with closing(sqlite3.connect(file, timeout=BUSY_TIMEOUT, isolation_level=None)) as connection:
            return connection.execute("SELECT key, size FROM Cache").fetchall()


def _drop_unfinished(path: Path) -> None:
    """Drop an empty file beside which there are no values: a kill while it was made has left it, nothing is lost."""
    main = path / diskcache.core.DBNAME
    if path.is_symlink() or not is_file(main) or main.stat().st_size:
        return
    names = os.listdir(path)
    if all(name.startswith(main.name) and is_file(path / name) for name in names):
        for name in names:
            os.unlink(path / name)


def _cache_in(folder: Path) -> _PlainCache:
    try:
        with _taken_literally(str(folder)) as directory:
            return _PlainCache(directory, timeout=BUSY_TIMEOUT, disk=_PlainDisk, **_SETTINGS)
    except (sqlite3.Error, OSError, IntemiError):
        raise
    except Exception as error:  # diskcache trusts what it finds in its settings
        raise DamageError(f"{type(error).__name__}: {error}") from error


@contextmanager
def _taken_literally(path: str) -> Iterator[str]:
    """A text that diskcache, which replaces variables such as $HOME in the names of folders, takes for this path.

    What a variable stands for is not looked at again.
    """
    if os.path.expandvars(path) == path:
        yield path
        return
    name = f"INTEMI_{secrets.token_hex(8)}"
    os.environ[name] = path
    try:
        yield f"${{{name}}}"
    finally:
        del os.environ[name]


def _read(cache: _PlainCache, key: str) -> object:
    try:
        return cache.get(key)
    except sqlite3.OperationalError as error:
        if hasattr(error, "sqlite_errorcode"):
            raise
        raise DamageError(str(error)) from error  # Python could not decode a text


def _write(cache: _PlainCache, content: bytes, payload: bytes) -> None:
    key = content.hex()
    if key not in cache:
        cache.add(key, seal(CONTENT, content, payload))


class _PlainCache(diskcache.Cache):  # type: ignore[misc]
    """A cache whose settings are ours, whatever its file says: a setting would become a pragma or an attribute."""

    def reset(self, key: str, value: Any = ENOVAL, update: bool = True) -> Any:
        if key in _SETTINGS:
            return super().reset(key, _SETTINGS[key], update)
        return super().reset(key) if key in METADATA else value


class _PlainDisk(diskcache.Disk):  # type: ignore[misc]
    """Text keys and bytes as values: nothing is ever pickled or unpickled, no file outside the folder is touched."""

    def __init__(self, directory: str, **_: object) -> None:
        super().__init__(directory)
        self._folder = Path(directory)

    def put(self, key: object) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError(f"a key must be a str, got {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: bool) -> str:
        if type(key) is not str or not raw:
            raise DamageError("a key that is not plain text")
        return key

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, str | None, bytes | None]:
        if type(value) is not bytes:
            raise TypeError(f"a value must be bytes, got {type(value).__name__}")
        name, _ = self.filename()
        try:
            with open(open_below(self._folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(value)
        except BaseException:
            self.remove(name)
            raise
        return len(value), MODE_BINARY, name, None

    def fetch(self, mode: int, filename: object, value: object, read: bool) -> bytes:
        if mode == MODE_RAW and type(value) is bytes:
            return value
        if mode == MODE_BINARY and value is None:
            name = self._checked(filename)
            try:
                with open(open_below(self._folder, name, os.O_RDONLY), "rb", buffering=0) as file:
                    return read_all(file.fileno(), self._folder / name, _MAX_BYTES)
            except SpecialFileError as error:
                raise DamageError(f"its file is {error.what}") from None
            except OSError as error:
                if error.errno in _NOT_ITS_FAULT:
                    raise unusable(Path(self._directory), error) from error
                raise DamageError(str(error.strerror)) from error
        raise DamageError(f"it is stored in mode {mode}, which is never written here")

    def filename(self, key: object = None, value: object = None) -> tuple[str, str]:
        name = secrets.token_hex(16)
        name = f"{name[:2]}/{name[2:]}.val"
        return name, str(self._folder / name)

    def remove(self, file_path: object) -> None:
        with suppress(OSError, DamageError, SpecialFileError):
            remove_below(self._folder, self._checked(file_path))

    def _checked(self, name: object) -> str:
        if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
            raise DamageError(f"{name!r} is not a file name that is written here")
        return name
