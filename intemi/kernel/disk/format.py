"""The format of a store on disk: its tables, the seal on everything that is written, and configurations kept once.

Bytes go to the disk with a checksum over what they are, what they belong to and where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from intemi.kernel.encoding import DIGEST_SIZE, digest
from intemi.kernel.errors import EncodingError, IntemiError

# Tables

SCHEMA_VERSION = 5
"""The first version that was released, and the first that every later version of this package has to read."""
UNRELEASED_VERSIONS = range(1, SCHEMA_VERSION)
SCHEMA = (
    "CREATE TABLE machines (id BLOB PRIMARY KEY, record BLOB, children BLOB, key BLOB, proof BLOB)",
    "CREATE INDEX machines_by_key ON machines (key) WHERE key IS NOT NULL",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, machine BLOB) WITHOUT ROWID",
    "CREATE TABLE contents (id BLOB PRIMARY KEY, bytes BLOB)",
    "CREATE TABLE log (number INTEGER PRIMARY KEY, entry BLOB)",
    "CREATE TABLE tally (machines INTEGER, entries INTEGER)",
    "CREATE TRIGGER count_machines AFTER INSERT ON machines BEGIN UPDATE tally SET machines = machines + 1; END",
    "CREATE TRIGGER count_entries AFTER INSERT ON log BEGIN UPDATE tally SET entries = entries + 1; END",
    "CREATE TABLE identity (token BLOB)",
)
"""A machine is found by its id, by the key that it was first requested with, or by further keys. A key counts only with
its proof: beside it, or behind the id in `keys`. Large contents are files.

No row of `machines` or `log` is ever deleted: a forgotten machine leaves a row without an id. So the numbers of rows
have no gaps, and `tally` says how many there must be. The token of `identity` tells this store, and copies of it, from
all others: an index is one of such a store."""
LARGE = 65_536
"""Bytes from which on a content is a file."""
APPLICATION = int.from_bytes(b"im", "big") << 16
"""Our mark in SQLite's header; the lower half repeats the version: a damaged one is not taken for a newer."""


def marks(version: int) -> tuple[str, ...]:
    """The statements that write the version into a file."""
    return f"PRAGMA application_id = {APPLICATION + version}", f"PRAGMA user_version = {version}"


FRESH = (*SCHEMA, "INSERT INTO tally VALUES (0, 0)", *marks(SCHEMA_VERSION))
"""The statements that make an empty file."""

# Seals

FORMAT = 1
RECORD, COMPOSITE, CHILDREN, CONTENT, ENTRY, KEY = b"record", b"composite", b"children", b"content", b"entry", b"key"
"""Kinds of what is sealed. The record of a composite has a kind of its own: without its children it is damaged."""
_MAGIC = b"intemi"
_FORMAT_AT = len(_MAGIC)
_SUM_AT = _FORMAT_AT + 1
SEAL_SIZE = _SUM_AT + DIGEST_SIZE
"""Bytes before the payload."""
_HEADER = _MAGIC + bytes([FORMAT])


class DamageError(IntemiError):
    """What was read cannot be what was written. Never leaves the store: it becomes a miss and a StoreWarning."""


class FileDamageError(DamageError):
    """A file contradicts itself, though SQLite has not noticed: it is set aside as a whole."""


def seal(kind: bytes, owner: bytes, payload: bytes) -> bytes:
    """The payload with a header that fits only this kind of thing of this owner.

    >>> unseal(b"record", b"id", seal(b"record", b"id", b"payload"))
    b'payload'
    """
    return b"".join((_HEADER, _checksum(kind, owner, payload), payload))


def proof(key: bytes, machine: bytes) -> bytes:
    """The checksum that goes with the statement that a key leads to a machine."""
    return _checksum(KEY, machine, key)


def seal_of(sealed: object) -> bytes:
    """The header of something that is sealed; no two different ones have the same."""
    return sealed[:SEAL_SIZE] if isinstance(sealed, bytes) else b""


def unseal(kind: bytes, owner: bytes, sealed: object) -> bytes:
    """The payload, if every byte is as it was written; DamageError otherwise."""
    if not isinstance(sealed, bytes):
        raise DamageError(f"bytes expected, got {type(sealed).__name__}")
    if len(sealed) < SEAL_SIZE or not sealed.startswith(_MAGIC):
        raise DamageError("truncated, or written by another program")
    if sealed[_FORMAT_AT] != FORMAT:
        raise DamageError(f"written in format {sealed[_FORMAT_AT]}, this version reads {FORMAT}")
    payload = sealed[SEAL_SIZE:]
    if _checksum(kind, owner, payload) != sealed[_SUM_AT:SEAL_SIZE]:
        raise DamageError("the checksum does not fit")
    return payload


def _checksum(kind: bytes, owner: bytes, payload: bytes) -> bytes:
    if len(payload) < 65_536:  # joining them is quicker than hashing piece by piece
        return digest(b"".join((kind, owner, payload)))
    return digest(kind, owner, payload)


# Shared configurations

MAX_INLINE_BYTES = 256
"""A configuration up to this size is kept in each record."""
MAX_REMEMBERED_CONFIGS = 10_000


@lru_cache(maxsize=MAX_REMEMBERED_CONFIGS)
def name_of(config: bytes) -> bytes:
    """The name of a configuration that is kept by itself: as any other content that is the same."""
    return digest(config)


class SharedConfigs:
    """Configurations that many machines have, such as the test that is run on every fold: kept once, as contents."""

    def __init__(self) -> None:
        self._met: set[bytes] = set()
        self._known: dict[bytes, bytes] = {}

    def name(self, config: bytes) -> bytes | None:
        """The name to be written in its place; None for one that is small, or that no other machine has had."""
        if len(config) <= MAX_INLINE_BYTES:
            return None
        if config in self._met:
            return name_of(config)
        if len(self._met) >= MAX_REMEMBERED_CONFIGS:
            self._met.clear()
        self._met.add(config)
        return None

    def called(self, name: bytes, content: Callable[[bytes], bytes | None]) -> bytes:
        """The configuration of that name, read from the store's contents if it is not remembered."""
        config = self._known.get(name)
        if config is None:
            config = content(name)
            if config is None:
                raise EncodingError(f"its configuration {name.hex()} is gone")
            if len(self._known) >= MAX_REMEMBERED_CONFIGS:
                self._known.clear()
            self._known[name] = config
        return config
