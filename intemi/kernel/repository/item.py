"""Items: contexts as the repository knows them. What qualifies is judged on items, and labels are read off them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from intemi.kernel.block import BlockCell
from intemi.kernel.component import Component

if TYPE_CHECKING:
    from intemi.kernel.repository.reader import Reader

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
        noted: bytes | Mapping[str, Any] | None = None,
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
            noted = self._noted
            self._said_by_parent = (
                _NOTHING if not noted else self.reader.comments(noted) if isinstance(noted, bytes) else dict(noted)
            )
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
