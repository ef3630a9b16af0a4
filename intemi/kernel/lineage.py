"""Lineage: by which requests a value came about. The same content may be reached in many ways; some of them matter.

A machine that defines `examine` is asked when its inputs are there, before it is known by an id. It may refuse to run,
by raising an error, or return *stamps*: labels that its results carry, because they are not what they look like without
them. And values of a type may be *marked* by lineage: a mark tells a machine that gets such a value apart from one that
gets an equal value which came about in another way.

Stamps and marks are part of the id. So no machine is answered by another one whose lineage matters, and nothing changes
for machines that have neither, which are nearly all.

Inside of private composites (`privacy`) less is refused. What could be judged in another way outside has a key of its
own there, and marked values have another mark, so that neither is answered by the other.

A capsule of a finished composite shows its children, which are known by their records. A record tells from which
machines its inputs came, not from which requests; that may be those of another fold with an equal tree. So the
composite's own code is asked which requests it made (`replayed` in `explain`). For a machine that is bound by its id
there is no code to ask: its lineage is that of the record, and is not certain.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from intemi.kernel.encoding import digest
from intemi.kernel.errors import IntemiError
from intemi.kernel.privacy import is_private
from intemi.kernel.record import Item, Record
from intemi.kernel.records import Records
from intemi.kernel.task import NO_SOURCES, Context, Source, Sources
from intemi.kernel.values import Values

INVALIDATING = ("Leak", "Oracle", "Unverified")
"""Stamps that every answer shows, asked for or not: the results beside them do not mean what they say."""
SAMPLE = "Test sample"
"""The stamp of a machine that looks at a sample which stays the same: every answer shows how often that was done."""
MAX_NOTES = 100_000
"""What is remembered about requests; beyond that it is worked out anew."""

Place = tuple[bytes, str, int]
"""An output of a request, or an item of one: the request's key, the port, the index."""
Marker = Callable[["Lineage", Source], bytes]
_markers: dict[type, Marker] = {}


def mark_by_lineage(kind: type, marker: Marker) -> None:
    """From now on, a marker says what tells values of a type apart from equal ones: nothing, if it returns b""."""
    _markers[kind] = marker
    _marker_of.cache_clear()


@lru_cache(maxsize=1024)
def _marker_of(kind: type) -> Marker | None:
    return next((marker for marked, marker in _markers.items() if issubclass(kind, marked)), None)


class Lineage:
    """What is known of the lineage of values in one project. Nothing here is called under a lock of the engine."""

    def __init__(
        self, records: Records, values: Values, replay: Callable[[Context], list[Context]], is_dry: bool = False
    ) -> None:
        self._records = records
        self._values = values
        self._replay = replay
        """What a finished composite has requested, found by running its code on what is on record."""
        self._is_dry = is_dry
        """Whether no first use is noted, because nothing will be run."""
        self._notes: dict[Hashable, Any] = {}

    def examine(self, context: Context) -> None:
        """Mark a request whose inputs are ready, and have its machine examine it."""
        ports = context.config.inputs
        marks = [
            mark
            for name, bound in context.sources.items()
            if (marker := _marker_of(ports[name].accepted)) is not None
            for source in bound
            if (mark := marker(self, source))
        ]
        if marks:
            context.mark = b"".join([*marks, b"private"] if context.is_private else marks)
        if context.config.examine is not None:
            context.stamps = context.config.examine(Examination(context, self))

    def sources_of(self, context: Context) -> Sources:
        """What the inputs of a request are bound to; what made them, if that is not known for certain."""
        if self.is_certain(context):
            return context.sources
        assert context.record is not None
        return {
            name: tuple(source for origin in origins if (source := self._found(*origin)) is not None)
            for name, (_, origins) in context.record.inputs.items()
        }

    def is_certain(self, context: Context) -> bool:
        """Whether it is known what the inputs of a request are bound to, be it from the code of the composite above."""
        if context.sources or context.record is None or not context.record.inputs:
            return True
        if context.parent is None or not self.is_certain(context.parent):
            return False
        asked = (each for each in self._replay(context.parent) if each.key == context.key)
        context.sources = next((each.sources for each in asked), NO_SOURCES)
        return bool(context.sources)

    def _found(self, machine: bytes, output: str, index: int) -> Source | None:
        record = self._records.record_of(machine)
        try:
            context = None if record is None else Context.found(record)
        except IntemiError:  # its class is not known here
            return None
        return None if context is None else Source(context, context.config.outputs[output], index)

    def value(self, place: Place) -> Any:
        """A value; None if it is on record no more."""
        item = self._item(place)
        return None if item is None else self._values.load(item)

    def content(self, place: Place) -> bytes:
        """What a value is known by, whichever request asked for it."""
        item = self._item(place)
        if item is None:
            return b""
        self._values.register((item,))
        assert item.content is not None
        return item.content

    def _item(self, place: Place) -> Item | None:
        key, output, index = place
        record: Record | None = self._records.record_of(key)
        if record is None or output not in record.outputs:
            return None
        items = record.outputs[output]
        return items if isinstance(items, Item) else items[index]

    def first_user_of(self, what: bytes, key: bytes) -> Record | None:
        """The machine that was the first to use something in this project; that of a key, if none was."""
        known = digest(b"claim", what)
        holder, claimant = self._records.record_of(known), self._records.record_of(key)
        if holder is None and claimant is not None and not self._is_dry:
            self._records.add_key(known, claimant)
        return holder or claimant

    def recall(self, key: Hashable) -> Any:
        """What was noted under a key; None if nothing was."""
        return self._notes.get(key)

    def note(self, key: Hashable, value: Any) -> None:
        """Remember what was found out, for as long as there is room."""
        if len(self._notes) >= MAX_NOTES:
            self._notes.clear()
        self._notes[key] = value


class Examination:
    """What a machine is given that examines its lineage: what its inputs are bound to, and what requested it."""

    __slots__ = ("_context", "lineage")

    def __init__(self, context: Context, lineage: Lineage) -> None:
        self._context = context
        self.lineage = lineage

    @property
    def sources(self) -> Sources:
        """What its inputs are bound to."""
        return self._context.sources

    @property
    def path(self) -> str:
        """The names from the root down to the request."""
        return self._context.path

    def enclosing(self) -> Sources | None:
        """What the inputs of the nearest private composite above are bound to; None if there is none."""
        if not self._context.is_private:
            return None
        above = self._context.parent
        while above is not None and not is_private(above.config):
            above = above.parent
        return None if above is None else above.sources
