"""The reader: answers one question, fetching what it needs for many items at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.component import Component
from intemi.kernel.errors import EncodingError, IntemiError
from intemi.kernel.repository.index import Index
from intemi.kernel.repository.item import MISSING, Item, Step
from intemi.kernel.repository.labels import Labeler, OnPath
from intemi.kernel.repository.qualifiers import Qualifier
from intemi.series import Series

Where = Qualifier | Callable[[Item], bool] | None


class Reader:
    """What one question has looked up so far."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._details: dict[int, tuple[Any, ...]] = {}
        self._configs: dict[int, Component | None] = {}
        self._results: dict[int, dict[str, Any]] = {}
        self._said: dict[int, dict[str, Any]] = {}
        self._known: set[int] = set()

    # Which items

    def items(self, roots: Mapping[int, Step], where: Where, name: str | None) -> list[Item]:
        """The items under some roots (themselves included) that qualify, in the order of their requests."""
        kinds = where.kinds() if isinstance(where, Qualifier) else None
        machines = self._index.machines(kinds, name, roots)
        items = self._ways_down(roots, machines)
        self._fetch({step.machine for item in items for step in item.steps})
        items = [item for item in items if item.kind != "None"]
        if where is not None:
            qualifies = where.qualifies if isinstance(where, Qualifier) else where
            items = [item for item in items if qualifies(item)]
        return sorted(items, key=lambda item: item.order)

    def _ways_down(self, roots: Mapping[int, Step], machines: Iterable[int]) -> list[Item]:
        """All ways that lead from roots to machines: climbed from below, so that only what is wanted is touched."""
        found = []
        pending: list[tuple[int, tuple[Step, ...]]] = [(machine, ()) for machine in machines]
        while pending:
            for machine, below in pending:
                if machine in roots:
                    found.append(Item((roots[machine], *below), self))
            edges = self._index.edges_to({machine for machine, _ in pending})
            pending = [
                (edge.parent, (Step(machine, edge.position, edge.name, edge.comments), *below))
                for machine, below in pending
                for edge in edges.get(machine, ())
            ]
        return found

    # What is known of them

    def _fetch(self, machines: set[int]) -> None:
        new = machines - self._known
        self._known |= new
        self._details.update(self._index.details(new))
        self._said.update(self._index.comments(new))
        self._results.update(self._index.results(new))
        wanted = {row[2] for row in (self._details[machine] for machine in new) if row[2] is not None}
        for number, encoded in self._index.configs(wanted - self._configs.keys()).items():
            try:
                self._configs[number] = encoding.decode(encoded)
            except (EncodingError, IntemiError):
                self._configs[number] = None  # its class is not known in this process

    def details(self, machine: int) -> tuple[Any, ...]:
        """Its id, kind, configuration's number, and what running it took."""
        return self._details[machine]

    def config(self, machine: int) -> Component | None:
        """Its configuration."""
        return self._configs.get(self._details[machine][2])

    def results(self, machine: int) -> dict[str, Any]:
        """Its results."""
        return self._results.get(machine, {})

    def said(self, machine: int) -> dict[str, Any]:
        """What commentators have said of it."""
        return self._said.get(machine, {})

    # Their labels

    def series(self, items: list[Item], labelers: list[Labeler] | None) -> Series:
        """The labels of items; without labelers, all results and comments and the name."""
        rows = [self._labels(item, labelers) for item in items]
        names = list(dict.fromkeys(name for row in rows for name in row))
        for name in names:
            if rows and all(row.get(name, MISSING) is MISSING for row in rows):
                known = sorted({label for item in items for label in (*item.results, *item.comments)})
                raise IntemiError(f"no item has the label {name!r}; their labels are {', '.join(known) or 'none'}")
        if not names:
            names = [] if labelers is None else [name for each in labelers for name in getattr(each, "names", ())]
        columns = {name: [_plain(row.get(name, MISSING)) for row in rows] for name in names}
        return Series(columns or {"machine": []})

    @staticmethod
    def _labels(item: Item, labelers: list[Labeler] | None) -> dict[str, Any]:
        if labelers is None:
            return {**item.results, **OnPath().labels(item), "machine": item.name}
        return {name: value for labeler in labelers for name, value in labeler.labels(item).items()}


def _plain(value: Any) -> Any:
    if value is MISSING:
        return None
    return repr(value) if isinstance(value, Component) else value
