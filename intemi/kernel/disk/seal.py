"""Seals: bytes go to the disk with a checksum over what they are, what they belong to and where they stand."""

from __future__ import annotations

from intemi.kernel.encoding import DIGEST_SIZE, digest
from intemi.kernel.errors import IntemiError

FORMAT = 1
RECORD, COMPOSITE, CHILDREN, CONTENT, ENTRY, KEY = b"record", b"composite", b"children", b"content", b"entry", b"key"
"""Kinds of what is sealed. The record of a composite has a kind of its own: without its children it is damaged."""
_MAGIC = b"intemi"
_FORMAT_AT = len(_MAGIC)
_SUM_AT = _FORMAT_AT + 1
SEAL_SIZE = _SUM_AT + DIGEST_SIZE
"""Bytes before what is sealed."""
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
