"""Private composites: what is requested inside of them claims nothing, so it is judged in another way than outside.

A learner that validates candidates inside is an example: whatever it tests there, it is tested itself outside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intemi.kernel.machine import Machine

_kinds: list[Callable[[Machine], bool]] = []


def keep_private(kind: Callable[[Machine], bool]) -> None:
    """From now on, whatever is requested inside of composites of a kind claims nothing."""
    _kinds.append(kind)


def is_private(config: Machine) -> bool:
    """Whether what is requested inside of a machine claims nothing."""
    return any(kind(config) for kind in _kinds)
