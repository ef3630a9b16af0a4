"""Lineage: how values were made, as far as the record tells.

Values are the same if their contents are, however they were reached. Where the way matters, values of a type are
*marked* by lineage: a mark is part of what a machine is known by that gets the value. Nearly all values have none.

A machine that defines `examine` is asked when its inputs are there, before it is known by an id. It may refuse to run,
by raising an error, or return *stamps*: labels that its results carry, because they are not what they look like without
them. Stamps are part of the id. So a machine is never answered by an equal one that came to its inputs in another way,
and nothing changes for machines without stamps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from intemi.kernel.decoding import decode
from intemi.kernel.encoding import digest
from intemi.kernel.errors import IntemiError
from intemi.kernel.machine import Machine
from intemi.kernel.record import Item, Record

if TYPE_CHECKING:
    from intemi.kernel.context import Context, Inputs
    from intemi.kernel.unifier import Unifier
    from intemi.kernel.values import Values

Origin = tuple[bytes, str, int]
"""The one place where a value was made: the id of a machine, an output, the index of an item in it."""
Origins = Mapping[str, Sequence[Origin]]
"""For each input port, where its values were made."""
INVALIDATING = ("Leak", "Oracle")
"""Stamps that every answer shows, asked for or not: the results beside them do not mean what they say."""
SAMPLE = "Test sample"
"""The stamp of a machine that looks at a sample which stays the same: every answer shows how often that was done."""
MAX_NOTES = 100_000
"""What is remembered about machines; beyond that it is worked out anew."""


Marker = Callable[["Lineage", Origin], bytes]
_markers: dict[type, Marker] = {}


def mark_by_lineage(kind: type, marker: Marker) -> None:
    """From now on, a marker says what tells values of a type apart from equal ones; nothing, if it returns b""."""
    _markers[kind] = marker
    _marker_of.cache_clear()


@lru_cache(maxsize=1024)
def _marker_of(kind: type) -> Marker | None:
    return next((marker for marked, marker in _markers.items() if issubclass(kind, marked)), None)


class Made(NamedTuple):
    """A machine that has finished: its configuration, and where its inputs came from."""

    config: Machine | None
    """None if its class is not known here."""
    kind: str
    inputs: Origins


class Lineage:
    """Where values came from, in one project."""

    def __init__(self, unifier: Unifier, values: Values, is_dry: bool = False) -> None:
        self._unifier = unifier
        self._values = values
        self._is_dry = is_dry
        """Whether nothing is claimed, because nothing will be run."""
        self._notes: dict[Hashable, Any] = {}

    def maker(self, origin: Origin) -> Made | None:
        """The machine that made a value; None if it is on record no more."""
        record = self._record(origin)
        if record is None:
            return None
        return Made(_known_config(record.config), record.kind, _recorded(record))

    def value(self, origin: Origin) -> Any:
        """The value itself."""
        record = self._record(origin)
        if record is None:
            raise IntemiError(f"{origin[1]} of {origin[0].hex()} is on record no more")
        items = record.outputs[origin[1]]
        return self._values.load(items if isinstance(items, Item) else items[origin[2]])

    def mark(self, config: Machine, inputs: Inputs) -> None:
        """See to it that inputs are marked, of whose type the way matters."""
        ports = config.inputs
        for name, (_, items) in inputs.items():
            marker = _marker_of(ports[name].accepted)
            if marker is not None:
                for item in items:
                    if item.mark is None:
                        item.mark = marker(self, item.origin)

    def claim(self, what: bytes, machine: bytes) -> bytes:
        """The machine that was the first to claim something in this project; this one, if none was."""
        key = digest(b"claim", what)
        holder = self._unifier.record_of(key)
        if holder is None and not self._is_dry:
            self._unifier.add_key(key, machine)
        return machine if holder is None else holder.machine

    def recall(self, key: Hashable) -> Any:
        """What was noted under a key; None if nothing was."""
        return self._notes.get(key)

    def note(self, key: Hashable, value: Any) -> None:
        """Remember what was found out, for as long as there is room."""
        if len(self._notes) >= MAX_NOTES:
            self._notes.clear()
        self._notes[key] = value

    def _record(self, origin: Origin) -> Record | None:
        return self._unifier.record_of(origin[0])


class Examination:
    """What a machine is given that examines its lineage: where its inputs came from, and what requested it."""

    __slots__ = ("_context", "inputs", "lineage")

    def __init__(self, context: Context, inputs: Inputs, lineage: Lineage) -> None:
        self._context = context
        self.lineage = lineage
        self.inputs = _origins(inputs)
        """Where its inputs were made."""

    @property
    def path(self) -> str:
        """The names from the root down to the request."""
        return self._context.path

    def enclosing(self, accepts: Callable[[Machine], bool]) -> Origins | None:
        """The inputs of the nearest composite that it was requested by and that is accepted; None if none is."""
        above = self._context.parent
        while above is not None:
            if above.task is not None and accepts(above.config):
                return _origins(above.task.inputs)
            above = above.parent
        return None

    def exhibiting(self) -> Iterator[Made]:
        """The composites whose outputs its inputs are bound to: what they give may depend on all they were given."""
        for bound in self._context.sources.values():
            for source in bound:
                record, config = source.context.record, source.context.config
                if config.is_composite and record is not None:
                    yield Made(config, config.kind, _recorded(record))


def stamps_of(context: Context, inputs: Inputs, lineage: Lineage) -> Mapping[str, str]:
    """What a machine finds when it examines its lineage."""
    stamps: Mapping[str, str] = context.config.examine(Examination(context, inputs, lineage))
    return stamps


def _origins(inputs: Inputs) -> Origins:
    return {name: [item.origin for item in items] for name, (_, items) in inputs.items()}


def _recorded(record: Record) -> Origins:
    return {name: origins for name, (_, origins) in record.inputs.items()}


@lru_cache(maxsize=4096)
def _known_config(config: bytes) -> Machine | None:
    try:
        decoded = decode(config)
    except IntemiError:  # its class is not known here
        return None
    return decoded if isinstance(decoded, Machine) else None
