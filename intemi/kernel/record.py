"""Records: what is known of a finished (or failed) machine. Small; kept when the values themselves are gone.

A record says everything that is needed to make a lost value again: configuration, seed and where each input came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.errors import EncodingError, MachineFailed

FORMAT = 1
SINGLE = -1
"""The index of an item that is not part of a collection."""


class Item:
    """One value that a leaf made: where it came from, and (once somebody asked) the digest of its content."""

    __slots__ = ("content", "index", "inline", "kept", "machine", "output")

    def __init__(
        self, machine: bytes, output: str, index: int = SINGLE, content: bytes | None = None, inline: bytes | None = None
    ) -> None:
        self.machine = machine
        self.output = output
        self.index = index
        self.content = content
        self.inline = inline
        """The encoded value itself, if it is small enough to live in the record."""
        self.kept = content is not None
        """Whether the store can bring the value back."""

    @property
    def origin(self) -> tuple[bytes, str, int]:
        """The one place where this value was made."""
        return self.machine, self.output, self.index

    def __repr__(self) -> str:
        return f"<Item {self.output}{'' if self.index == SINGLE else f'[{self.index}]'} of {self.machine.hex()[:8]}>"


Items = Item | tuple[Item, ...]


def flat(items: Items) -> tuple[Item, ...]:
    """The items of an output, be it one or a collection."""
    return (items,) if isinstance(items, Item) else items


@dataclass(slots=True)
class Failure:
    """The first cause of a failure: which machine, what it said."""

    message: str
    path: str
    key: bytes
    traceback: str

    def error(self) -> MachineFailed:
        """The failure as an exception to raise."""
        return MachineFailed(self.message, self.path, self.key, self.traceback)


@dataclass(slots=True)
class Child:
    """One child of a composite as its parent knows it; comments belong to this edge, not to the shared machine."""

    index: int
    name: str
    machine: bytes
    comments: dict[str, Any]


@dataclass(slots=True)
class Record:
    """A finished or failed machine."""

    machine: bytes
    """Its id: equal ids, equal machines."""
    kind: str
    config: bytes
    """The canonical encoding of its configuration."""
    seed: tuple[int, tuple[int, ...]] | None
    inputs: dict[str, tuple[bool, tuple[tuple[bytes, str, int], ...]]]
    """For each input port: whether it is a collection, and the origins of the values."""
    outputs: dict[str, Items] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    failure: Failure | None = None
    census: dict[str, int] = field(default_factory=dict)
    """How many machines, by kind, exist logically in this branch, itself included."""
    started: float = 0.0
    wall: float = 0.0
    cpu: float = 0.0

    def encode(self) -> bytes:
        """The record as bytes."""
        failure = self.failure
        return encoding.encode(
            (
                FORMAT,
                self.machine,
                self.kind,
                self.config,
                self.seed,
                self.inputs,
                {name: _packed(items) for name, items in self.outputs.items()},
                self.results,
                failure and (failure.message, failure.path, failure.key, failure.traceback),
                self.census,
                (self.started, self.wall, self.cpu),
            )
        )

    @classmethod
    def decode(cls, data: bytes) -> Record:
        """The record of bytes; EncodingError if they are not one, or one of another format."""
        parts = encoding.decode(data)
        if not isinstance(parts, tuple) or len(parts) != 11 or parts[0] != FORMAT:
            raise EncodingError("not a record of this format")
        _, machine, kind, config, seed, inputs, outputs, results, failure, census, times = parts
        return cls(
            machine,
            kind,
            config,
            seed,
            inputs,
            {name: _unpacked(items) for name, items in outputs.items()},
            results,
            failure and Failure(*failure),
            census,
            *times,
        )


def _packed(items: Items) -> Any:
    if isinstance(items, Item):
        return (items.machine, items.output, items.index, items.content, items.inline)
    return [_packed(item) for item in items]


def _unpacked(packed: Any) -> Items:
    if isinstance(packed, tuple):
        return Item(*packed)
    return tuple(Item(*each) for each in packed)
