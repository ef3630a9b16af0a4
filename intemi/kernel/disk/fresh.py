"""Fresh SQLite files: written as they are to begin with, in one piece. SQLite itself would make one step by step, and
wait for the disk six times before there is anything in it that could be lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from intemi.kernel.plain_files import SQLITE_SUFFIXES, create_file

_VERSIONS = slice(18, 20)
"""Where the header of a file says how it is written, ..."""
_WAL = b"\2\2"
"""... which is with a write-ahead log."""


def make_if_absent(path: Path, statements: tuple[str, ...]) -> bool:
    """Make a file with what the statements put into it, unless there is one. No other process may do so meanwhile."""
    if path.exists():
        return False
    drop_beside(path)
    unfinished = path.with_name(f"{path.name}-new")
    create_file(unfinished, _image(statements))
    os.rename(unfinished, path)
    return True


def drop_beside(path: Path) -> None:
    """Drop what SQLite has put beside a file that is gone: it would take that for a part of the next one."""
    for suffix in SQLITE_SUFFIXES[1:]:
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


@cache
def _image(statements: tuple[str, ...]) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript("; ".join(("BEGIN", *statements, "COMMIT")))
        image = bytearray(connection.serialize())
    image[_VERSIONS] = _WAL
    return bytes(image)
