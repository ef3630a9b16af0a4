"""Provenance: which data set is at the beginning of a machine's lineage, and which run asked for it first.

A source is a machine that takes nothing: a loader, or a given value. It names its data by a result called "Name". Where
one answer has different data of one name, their paths or digests tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath

from intemi.kernel.decoding import decode
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import NAME, Record, flat

RunOf = Callable[[bytes], tuple[int, str] | None]


class Provenance:
    """What one question has found out about origins. `top` is the machine of the request that it is asked below of."""

    def __init__(self, record_of: Callable[[bytes], Record | None], run_of: RunOf, top: bytes | None = None) -> None:
        self.record_of = record_of
        self._run_of = run_of
        self._top = top
        self._data: dict[bytes, str | None] = {}
        self._told_apart: dict[bytes, str] = {}
        """Names of sources, where their own names are not enough."""
        self._runs: dict[bytes, tuple[int, str] | None] = {}

    def data_of(self, machine: bytes) -> str | None:
        """The names of the data sets that a machine was made from; None if it takes nothing and names nothing."""
        if machine not in self._data:
            record = self.record_of(machine)
            if record is None:
                self._data[machine] = None
            elif not record.inputs:
                self._data[machine] = self._told_apart.get(machine) or _name_of(record)
            else:
                names = dict.fromkeys(
                    self._told_apart.get(source.machine) or _name_of(source) or _shown(source)
                    for source in self._sources(record)
                )
                self._data[machine] = ", ".join(names) or None
        return self._data[machine]

    def tell_apart(self, machines: Iterable[bytes]) -> None:
        """These machines are in one answer: from now on, different data at their beginning have different names."""
        sources: dict[bytes, Record] = {}
        for machine in machines:
            record = self.record_of(machine)
            if record is not None:
                sources.update((source.machine, source) for source in self._sources(record))
        by_name: dict[str, dict[object, list[Record]]] = {}
        for source in sources.values():
            if (name := _name_of(source)) is not None:
                by_name.setdefault(name, {}).setdefault(_content_of(source), []).append(source)
        for name, contents in by_name.items():
            if len(contents) > 1:
                longer = _longer_names(name, [equal[0] for equal in contents.values()])
                for equal, told in zip(contents.values(), longer, strict=True):
                    self._told_apart.update((source.machine, told) for source in equal)
        self._data.clear()

    def run_of(self, machine: bytes) -> tuple[int, str] | None:
        """The number and the name of the first run that asked for a machine; None if none did."""
        if machine not in self._runs:
            self._runs[machine] = self._run_of(machine)
        return self._runs[machine]

    def run_of_question(self) -> tuple[int, str] | None:
        """The run of the request that the question is asked below of."""
        return None if self._top is None else self.run_of(self._top)

    def _sources(self, record: Record) -> Iterator[Record]:
        pending, seen = [record], {record.machine}
        for each in pending:
            if not each.inputs:
                yield each
            for _, origins in each.inputs.values():
                for machine, *_ in origins:
                    if machine not in seen:
                        seen.add(machine)
                        origin = self.record_of(machine)
                        pending += [] if origin is None else [origin]


def _shown(source: Record) -> str:
    """In place of a name: the kind of a source, and what tells it from others of that kind."""
    return f"{source.kind} {source.machine.hex()[:6]}"


def _content_of(source: Record) -> object:
    """What is the same for sources of the same data: their contents, as far as these are known."""
    contents = [(name, item.content) for name, items in source.outputs.items() for item in flat(items)]
    return tuple(contents) if contents and all(content for _, content in contents) else source.machine


def _longer_names(name: str, sources: Sequence[Record]) -> list[str]:
    """Different names for sources of one name: as much of their paths as it takes, else a part of their digests."""
    folders = [PurePath(_parameter(source, "path") or "").parts[:-1] for source in sources]
    for depth in range(1, max(map(len, folders)) + 1):
        names = ["/".join((*parts[-depth:], name)) for parts in folders]
        if len(set(names)) == len(names):
            return names
    return [f"{name} {source.machine.hex()[:6]}" for source in sources]


def _name_of(source: Record) -> str | None:
    """What a source calls its data; else the name or the file among its parameters."""
    said = source.results.get(NAME)
    if isinstance(said, str) and said:
        return said
    value = _parameter(source, "name") or _parameter(source, "path")
    return None if value is None else PurePath(value).stem


def _parameter(source: Record, name: str) -> str | None:
    """A parameter that is text, if there is such a one."""
    try:
        value = decode(source.config).parameters().get(name)
    except IntemiError:  # its class is not known here
        return None
    return value if isinstance(value, str) and value else None
