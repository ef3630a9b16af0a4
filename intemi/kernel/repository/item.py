"""Items: contexts as the repository knows them. What qualifies is judged on items, and labels are read off them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from intemi.kernel import encoding
from intemi.kernel.component import Component
from intemi.kernel.errors import IntemiError

if TYPE_CHECKING:
    from intemi.kernel.repository.reader import Reader

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING"})()


class Step(NamedTuple):
    """A machine on the way from a root to an item, and how its parent knows it."""

    machine: int
    position: int
    name: str
    comments: bytes | None


class Item:
    """One context: a machine, and the way that leads to it from a root."""

    def __init__(self, steps: Sequence[Step], reader: Reader) -> None:
        self.steps = tuple(steps)
        self._reader = reader

    @property
    def machine(self) -> int:
        """The number of its machine."""
        return self.steps[-1].machine

    @property
    def name(self) -> str:
        """Its name among its siblings."""
        return self.steps[-1].name

    @property
    def names(self) -> tuple[str, ...]:
        """The names below the root, down to its own."""
        return tuple(step.name for step in self.steps[1:])

    @property
    def path(self) -> str:
        """The names from the root down."""
        return "/".join(step.name for step in self.steps)

    @property
    def order(self) -> tuple[int, ...]:
        """Its place among all items: that of the requests."""
        return tuple(step.position for step in self.steps)

    @property
    def kind(self) -> str:
        """The name of its class."""
        return str(self._reader.details(self.machine)[1])

    @property
    def config(self) -> Component | None:
        """Its configuration; None if its class is not known here."""
        return self._reader.config(self.machine)

    @property
    def results(self) -> dict[str, Any]:
        """The results of its machine."""
        return self._reader.results(self.machine)

    @cached_property
    def comments(self) -> dict[str, Any]:
        """What its parent, and commentators, say of it."""
        comments = self.steps[-1].comments
        said = encoding.decode(comments) if comments else {}
        return {**self._reader.said(self.machine), **said}

    @cached_property
    def above(self) -> Item | None:
        """The item of its parent."""
        return Item(self.steps[:-1], self._reader) if len(self.steps) > 1 else None

    def label(self, name: str) -> Any:
        """The value of a label: its own, or that of the nearest above it; MISSING if nobody has it."""
        item: Item | None = self
        while item is not None:
            for own in (item.results, item.comments):
                if name in own:
                    return own[name]
            item = item.above
        return MISSING

    def measured(self, name: str) -> Any:
        """What is known of every item, whatever its results: names and times."""
        details = self._reader.details(self.machine)
        known = {
            "machine": self.name,
            "kind": details[1],
            "path": self.path,
            "started": details[3],
            "wall": details[4],
            "cpu": details[5],
            "queue": details[6],
            "memory": details[7],
            "failure": details[8],
        }
        return known.get(name, MISSING)

    def parameter(self, path: str) -> Any:
        """A parameter of its configuration, or of the nearest above it that has such a path; MISSING if none has."""
        item: Item | None = self
        while item is not None:
            config = item.config
            if config is not None:
                try:
                    return config.get(path)
                except IntemiError:
                    pass  # it has no such part; one above it may
            item = item.above
        return MISSING
