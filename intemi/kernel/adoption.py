"""Objects of other libraries that stand for components: an adapter of a library says which component each one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Adopter = Callable[[Any], Any]
_adopters: list[Adopter] = []


def adopts(adopter: Adopter) -> Adopter:
    """Register a function that gives the component which an object stands for, and None for objects of others."""
    _adopters.append(adopter)
    return adopter


def adopted(value: Any) -> Any:
    """The component that an object stands for; the value itself if it stands for none."""
    for adopter in _adopters:
        if (found := adopter(value)) is not None:
            return found
    return value
