"""A Bloom filter of one hash for ids: it can tell of most new ids that they are new, in little memory."""

from __future__ import annotations

from collections.abc import Iterable
from mmap import mmap

BITS = 2**26
"""8 MB, of which the system provides what is used. With two million ids, one of thirty new ones finds its bit set."""


class IdFilter:
    """A bit for each id, at an index that the id determines: if it is not set, the id was not added.

    A set of a million ids would take 100 MB, and Python's collector would look at each of them again and again.

    >>> known = IdFilter()
    >>> known.add([b"first id"])
    >>> known.lack(b"other id"), known.lack(b"first id")
    (True, False)
    """

    def __init__(self) -> None:
        self._bits = mmap(-1, BITS // 8)

    def add(self, ids: Iterable[object]) -> None:
        """Add ids; what is foreign or damaged may be something else than bytes, and is left out."""
        for each in ids:
            if isinstance(each, bytes):
                index = int.from_bytes(each[:4], "big") % BITS
                self._bits[index >> 3] |= 1 << (index & 7)

    def lack(self, name: object) -> bool:
        """Whether an id was not added, for sure."""
        if not isinstance(name, bytes):
            return False
        index = int.from_bytes(name[:4], "big") % BITS
        return not self._bits[index >> 3] & 1 << (index & 7)
