"""Fresh SQLite files: written as they are to begin with, in one piece. SQLite itself would make one step by step, and
wait for the disk six times before there is anything in it that could be lost."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

_VERSIONS = slice(18, 20)
"""Where the header of a file says how it is written, ..."""
_WAL = b"\2\2"
"""... which is with a write-ahead log."""


def make_if_absent(path: Path, statements: tuple[str, ...]) -> bool:
    """Make a file with what the statements put into it, unless there is one. Nobody else may be doing so just then."""
    if path.exists():
        return False
    for suffix in ("-wal", "-shm", "-journal"):  # of a file that is gone: SQLite would take it for one of this file
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")
    unfinished = f"{path}-new"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)  # SQLite's other files get this mode
    with open(descriptor, "wb") as file:
        file.write(_image(statements))
    os.rename(unfinished, path)
    return True


@cache
def _image(statements: tuple[str, ...]) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript("; ".join(("BEGIN", *statements, "COMMIT")))
        image = bytearray(connection.serialize())
    image[_VERSIONS] = _WAL
    return bytes(image)
