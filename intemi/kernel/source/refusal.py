"""Refusals: values whose content cannot be known, and what is reported of them."""

from __future__ import annotations

from intemi.errors import IntemiError


class Unknown(IntemiError):
    """A value whose content cannot be known, and the names that led to it."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.names: list[str] = []
        self.first = value
        """What the first of the names stands for: the value, or something that holds it."""

    def reached_by(self, name: str, value: object) -> None:
        """Add a name in front of the others, and what it stands for."""
        self.names[:0] = [name] if name else []
        self.first = value


def refusal(root: type, node: object, unknown: Unknown) -> str:
    """Why a class has no identity, and what helps."""
    return (
        f"{root.__qualname__}: it cannot be known whether its code has changed, because {place_of(node)} uses "
        f"{described(unknown)} whose content cannot be known; use a constant (a number, a tuple, an array), make it "
        f"inside the function, or write `version = 1` in {root.__qualname__} and raise it whenever results change"
    )


def described(unknown: Unknown) -> str:
    """The names that led to a value, and its type."""
    kind, first = type(unknown.value), type(unknown.first)
    used = ".".join(unknown.names) or "what it holds"
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{used}, of the type {name}," if first is kind else f"{used} ({first.__qualname__}), which holds a {name}"


def place_of(node: object) -> str:
    """The name of a function, a class or a module."""
    return getattr(node, "__qualname__", None) or getattr(node, "__name__", None) or type(node).__qualname__
