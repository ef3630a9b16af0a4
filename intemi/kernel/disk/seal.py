"""Seals: bytes go to the disk with a checksum of what they are and of whom they belong to."""

from __future__ import annotations

from intemi.kernel.encoding import DIGEST_SIZE, digest
from intemi.kernel.errors import IntemiError

FORMAT = 1
RECORD, CHILDREN, CONTENT = b"record", b"children", b"content"
"""Kinds of what is sealed."""
_MAGIC = b"intemi"
_FORMAT_AT = len(_MAGIC)
_SUM_AT = _FORMAT_AT + 1
_PAYLOAD_AT = _SUM_AT + DIGEST_SIZE
_HEADER = _MAGIC + bytes([FORMAT])


class DamageError(IntemiError):
    """What was read cannot be what was written. Never leaves the store: it becomes a miss and a StoreWarning."""


def seal(kind: bytes, owner: bytes, payload: bytes) -> bytes:
    """The payload with a header that fits only this kind of thing of this owner.

    >>> unseal(b"record", b"id", seal(b"record", b"id", b"payload"))
    b'payload'
    """
    return b"".join((_HEADER, _checksum(kind, owner, payload), payload))


def seal_of(sealed: object) -> bytes:
    """The header of something that is sealed; no two different ones have the same."""
    return sealed[:_PAYLOAD_AT] if isinstance(sealed, bytes) else b""


def unseal(kind: bytes, owner: bytes, sealed: object) -> bytes:
    """The payload, if every byte is as it was written; DamageError otherwise."""
    if not isinstance(sealed, bytes):
        raise DamageError(f"bytes expected, got {type(sealed).__name__}")
    if len(sealed) < _PAYLOAD_AT or not sealed.startswith(_MAGIC):
        raise DamageError("truncated, or written by another program")
    if sealed[_FORMAT_AT] != FORMAT:
        raise DamageError(f"written in format {sealed[_FORMAT_AT]}, this version reads {FORMAT}")
    payload = sealed[_PAYLOAD_AT:]
    if _checksum(kind, owner, payload) != sealed[_SUM_AT:_PAYLOAD_AT]:
        raise DamageError("the checksum does not fit")
    return payload


def _checksum(kind: bytes, owner: bytes, payload: bytes) -> bytes:
    if len(payload) < 4096:  # joining them is quicker than hashing piece by piece
        return digest(b"".join((kind, owner, payload)))
    return digest(kind, owner, payload)
