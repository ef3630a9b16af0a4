"""The seed tree: where every random choice comes from.

A seed is a number and a path of branches. It branches where repetition is meant and passes through unchanged where it
is not, so it never depends on time, thread or order of completion, and one repetition is the same in every project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.kernel import encoding


@dataclass(frozen=True, slots=True)
class Seed:
    """A node of the seed tree.

    >>> Seed(1).branch(3).branch(0)
    Seed(entropy=1, path=(3, 0))
    >>> Seed(1).branch(3).generator().random() == Seed(1).branch(3).generator().random()
    True
    """

    entropy: int
    path: tuple[int, ...] = ()

    def branch(self, *indices: int) -> Seed:
        """The seed of one repetition."""
        return Seed(self.entropy, self.path + indices)

    def generator(self, name: str = "") -> np.random.Generator:
        """A fresh generator, the same for the same seed; different names draw independently of each other."""
        entropy = _words(self.entropy, encoding.digest(name.encode())) if name else self.entropy
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=self.path)))

    def encoded(self) -> bytes:
        """Canonical bytes, a part of the key of a random machine."""
        return encoding.encode((self.entropy, self.path))


def _words(entropy: int, digest: bytes) -> Any:
    """What numpy would make of a list of the number and all bytes, one by one."""
    words = [entropy & 0xFFFFFFFF]
    while entropy := entropy >> 32:
        words.append(entropy & 0xFFFFFFFF)
    return np.array([*words, *digest], dtype=np.uint32)


def seed_from_time() -> int:
    """A seed that cannot be foreseen, for requests that ask for one."""
    import secrets

    return secrets.randbits(63)
