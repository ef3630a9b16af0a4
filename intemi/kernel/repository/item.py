"""Items: contexts as the repository knows them. What qualifies is judged on items, and labels are read off them.

All items of a question share a reader, which fetches what is known of their machines, for all of them when it is first
needed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from typing import Any

from intemi.kernel import registry
from intemi.kernel.block import Axes, Block, BlockCell, axes_of
from intemi.kernel.component import Component
from intemi.kernel.decoding import decode
from intemi.kernel.errors import EncodingError, IncompleteError, IntemiError, StoreWarning
from intemi.kernel.record import Record
from intemi.kernel.repository.provenance import Provenance
from intemi.kernel.repository.tables import IN_BLOCK, Cells, Lookup, Machines, from_cell

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
OF_CELLS: Any = type("OfCells", (), {"__repr__": lambda _: "OF_CELLS"})()
"""Stands for the value of a label that each cell of a block has for itself."""
MEASURED = ("started", "wall", "cpu", "queue", "memory", "failure")
"""What is measured of every machine, or is said of it if it fails."""
BUILT_IN = ("machine", "kind", "path", "request", "data", "run", "run name", *MEASURED)
"""Labels of every item, whatever its results."""
_NOTHING: dict[str, Any] = {}


class Item:
    """One context: a machine, and the way that leads to it from a root; or one cell of what it leaves as blocks."""

    __slots__ = ("_inherited", "_noted", "_said_by_parent", "above", "cell", "machine", "name", "names", "reader")

    def __init__(
        self,
        reader: Reader,
        machine: int,
        name: str,
        names: tuple[str, ...] = (),
        above: Item | None = None,
        noted: bytes | None = None,
        comments: dict[str, Any] | None = None,
        cell: BlockCell | None = None,
    ) -> None:
        self.reader = reader
        """Knows more about it, and about all others that the question is about."""
        self.machine = machine
        """The number of its machine."""
        self.name = name
        """Its name among its siblings."""
        self.names = names
        """The names below the root, down to its own."""
        self.above = above
        """The item of its parent."""
        self.cell = cell
        """Which cell of the blocks of its machine it is; None if it is the machine as a whole."""
        self._noted = noted
        """The comments of its parent as they are kept, if it has made any."""
        self._said_by_parent = comments
        self._inherited: dict[str, Any] | None = None
        """Labels that items below have looked for."""

    def of_cell(self, cell: BlockCell) -> Item:
        """The item of one cell of the blocks that its machine has left."""
        shared = self.reader, self.machine, self.name, self.names, self.above, self._noted, self._said_by_parent
        return Item(*shared, cell)

    def ancestors(self) -> Iterator[Item]:
        """Itself, its parent, and so on up to the root."""
        item: Item | None = self
        while item is not None:
            yield item
            item = item.above

    @property
    def path(self) -> str:
        """The names from the root down."""
        return "/".join(reversed([item.name for item in self.ancestors()]))

    @property
    def kind(self) -> str:
        """The name of its class."""
        return self.reader.kind(self.machine)

    @property
    def config(self) -> Component | None:
        """Its configuration; None if its class is not known here."""
        return self.reader.config(self.machine)

    @property
    def results(self) -> dict[str, Any]:
        """The results of its machine."""
        results = self.reader.results(self.machine)
        if self.reader.axes(self.machine) is None:
            return results
        coordinates = {} if self.cell is None else self.cell.labels
        own = {label: self.result(label) for label in (*results, *coordinates)}
        return {label: value for label, value in own.items() if value is not MISSING}

    @property
    def comments(self) -> dict[str, Any]:
        """What its parent, and commentators, say of it."""
        return {**self.reader.said(self.machine), **self.edge}

    @property
    def edge(self) -> dict[str, Any]:
        """What its parent says of it."""
        if self._said_by_parent is None:
            self._said_by_parent = self.reader.comments(self._noted) if self._noted else _NOTHING
        return self._said_by_parent

    def is_a(self, machine: str) -> bool:
        """Whether it is of a class, or of one that inherits from it."""
        return self.reader.is_a(self.machine, machine)

    def result(self, name: str) -> Any:
        """A result of its machine; MISSING if it has none of that name."""
        cell = self.cell
        if cell is not None and name in cell.labels:
            return cell.labels[name]
        value = self.reader.result(self.machine, name)
        if value is not OF_CELLS:
            return value
        return MISSING if cell is None else self.reader.block(self.machine, name).value(cell.number)

    def comment(self, name: str) -> Any:
        """What its parent or a commentator says of it; MISSING if that is nothing."""
        edge = self.edge
        return edge[name] if name in edge else self.reader.comment(self.machine, name)

    def label(self, name: str) -> Any:
        """The value of a label: its own, or that of the nearest above it; MISSING if none has it."""
        value = self._own_label(name)
        passed: list[Item] = []
        item = self.above
        while value is MISSING and item is not None:
            if item._inherited is not None and name in item._inherited:
                value = item._inherited[name]
                break
            value = item._own_label(name)
            passed.append(item)
            item = item.above
        for item in passed:
            if item._inherited is None:
                item._inherited = {}
            item._inherited[name] = value
        return value

    def _own_label(self, name: str) -> Any:
        value = self.result(name)
        return self.comment(name) if value is MISSING else value

    def measured(self, name: str) -> Any:
        """What is known of every item, whatever its results: names, times, its data set and its run."""
        if name == "machine":
            return self.name
        if name == "kind":
            return self.kind
        if name == "path":
            return self.path
        if name == "request":
            return [*self.ancestors()][-1].name
        if name == "data":
            source = self.made_from_data
            return None if source is None else self.reader.data_of(source.machine)
        if name in ("run", "run name"):
            return self._run(name)
        return self.reader.measured(self.machine, name)

    @property
    def made_from_data(self) -> Item | None:
        """The topmost at or above it that was made from data with a name."""
        return next((each for each in reversed([*self.ancestors()]) if self.reader.data_of(each.machine)), None)

    def _run(self, name: str) -> Any:
        top = [*self.ancestors()][-1]
        run = self.reader.run_of(top.machine) or self.reader.run_of_question()
        return None if run is None else run[name == "run name"]

    def parameter(self, path: str) -> Any:
        """A parameter of its configuration, or of the nearest above it that has such a path; MISSING if none has."""
        for item in self.ancestors():
            value = self.reader.parameter(item.machine, path)
            if value is not MISSING:
                return value
        return MISSING


class CallersError(IntemiError):
    """Carries an error of a function, qualifier or labeler of the caller's."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def told_apart(error: Exception, raised_by: object) -> Exception:
    """What to raise for an error: one of the caller's code says nothing against the index.

    >>> told_apart(ValueError("no"), lambda item: True)
    CallersError('no')
    """
    is_ours = type(raised_by).__module__.partition(".")[0] == __name__.partition(".")[0]
    return error if is_ours or isinstance(error, IntemiError) else CallersError(error)


RecordsOf = Callable[[Collection[bytes]], Iterable[Record]]
"""Gives the records of machines by their ids; those that are damaged or gone are left out."""
_PLACES = {name: place for place, name in enumerate(MEASURED)}


class Reader:
    """What one question has looked up so far."""

    def __init__(self, lookup: Lookup, provenance: Provenance, records_of: RecordsOf) -> None:
        self._open_lookup: Lookup | None = lookup
        self._provenance = provenance
        self._records_of = records_of
        self._ids: dict[int, bytes] | None = None
        self._machines: Machines = {}
        self._about: frozenset[int] = frozenset()
        self._results = _Labelled(self._readable, lambda labels: self._lookup.results(self._about, labels))
        self._said = _Labelled(self._readable, lambda labels: self._lookup.comments(self._about, labels))
        self.result = self._results.value
        """One of the results of a machine, by its label, or MISSING."""
        self.comment = self._said.value
        """What a commentator has said of a machine, by its label, or MISSING."""
        self._classes: dict[str, tuple[type, set[str], set[str]]] = {}
        self._encoded: dict[int, bytes] | None = None
        self._configs: dict[int, Component | None] = {}
        self._parameters: dict[tuple[int, str], Any] = {}
        self._times: dict[int, tuple[Any, ...]] | None = None
        self._axes: dict[int, Axes] = {}
        self._records: dict[int, Record] | None = None
        """Those of the machines that have left blocks."""
        self._blocks: dict[tuple[int, str], Block] = {}
        self._noted: dict[bytes, dict[str, Any]] = {}
        self._warned: set[str] = set()

    def close(self) -> None:
        """The question is answered: its items know what they know, and nothing more can be looked up."""
        self._open_lookup = None

    @property
    def _lookup(self) -> Lookup:
        if self._open_lookup is None:
            raise IntemiError("query: an item cannot be asked after the query that it belongs to was answered")
        return self._open_lookup

    def look_at(self, machines: Machines) -> None:
        """The question is about these machines."""
        self._machines = machines
        self._about = frozenset(machines)

    @property
    def has_blocks(self) -> bool:
        """Whether any of the machines that the question is about has left blocks."""
        return any(axes is not None for *_, axes in self._machines.values())

    def machines(self) -> Collection[int]:
        """Those that the question is about."""
        return self._about

    def of_kinds(self, kinds: Container[str] | None) -> Collection[int]:
        """Those of them that are of some kinds; None: of any."""
        if kinds is None:
            return self._about
        return {machine for machine, (kind, *_) in self._machines.items() if kind in kinds}

    def knows(self, machine: int) -> bool:
        """Whether a machine is on record, or on its way to it; some are known by name only."""
        return machine in self._machines

    def focus(self, items: Iterable[Item], labels: Collection[str]) -> None:
        """From now on the question is about these items and those above them, and mainly about some labels."""
        seen: set[Item] = set()
        for item in items:
            for above in item.ancestors():
                if above in seen:
                    break
                seen.add(above)
        self._about = frozenset(item.machine for item in seen)
        self._results.expect(labels)
        self._said.expect(labels)

    # What machines are

    def ids(self) -> dict[int, bytes]:
        """The ids of all machines."""
        return self._lookup.ids(self._about)

    def data_of(self, machine: int) -> str | None:
        """The name of the data set at the beginning of its lineage; None if it has none."""
        return self._provenance.data_of(self._id_of(machine))

    def tell_data_apart(self, items: Iterable[Item]) -> None:
        """These items are in one answer: different data sets get different names."""
        made = {source.machine for item in items if (source := item.made_from_data) is not None}
        self._provenance.tell_apart(map(self._id_of, sorted(made)))

    def run_of(self, machine: int) -> tuple[int, str] | None:
        """The number and name of the run that first requested it; None if it is a part of other requests only."""
        return self._provenance.run_of(self._id_of(machine))

    def run_of_question(self) -> tuple[int, str] | None:
        """The run of the request that the question is asked below of, if it is asked below of one."""
        return self._provenance.run_of_question()

    def _id_of(self, machine: int) -> bytes:
        if self._ids is None:
            self._ids = self.ids()
        return self._ids[machine]

    def kind(self, machine: int) -> str:
        """The name of its class."""
        return self._machines[machine][0]

    def is_a(self, machine: int, name: str) -> bool:
        """Whether its class is the one registered by a name, or inherits from it."""
        if name not in self._classes:
            self._classes[name] = registry.component(name), *kinds_of(name)
        cls, kinds, shared = self._classes[name]
        kind = self.kind(machine)
        if kind not in kinds:
            return False
        if kind not in shared:
            return True
        config = self.config(machine)
        return config is None or isinstance(config, cls)

    def config(self, machine: int) -> Component | None:
        """Its configuration; None if its class is not known in this process."""
        number = self._machines[machine][1]
        if number not in self._configs:
            if self._encoded is None:
                self._encoded = self._lookup.configs(self._about)
            try:
                self._configs[number] = decode(self._encoded.get(number, b""))
            except IntemiError:
                self._configs[number] = None
        return self._configs[number]

    def parameter(self, machine: int, path: str) -> Any:
        """A parameter of its configuration; MISSING if it has no such part."""
        key = (self._machines[machine][1], path)
        if key not in self._parameters:
            config = self.config(machine)
            try:
                self._parameters[key] = MISSING if config is None else config.get(path)
            except IntemiError:
                self._parameters[key] = MISSING
        return self._parameters[key]

    def measured(self, machine: int, name: str) -> Any:
        """A time, or why it failed; MISSING if nothing of that name is measured."""
        if name not in _PLACES:
            return MISSING
        if self._times is None:
            self._times = self._lookup.times(self._about)
        return self._times[machine][_PLACES[name]]

    # What they leave, and what is said of them

    def axes(self, machine: int) -> Axes | None:
        """The axes of its blocks; None if it has none."""
        number = self._machines[machine][2]
        if number is None:
            return None
        if number not in self._axes:
            self._axes[number] = axes_of(self._lookup.axes(number))
        return self._axes[number]

    def block(self, machine: int, label: str) -> Block:
        """One of the blocks that a machine has left."""
        found = self._blocks.get((machine, label))
        if found is None:
            if self._records is None:
                self._records = self._records_with_blocks()
            if machine not in self._records:
                raise IncompleteError(f"query: the results of a {self.kind(machine)} are damaged or gone; run it again")
            found = self._blocks[machine, label] = self._records[machine].result(label)
        return found

    def _records_with_blocks(self) -> dict[int, Record]:
        with_blocks = {id_: number for number, id_ in self.ids().items() if self._machines[number][2] is not None}
        return {with_blocks[record.machine]: record for record in self._records_of(with_blocks)}

    def results(self, machine: int) -> dict[str, Any]:
        """All its results."""
        return self._results.all(machine)

    def said(self, machine: int) -> dict[str, Any]:
        """All that commentators have said of it."""
        return self._said.all(machine)

    def comments(self, noted: bytes) -> dict[str, Any]:
        """The comments of an edge."""
        if noted not in self._noted:
            self._noted[noted] = next((said for *_, said in self._readable([(0, "comments", noted)])), {})
        return self._noted[noted]

    def _readable(self, cells: Cells) -> Iterator[tuple[int, str, Any]]:
        """Cells with their values; those of a type that is not known here count as missing."""
        for machine, label, cell in cells:
            if type(cell) is not bytes and label is not None:
                yield machine, label, cell
                continue
            if cell == IN_BLOCK and label is not None:
                yield machine, label, OF_CELLS
                continue
            try:
                if label is not None:
                    yield machine, label, from_cell(cell)
                    continue
                for each, value in Record.decode(cell).results.items():
                    yield machine, each, value
            except EncodingError as error:
                if str(error) not in self._warned:
                    self._warned.add(str(error))
                    of, *_ = self._machines.get(machine, ("a child",))
                    text = f"{label or 'results'} of {of} cannot be read here: {error}"
                    warnings.warn(StoreWarning(text), stacklevel=2)


class _Labelled:
    """Values of machines by their labels: of one label, or of all of them, for all machines at a time."""

    def __init__(
        self,
        readable: Callable[[Cells], Iterator[tuple[int, str, Any]]],
        fetch: Callable[[Collection[str] | None], Cells],
    ) -> None:
        self._readable = readable
        self._fetch = fetch
        self._by_label: dict[str, dict[int, Any]] = {}
        self._by_machine: dict[int, dict[str, Any]] | None = None

    def expect(self, labels: Collection[str]) -> None:
        """Fetch the values of some labels."""
        new = [label for label in labels if label not in self._by_label]
        if new:
            self._by_label.update({label: {} for label in new})
            for machine, label, value in self._readable(self._fetch(new)):
                if label in new:
                    self._by_label[label][machine] = value

    def value(self, machine: int, label: str) -> Any:
        """One value, or MISSING."""
        found = self._by_label.get(label)
        if found is None:
            self.expect([label])
            found = self._by_label[label]
        return found.get(machine, MISSING)

    def all(self, machine: int) -> dict[str, Any]:
        """All values of a machine."""
        if self._by_machine is None:
            self._by_machine = {}
            for each, label, value in self._readable(self._fetch(None)):
                self._by_machine.setdefault(each, {})[label] = value
        return self._by_machine.get(machine, _NOTHING)


def kinds_of(name: str) -> tuple[set[str], set[str]]:
    """The kinds of a class and of all that inherit from it, and which of these belong to other classes as well."""
    cls = registry.component(name)
    known = registry.components().values()
    kinds = {each.__name__ for each in known if issubclass(each, cls)}
    return kinds, {each.__name__ for each in known if each.__name__ in kinds and not issubclass(each, cls)}
