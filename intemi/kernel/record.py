"""Records: what is known of a finished (or failed) machine. Small; kept when the values themselves are gone.

A record says everything that is needed to make a lost value again: configuration, seed and where each input came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from sys import intern
from typing import Any

from msgpack import Packer, unpackb

from intemi.kernel import encoding
from intemi.kernel.decoding import decode
from intemi.kernel.errors import EncodingError, MachineFailed
from intemi.kernel.protection import handed_out, looked_at
from intemi.kernel.seeds import Seed

FORMAT = 1
ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()
"""Stands for a value that is not there, where None is one."""
SINGLE = -1
"""The index of an item that is not part of a collection."""


class Item:
    """One value that a leaf made: where it came from, and (once somebody asked) the digest of its content."""

    __slots__ = ("content", "inline", "origin", "small")

    def __init__(
        self,
        machine: bytes,
        output: str,
        index: int = SINGLE,
        content: bytes | None = None,
        inline: bytes | None = None,
    ) -> None:
        self.origin = machine, output, index
        """The one place where this value was made."""
        self.content = content
        self.inline = inline
        """The encoded value itself, if it is small enough to live in the record."""
        self.small: Any = ABSENT
        """The value itself, if it is so small that it need not be counted."""

    def __repr__(self) -> str:
        machine, output, index = self.origin
        return f"<Item {output}{'' if index == SINGLE else f'[{index}]'} of {machine.hex()[:8]}>"


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
    key: bytes = b""
    """What was asked for; the machine's id tells only who answered."""


_PLAIN = frozenset((float, str, bool, type(None)))
_LEAST, _GREATEST = -(2**63), 2**63 - 1
"""What msgpack represents as it is: these types, and whole numbers in between."""
_TEXT = frozenset((str,))
_NOTHING: dict[str, Any] = {}
"""Shared by all records, and never written to; so are those of the next function."""


@cache
def census_of_one(kind: str) -> dict[str, int]:
    """The census of a machine without children."""
    return {kind: 1}


Origins = Mapping[str, tuple[bool, tuple[tuple[bytes, str, int], ...]]]
"""For each input port: whether it is a collection, and where its values were made."""

NAME = "Name"
"""The result by which a machine that takes nothing, such as a loader, names the data that it gives."""


class Record:
    """A finished or failed machine."""

    __slots__ = (
        "_is_fixed",
        "_results",
        "census",
        "config",
        "cpu",
        "failure",
        "inputs",
        "kind",
        "machine",
        "memory",
        "outputs",
        "queue",
        "seed",
        "started",
        "version",
        "wall",
        "worker",
    )

    def __init__(
        self,
        machine: bytes,
        kind: str,
        config: bytes,
        seed: Seed | None,
        inputs: Origins,
        outputs: dict[str, Items] | None = None,
        results: dict[str, Any] | bytes = b"",
        failure: Failure | None = None,
        census: dict[str, int] | None = None,
        started: float = 0.0,
        wall: float = 0.0,
        cpu: float = 0.0,
        queue: float = 0.0,
        memory: int | None = None,
        version: str | None = None,
        worker: str | None = None,
    ) -> None:
        self.machine = machine
        """Its id: equal ids, equal machines."""
        self.kind = kind
        self.config = config
        """The canonical encoding of its configuration."""
        self.seed = seed
        self.inputs = inputs or _NOTHING
        self.outputs: dict[str, Items] = outputs or _NOTHING
        self._results = results or _NOTHING
        """As given, or what `fix` makes of it, or all of it encoded."""
        self._is_fixed = False
        self.failure = failure
        self.census = census or census_of_one(kind)
        """How many machines, by kind, exist logically in this branch, itself included."""
        self.started = started
        self.wall = wall
        self.cpu = cpu
        self.queue = queue
        """Seconds between the time it could have run and its start."""
        self.memory = memory
        """The most bytes it had at a time, where that was measured."""
        self.version = version
        """The version of this package that ran it, where that was recorded."""
        self.worker = worker
        """Host and process that ran it, if that was another computer's or could have been."""

    @property
    def results(self) -> dict[str, Any]:
        """The labelled results; what is encoded is decoded when it is looked at."""
        if isinstance(self._results, bytes):
            self._results = decode(self._results)
        assert isinstance(self._results, dict)
        if self._is_fixed:
            return {label: decode(value) if type(value) is bytes else value for label, value in self._results.items()}
        return {label: handed_out(value) for label, value in self._results.items()}

    def result(self, label: str) -> Any:
        """One of the labelled results; the others need not be decoded."""
        value = self.fixed_results()[label]
        return decode(value) if type(value) is bytes else value

    def fix(self) -> None:
        """See to it that nobody can change the results before the record is written."""
        results = self._results
        if self._is_fixed or not results or isinstance(results, bytes):
            return
        if _TEXT.issuperset(map(type, results)):
            self._results, self._is_fixed = _fixed(results), True
        else:  # msgpack has no other labels
            self._results = encoding.encode({label: looked_at(value) for label, value in results.items()})

    def fixed_results(self) -> dict[str, Any]:
        """The labelled results: numbers, text, truth values and None as they are, everything else encoded."""
        if self._is_fixed:
            assert isinstance(self._results, dict)
            return self._results
        if isinstance(self._results, bytes):
            self._results = decode(self._results)
        assert isinstance(self._results, dict)
        return _fixed(self._results)

    def encode(self, config: bytes | None = None) -> bytes:
        """The record as bytes; `config` is what the configuration is called if it is kept elsewhere."""
        self.fix()
        seed, failure = self.seed, self.failure
        return _pack(
            (
                FORMAT,
                self.machine,
                self.kind,
                self.config if config is None else (config,),
                None if seed is None else (encoding.encode(seed.entropy), seed.path),
                self.inputs,
                {name: _packed(items) for name, items in self.outputs.items()},
                self._results or b"",
                None if failure is None else (failure.message, failure.path, failure.key, failure.traceback),
                self.census,
                self.started,
                self.wall,
                self.cpu,
                self.queue,
                self.memory,
                self.version,
                *(() if self.worker is None else (self.worker,)),
            )
        )

    @classmethod
    def decode(cls, data: bytes, config_of: Callable[[bytes], bytes] | None = None) -> Record:
        """The record of bytes; EncodingError if they are not one, or one of another format.

        `config_of` tells configurations that are kept elsewhere.
        """
        try:
            parts = unpackb(data, use_list=False, unicode_errors="surrogatepass")
            if not isinstance(parts, tuple) or parts[0] != FORMAT:
                raise ValueError("of another format")
            _, machine, kind, config, seed, inputs, outputs, results, failure, census, started, *measured = parts
            record = cls(
                machine,
                intern(kind),
                config_of(*config) if config_of is not None and isinstance(config, tuple) else config,
                None if seed is None else Seed(decode(seed[0]), seed[1]),
                inputs,
                {name: _unpacked(items) for name, items in outputs.items()},
                results,
                None if failure is None else Failure(*failure),
                None if census == {kind: 1} else census,
                started,
                *measured,
            )
            record._is_fixed = isinstance(results, dict)
            return record
        except Exception as error:  # whatever foreign bytes provoke
            raise EncodingError(f"not a record of this format: {error}") from error


_packers: list[Packer] = []
"""Packers that nobody is using: each takes 256 kB, ..."""
LARGE = 2**17
"""... unless it has packed something larger than that."""


def _pack(value: object) -> bytes:
    try:
        packer = _packers.pop()
    except IndexError:
        packer = Packer(unicode_errors="surrogatepass")
    packed: bytes = packer.pack(value)
    if len(packed) <= LARGE:
        _packers.append(packer)
    return packed


def _fixed(results: Mapping[str, Any]) -> dict[str, Any]:
    return {
        label: value
        if (kind := type(value)) in _PLAIN or (kind is int and _LEAST <= value <= _GREATEST)
        else encoding.encode(looked_at(value))
        for label, value in results.items()
    }


def _packed(items: Items) -> Any:
    if isinstance(items, Item):
        return (*items.origin, items.content, items.inline)
    return (None, *map(_packed, items))


def _unpacked(packed: Any) -> Items:
    if packed and packed[0] is None:
        return tuple(Item(*each) for each in packed[1:])
    return Item(*packed)


def encode_children(children: Sequence[Child]) -> bytes:
    """The children of a composite as bytes."""
    rows = []
    for child in children:
        comments = encoding.encode(child.comments) if child.comments else b""
        rows.append((child.index, child.name, child.machine, comments, child.key))
    return _pack(rows)


def decode_children(data: bytes) -> list[Child]:
    """The children of bytes; EncodingError if they are none."""
    try:
        return [
            Child(index, name, machine, decode(comments) if comments else {}, key)
            for index, name, machine, comments, key in unpackb(data, use_list=False, unicode_errors="surrogatepass")
        ]
    except Exception as error:  # whatever foreign bytes provoke
        raise EncodingError(f"not a list of children: {error}") from error
