"""What travels between home and a worker: sealed messages in the canonical encoding, which decodes without pickle.

A message is its digest and its bytes. What does not fit its digest is refused before anything is made of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from intemi.kernel.decoding import decode
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode
from intemi.kernel.errors import EncodingError, MalformedError
from intemi.kernel.seeds import Seed


class Garbled(MalformedError):
    """A message that is not what was sent."""


class Reference(NamedTuple):
    """How one value travels: the digest of its bytes, and those of the parts that it shares with others, by name."""

    content: bytes
    parts: dict[bytes, bytes]

    @property
    def digests(self) -> tuple[bytes, ...]:
        """Of everything that is needed to build the value."""
        return (self.content, *self.parts.values())


class Leaf(NamedTuple):
    """A leaf to run."""

    number: int
    machine: bytes
    config: bytes
    seed: tuple[Any, tuple[int, ...]] | None
    inputs: dict[str, tuple[bool, tuple[tuple[bytes, dict[bytes, bytes]], ...]]]
    modules: tuple[str, ...]
    """Where the classes are defined that it needs."""
    classes: bytes
    """Those that cannot be imported: pickled, with the digests of their sources."""
    is_watched: bool


class BatchMessage(NamedTuple):
    """Leaves that travel together."""

    home: str
    leaves: tuple[tuple[Any, ...], ...]
    contents: dict[bytes, bytes]
    """Of values that the worker has not got yet, if they are small."""
    trusted: bool
    memory: int
    """Bytes of contents that the worker may keep."""


class Ran(NamedTuple):
    """What has come of a leaf. The status says what the content is."""

    number: int
    status: str
    content: Any
    wall: float = 0.0
    cpu: float = 0.0
    ended: float = 0.0
    """On the worker's own clock."""


FINISHED = "finished"
"""Content: outputs (encoded values by port, a tuple for collections), encoded results, and parts that values share."""
FAILED = "failed"
"""Content: name and module of the error's class, its text, its traceback."""
ENDED = "ended"
"""The process of the leaf died. Content: what it died of."""
REFUSED = "refused"
"""It cannot be run there as it would be at home. Content: why."""
STOPPED = "stopped"
"""It was ended. No content."""
NOT_BEGUN = "not begun"
"""Those before it took longer than expected. No content."""


class Answer(NamedTuple):
    """What a worker says of a batch."""

    host: str
    pid: int
    lacking: tuple[bytes, ...]
    """Contents that it has not got; then nothing was run."""
    ran: tuple[tuple[Any, ...], ...]
    now: float
    """On the worker's own clock."""
    error: str = ""
    """Why nothing could be run."""


def sealed(message: BatchMessage | Answer) -> bytes:
    """A message as bytes.

    >>> unsealed(BatchMessage, sealed(BatchMessage("home", (), {}, False, 2**30))).home
    'home'
    """
    content = encode(tuple(message))
    return digest(content) + content


def unsealed(kind: Any, received: object) -> Any:
    """The message of bytes; Garbled if they are not one."""
    if not isinstance(received, bytes | bytearray | memoryview):
        raise Garbled(f"a message of bytes was expected, got {type(received).__name__}")
    view = memoryview(received)
    content = view[DIGEST_SIZE:]
    if digest(content) != bytes(view[:DIGEST_SIZE]):
        raise Garbled(f"a message of {len(view)} bytes does not have the digest that it begins with")
    try:
        return kind(*decode(content))
    except (EncodingError, TypeError) as error:
        raise Garbled(f"a message is no {kind.__name__}: {error}") from error


def packed_seed(seed: Seed | None) -> tuple[Any, tuple[int, ...]] | None:
    """A seed in plain values."""
    return None if seed is None else (seed.entropy, tuple(seed.path))


def unpacked_seed(packed: tuple[Any, tuple[int, ...]] | None) -> Seed | None:
    """The seed of plain values."""
    return None if packed is None else Seed(packed[0], tuple(packed[1]))
