"""The messages between a client and a worker: sealed, in the canonical encoding, which decodes without pickle.

A message is its digest and its bytes. One that does not fit its digest is refused before anything is made of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from intemi.kernel.decoding import decode
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode
from intemi.kernel.errors import EncodingError
from intemi.kernel.workers.contents import ProtocolError


class Leaf(NamedTuple):
    """A leaf of a batch."""

    number: int
    machine: bytes
    encoded: bytes
    needed: tuple[bytes, ...]
    """Digests of the contents of its inputs."""
    is_watched: bool


class BatchMessage(NamedTuple):
    """Leaves that travel together."""

    leaves: tuple[tuple[Any, ...], ...]
    contents: dict[bytes, bytes]
    """Those that the worker lacks, if they are small."""


class Ran(NamedTuple):
    """What has come of a leaf."""

    number: int
    status: str
    """One of `encoded_leaf`, or one of those below."""
    answer: Any
    wall: float = 0.0
    cpu: float = 0.0
    ended: float = 0.0
    """On the worker's own clock."""


ENDED = "ended"
"""The process of the leaf died. Answer: how."""
STOPPED = "stopped"
"""It was ended. No answer."""
NOT_BEGUN = "not begun"
"""Those before it took longer than expected. No answer."""


class Answer(NamedTuple):
    """What a worker reports of a batch."""

    host: str
    pid: int
    lacking: tuple[bytes, ...]
    """Contents that are missing; then nothing was run."""
    ran: tuple[tuple[Any, ...], ...]
    now: float
    """On the worker's own clock."""
    error: str = ""
    """Why nothing could be run."""


_M = TypeVar("_M", BatchMessage, Answer)


def sealed(message: BatchMessage | Answer) -> bytes:
    """A message as bytes.

    >>> unsealed(BatchMessage, sealed(BatchMessage((), {}))).leaves
    ()
    """
    content = encode(tuple(message))
    return digest(content) + content


def unsealed(kind: type[_M], received: object) -> _M:
    """The message of bytes; ProtocolError if they are not one."""
    if not isinstance(received, bytes | bytearray | memoryview):
        raise ProtocolError(f"a message of bytes was expected, got {type(received).__name__}")
    view = memoryview(received)
    content = view[DIGEST_SIZE:]
    if digest(content) != bytes(view[:DIGEST_SIZE]):
        raise ProtocolError(f"a message of {len(view)} bytes does not have the digest that it begins with")
    try:
        return kind(*decode(content))
    except (EncodingError, TypeError) as error:
        raise ProtocolError(f"a message is no {kind.__name__}: {error}") from error
