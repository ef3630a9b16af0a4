"""Values of one kind by their names: what there are several of is registered where it is defined, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from intemi.kernel.errors import ConfigurationError

T = TypeVar("T")


class Registered(Mapping[str, T]):
    """Registered values of one kind, those of the package first.

    >>> pictures = Registered("picture")
    >>> def draw_ranks(): ...
    >>> pictures.add("ranks", draw_ranks)
    >>> list(pictures)
    ['ranks']
    >>> pictures.named("rank")
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: no picture is called 'rank'; did you mean 'ranks'?
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._values: dict[str, T] = {}
        self._places: dict[str, str] = {}
        """Where each was defined."""

    def add(self, name: str, value: T, defined_by: Any = None) -> None:
        """Register a value, or what a class or function defines.

        Defining it again (a notebook cell) replaces the old one; another definition of the same name is refused.
        """
        definition: Any = value if defined_by is None else defined_by
        place = f"{definition.__module__}.{definition.__qualname__}"
        if self._places.setdefault(name, place) != place:
            raise ConfigurationError(
                f"{place}: the {self._kind} {name!r} is that of {self._places[name]}; choose another name"
            )
        self._values[name] = value

    def named(self, name: str) -> T:
        """The value of a name; others get an error that lists what there is."""
        if name in self._values:
            return self._values[name]
        near = get_close_matches(name, self._values, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self._values)}"
        raise ConfigurationError(f"no {self._kind} is called {name!r}; {hint}")

    def __getitem__(self, name: str) -> T:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
