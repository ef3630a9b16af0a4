"""What has just finished, as it is remembered: a question about it need not wait until the index has been written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from intemi.kernel import encoding
from intemi.kernel.record import Child, Record
from intemi.kernel.repository.index import results_of
from intemi.kernel.repository.lookup import Cells, Edge, Edges, Machines
from intemi.kernel.repository.tables import text
from intemi.kernel.store import Kept

ROOT = 0
"""The number of the machine that everything else is below of."""
_PLAIN = frozenset((int, float, str, bool, type(None)))
"""Types of comments that are the same after having been written."""

Said = Callable[[Mapping[bytes, int], Collection[str] | None], Cells]
"""Tells what commentators have said of machines, by their ids, which are given with their numbers."""


def recall(at_hand: Callable[[bytes], Kept | None], root: bytes, at_most: int, said: Said) -> Recent | None:
    """A machine and all below it; None if not all of them are at hand, or if there are more edges than so many."""
    numbers = {root: ROOT}
    found = Recent(said)
    machines = [root]
    left = at_most
    for machine in machines:  # and those that are added meanwhile
        kept = at_hand(machine)
        if kept is None:
            return None
        record, children = kept
        for child in children:
            if child.machine not in numbers:
                numbers[child.machine] = len(machines)
                machines.append(child.machine)
        found.add(record, children, numbers)
        left -= len(children)
        if left < 0:
            return None
    return found


class Recent:
    """What questions need to know of machines, from their records."""

    def __init__(self, said: Said) -> None:
        self.edges: Edges = {}
        self.machines: Machines = {}
        self._records: list[Record] = []
        self._configs: dict[bytes, int] = {}
        self._axes: list[bytes] = []
        self._said = said

    def add(self, record: Record, children: Sequence[Child], numbers: Mapping[bytes, int]) -> None:
        """One more machine."""
        number = len(self._records)
        self._records.append(record)
        _, axes = results_of(number, record)
        if axes is not None and axes not in self._axes:
            self._axes.append(axes)
        config = self._configs.setdefault(record.config, len(self._configs))
        self.machines[number] = record.kind, config, None if axes is None else self._axes.index(axes)
        if children:
            self.edges[number] = [_edge(number, numbers[child.machine], child) for child in children]

    def ids(self, machines: Collection[int]) -> dict[int, bytes]:
        """The ids of machines."""
        return {number: self._records[number].machine for number in machines}

    def times(self, machines: Collection[int]) -> dict[int, tuple[Any, ...]]:
        """When each machine was started, what running it took, and why it failed."""
        return {number: _times(self._records[number]) for number in machines}

    def configs(self, machines: Collection[int]) -> dict[int, bytes]:
        """The encoded configurations of machines, by their own numbers."""
        return {self.machines[number][1]: self._records[number].config for number in machines}

    def axes(self, number: int) -> bytes:
        """Axes of blocks, encoded, by their own number."""
        return self._axes[number]

    def results(self, machines: Collection[int], labels: Collection[str] | None) -> Cells:
        """The results of machines: all of them, or those with some labels. Cells that have no label are records."""
        chosen = None if labels is None else {None, *map(text, labels)}
        return [
            (number, label, value)
            for machine in machines
            for number, _, label, value in results_of(machine, self._records[machine])[0]
            if chosen is None or label in chosen
        ]

    def comments(self, machines: Collection[int], labels: Collection[str] | None) -> Cells:
        """What commentators have said of machines: all of it, or what has some labels."""
        return self._said({self._records[number].machine: number for number in machines}, labels)


def _edge(parent: int, number: int, child: Child) -> Edge:
    comments = child.comments
    is_plain = _PLAIN.issuperset(map(type, comments.values()))
    return parent, child.index, number, text(child.name), comments if is_plain else encoding.encode(comments)


def _times(record: Record) -> tuple[Any, ...]:
    failure = None if record.failure is None else text(record.failure.message)
    return record.started, record.wall, record.cpu, record.queue, record.memory, failure
