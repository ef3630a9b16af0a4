"""In what two configurations differ: the paths of what is not the same, each with both values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from intemi.kernel import encoding
from intemi.kernel.component import Component, too_deep
from intemi.kernel.errors import ConfigurationError

MAX_SHOWN = 80
"""Characters of a value that are shown; the rest of longer ones is left out."""


class Difference(NamedTuple):
    """One difference: `replace(path, second)` makes the first configuration equal to the second one there."""

    path: str
    """As `replace` takes it; empty if the two have nothing in common, not even their class."""
    first: Any
    second: Any

    def __repr__(self) -> str:
        return f"{self.path or 'all of it'}: {_shown(self.first)} ≠ {_shown(self.second)}"

    def is_at(self, path: str) -> bool:
        """Whether it is at a path, or below it.

        >>> Difference("splitter.quality.power", 1, 2).is_at("splitter/quality")
        True
        """
        mine, given = self.path.replace("/", "."), path.replace("/", ".")
        return mine == given or mine.startswith(f"{given}.")


def diff(first: Component, second: Component) -> list[Difference]:
    """In what two configurations differ, with the paths of `replace`; nothing if they are equal.

    A configuration has every parameter of everything in it, so there is nothing else in which they could differ. Where
    the two have components of different classes, schemes of different machines or collections of different sizes, these
    are one difference.

    >>> class Wheel(Component):
    ...     size: int = 1
    >>> class Cart(Component):
    ...     seats: int = 3
    ...     wheel: Wheel = Wheel()
    >>> found = diff(Cart(), Cart(seats=5, wheel=Wheel(size=2)))
    >>> found
    [seats: 3 ≠ 5, wheel.size: 1 ≠ 2]
    >>> found[1].path, found[1].first, found[1].second
    ('wheel.size', 1, 2)
    """
    for each in (first, second):
        if not isinstance(each, Component):
            raise ConfigurationError(f"diff: two configurations are compared, got {each!r}")
    return differences(first, second)


def differences(first: Any, second: Any) -> list[Difference]:
    """The same for any values that a configuration can hold, plain data among them."""
    try:
        return list(_between("", first, second, frozenset()))
    except RecursionError:
        raise too_deep(type(first).__name__, "to be compared") from None


def _between(path: str, first: Any, second: Any, named: frozenset[int]) -> Iterator[Difference]:
    """`named` are ids of parts that have a path of their own: machines in a scheme are not looked at in its lists."""
    if id(first) in named or encoding.encode(first) == encoding.encode(second):
        return
    if isinstance(first, Component) and type(first) is type(second):
        yield from _between_parts(path, first, second, named)
    elif isinstance(first, Mapping) and isinstance(second, Mapping) and _can_be_steps(first, second):
        for key in first:
            yield from _between(_joined(path, ".", key), first[key], second[key], named)
    elif isinstance(first, list | tuple) and type(first) is type(second) and len(first) == len(second):
        for position, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from _between(_joined(path, ".", str(position)), one, other, named)
    else:
        yield Difference(path, first, second)


def _between_parts(path: str, first: Component, second: Component, named: frozenset[int]) -> Iterator[Difference]:
    """Machines in a scheme by their names, then parameters; if the names differ, all of it does."""
    inside = [name for name in first.part_names() if name not in first.parameters()]
    if inside != [name for name in second.part_names() if name not in second.parameters()]:
        yield Difference(path, first, second)
        return
    named |= {id(first.part(name)) for name in inside}
    for name in inside:
        yield from _between(_joined(path, "/", name), first.part(name), second.part(name), frozenset())
    for name, value in first.parameters().items():
        yield from _between(_joined(path, ".", name), value, second.part(name), named)


def _can_be_steps(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> bool:
    return first.keys() == second.keys() and all(isinstance(key, str) and key and "/" not in key for key in first)


def _joined(path: str, separator: str, step: str) -> str:
    return f"{path}{separator}{step}" if path else step


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def listed(found: Iterable[Difference], most: int = 5) -> str:
    """Differences in one line of an error."""
    every = list(map(repr, found))
    return "; ".join(every[:most]) + (f"; and {len(every) - most} more" if len(every) > most else "")
