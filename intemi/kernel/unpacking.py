"""How much a packed file may unpack to: in proportion to its own size, so that reading a small file costs little."""

from __future__ import annotations

import os

from intemi.kernel.errors import ConfigurationError

MAX_RATIO = 100
"""Deflate reaches 1,032 on zeros; tables and models stay far below 100."""
MIN_BYTES = 2**24
"""What even the smallest file may unpack to."""
UNPACKED_VARIABLE = "INTEMI_MAX_UNPACKED"
"""Names the variable of the environment with a number of bytes that is allowed instead."""


def unpacked_limit(packed: int) -> int:
    """How many bytes a file of a size may unpack to.

    >>> unpacked_limit(10**6)
    100000000
    """
    chosen = os.environ.get(UNPACKED_VARIABLE)
    if not chosen:
        return max(MIN_BYTES, MAX_RATIO * packed)
    if not chosen.isdecimal() or len(chosen) > 18:
        raise ConfigurationError(f"{UNPACKED_VARIABLE} must be a number of bytes, got {chosen!r}")
    return int(chosen)


def too_much(limit: int, what: str = "bytes") -> str:
    """The text of the error about a file that goes over its limit.

    >>> too_much(16_777_216)
    'more than 16,777,216 bytes when unpacked; if that is right, set INTEMI_MAX_UNPACKED to the number to allow'
    """
    return f"more than {limit:,} {what} when unpacked; if that is right, set {UNPACKED_VARIABLE} to the number to allow"
