"""Entries of a store's log: what is on record beside machines, in the order in which it became known.

Each entry is a small tuple of plain values that begins with its kind. Bytes that are not an entry are an EncodingError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgpack import packb, unpackb

from intemi.kernel.errors import EncodingError

RUN = "run"
"""A session has begun to request something: (session, name, started, program)."""
ROOTS = "roots"
"""Requests of a session: (session, [(position, name, key, machine or None, then comments if it has any)])."""
OPEN = "open"
"""Composites that were not finished then: ([(record so far, children that have become known)]), both encoded."""
COMMENTS = "comments"
"""What commentators said: ([(machine, label, cell, commentator)])."""
FORGOTTEN = "forgotten"
"""A record was dropped on purpose: (machine, number, stamp)."""
LOST = "lost"
"""Something was damaged, or is gone: (machine or None, number, stamp, what)."""
CLEARED = "cleared"
"""The user has dismissed all warnings about losses so far: ()."""

Entry = tuple[Any, ...]

_BYTES, _TEXT, _NUMBER = (bytes,), (str,), (int, float)
_MAYBE = (bytes, type(None))
_CELL = (bytes, str, int, float)


def pack(entry: Entry) -> bytes:
    """An entry as bytes.

    >>> unpack(pack((CLEARED,)))
    ('cleared',)
    """
    packed: bytes = packb(entry, unicode_errors="surrogatepass")
    return packed


def unpack(data: bytes) -> Entry:
    """The entry of bytes; EncodingError if they are none."""
    try:
        entry = unpackb(data, use_list=False, unicode_errors="surrogatepass")
        kind, *fields = entry
        if not _CHECKS[kind](fields):
            raise ValueError(f"an entry {kind!r} has other fields")
    except Exception as error:  # whatever foreign bytes provoke
        raise EncodingError(f"not an entry of a log: {error}") from error
    return tuple(entry)


def _are(*types: tuple[type, ...]) -> Callable[[Sequence[Any]], bool]:
    def check(fields: Sequence[Any]) -> bool:
        return len(fields) == len(types) and all(map(isinstance, fields, types))

    return check


def _rows(*types: tuple[type, ...]) -> Callable[[Any], bool]:
    check = _are(*types)
    return lambda rows: isinstance(rows, tuple) and all(isinstance(row, tuple) and check(row) for row in rows)


_PLAIN_ROOT = _are((int,), _TEXT, _BYTES, _MAYBE)
_COMMENTED_ROOT = _are((int,), _TEXT, _BYTES, _MAYBE, _BYTES)


def _root_rows(rows: Any) -> bool:
    return isinstance(rows, tuple) and all(
        isinstance(row, tuple) and (_PLAIN_ROOT(row) or _COMMENTED_ROOT(row)) for row in rows
    )


_OPEN_ROWS = _rows(_BYTES, _BYTES)
_COMMENT_ROWS = _rows(_BYTES, _TEXT, _CELL, _TEXT)
_CHECKS: dict[str, Callable[[Sequence[Any]], bool]] = {
    RUN: _are(_BYTES, _TEXT, _NUMBER, _TEXT),
    ROOTS: lambda fields: len(fields) == 2 and isinstance(fields[0], bytes) and _root_rows(fields[1]),
    OPEN: lambda fields: len(fields) == 1 and _OPEN_ROWS(fields[0]),
    COMMENTS: lambda fields: len(fields) == 1 and _COMMENT_ROWS(fields[0]),
    FORGOTTEN: _are(_BYTES, (int,), _BYTES),
    LOST: _are(_MAYBE, (int,), _BYTES, _TEXT),
    CLEARED: _are(),
}
