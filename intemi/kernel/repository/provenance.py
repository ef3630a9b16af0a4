"""Provenance: which data set is at the beginning of a machine's lineage, and which run asked for it first.

A source is a machine that takes nothing: a loader, or a given value. It names its data by a result called "Name".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath

from intemi.kernel.decoding import decode
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import NAME, Record

RunOf = Callable[[bytes], tuple[int, str] | None]


class Provenance:
    """What one question has found out about origins. `top` is the machine of the request that it is asked below of."""

    def __init__(self, record_of: Callable[[bytes], Record | None], run_of: RunOf, top: bytes | None = None) -> None:
        self._record_of = record_of
        self._run_of = run_of
        self._top = top
        self._data: dict[bytes, str | None] = {}
        self._runs: dict[bytes, tuple[int, str] | None] = {}

    def data_of(self, machine: bytes) -> str | None:
        """The names of the data sets that a machine was made from; None if it takes nothing and names nothing."""
        if machine not in self._data:
            record = self._record_of(machine)
            if record is None:
                self._data[machine] = None
            elif not record.inputs:
                self._data[machine] = _name_of(record)
            else:
                names = dict.fromkeys(_name_of(source) or _shown(source) for source in self._sources(record))
                self._data[machine] = ", ".join(names) or None
        return self._data[machine]

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
                        origin = self._record_of(machine)
                        pending += [] if origin is None else [origin]


def _shown(source: Record) -> str:
    """In place of a name: the kind of a source, and what tells it from others of that kind."""
    return f"{source.kind} {source.machine.hex()[:6]}"


def _name_of(source: Record) -> str | None:
    """What a source calls its data; else the name or the file among its parameters."""
    said = source.results.get(NAME)
    if isinstance(said, str) and said:
        return said
    try:
        parameters = decode(source.config).parameters()
    except IntemiError:  # its class is not known here
        return None
    for parameter in ("name", "path"):
        value = parameters.get(parameter)
        if isinstance(value, str) and value:
            return PurePath(value).stem
    return None
