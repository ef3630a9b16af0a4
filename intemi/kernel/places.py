"""Places: a bit for each id, which tells of most ids that they are new."""

from __future__ import annotations

from collections.abc import Iterable
from mmap import mmap

NUMBER = 2**26
"""Bits: 8 MB, of which the system provides what is used. With two million ids, one of thirty new ones finds its place
taken."""


class Places:
    """A bit for each id, at a place that the id determines: if it is not set, the id was not added.

    A set of a million ids would take 100 MB, and Python's collector would look at each of them again and again.

    >>> places = Places()
    >>> places.add([b"first id"])
    >>> places.lack(b"other id"), places.lack(b"first id")
    (True, False)
    """

    def __init__(self) -> None:
        self._bits = mmap(-1, NUMBER // 8)

    def add(self, ids: Iterable[object]) -> None:
        """Mark ids; what is foreign or damaged may be something else than bytes, and has no place."""
        for each in ids:
            if isinstance(each, bytes):
                place = int.from_bytes(each[:4], "big") % NUMBER
                self._bits[place >> 3] |= 1 << (place & 7)

    def lack(self, name: object) -> bool:
        """Whether an id was not added, for sure."""
        if not isinstance(name, bytes):
            return False
        place = int.from_bytes(name[:4], "big") % NUMBER
        return not self._bits[place >> 3] & 1 << (place & 7)
