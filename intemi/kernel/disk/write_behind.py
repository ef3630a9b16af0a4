"""What has finished is known at once and written a little later, many machines in one step: that costs a fraction.

Nothing is lost on the way: what is not written yet is found here, its claims are held until it is, and before it is
reported to the user, `flush` is called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic

from intemi.kernel.disk.store import DiskStore
from intemi.kernel.entries import Entry
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import Child, Record
from intemi.kernel.store import Claim, Finished, Kept, Loss, Store

MANY = 256
"""Machines, bytes and seconds (of work, or of waiting) from which on it is time to write."""
HEAVY = 4_000_000
LONG = 0.5


class _Batch:
    """Machines that wait to be written together, and what is known of them meanwhile."""

    __slots__ = ("bytes", "children", "contents", "ids", "keys", "machines", "records", "seconds", "since")

    def __init__(self) -> None:
        self.machines: list[Finished] = []
        self.keys: list[tuple[bytes, bytes]] = []
        self.records: dict[bytes, Record] = {}
        self.ids: dict[bytes, bytes] = {}
        self.contents: dict[bytes, bytes] = {}
        self.children: dict[bytes, Sequence[Child]] = {}
        self.seconds = 0.0
        self.bytes = 0
        self.since = float("inf")
        """When the first of them came."""

    def add(self, finished: Finished) -> None:
        record, keys, children, contents = finished
        if not self.machines:
            self.since = monotonic()
        self.machines.append(finished)
        self.records[record.machine] = record
        for key in keys:
            self.ids[key] = record.machine
        if children:
            self.children[record.machine] = children
        else:
            self.seconds += record.wall  # of a composite: that of its leaves, which are on their way themselves
        if contents:
            self.contents.update(contents)
            self.bytes += sum(map(len, contents.values()))

    @property
    def is_due(self) -> bool:
        """Whether it is time to write them."""
        number = len(self.machines)
        return number >= MANY or self.seconds >= LONG or self.bytes >= HEAVY or monotonic() - self.since >= LONG


class WriteBehind(Store):
    """A store in a folder that takes its time with writing."""

    durable = True

    def __init__(self, store: DiskStore) -> None:
        self._store = store
        self._adding = threading.Lock()
        self._writing = threading.RLock()
        self._next = _Batch()
        self._current = _Batch()
        """What is being written."""
        self._tell: Loss | None = None
        self._lost: set[bytes] = set()
        """Machines that could not be kept."""
        self.is_behind = False
        """Whether something waits to be written; everybody looks at it all the time."""

    def report_losses_to(self, tell: Loss) -> None:
        """Tell this one of whatever waited and could not be written."""
        self._tell = tell

    def note_losses(self, machines: Iterable[bytes]) -> None:
        """These could not be kept: neither can composites above them, whose branches would have gaps."""
        self._lost.update(machines)

    # What waits

    def keep_all(self, finished: Sequence[Finished]) -> None:
        """Take finished machines; `flush` writes them."""
        with self._adding:
            self.is_behind = True
            for each in finished:
                self._next.add(each)
            self.is_due = self._next.is_due

    def add_key(self, key: bytes, machine: bytes) -> None:
        """Let one more key lead to a machine."""
        with self._adding:
            self.is_behind = True
            self._next.keys.append((key, machine))
            self._next.ids[key] = machine

    @property
    def waits_for(self) -> float:
        """Seconds for which the first of those that wait has waited."""
        return monotonic() - self._next.since if self._next.machines else 0.0

    def flush(self) -> None:
        """Write whatever waits; what another thread is writing just now is written when this returns, too."""
        with self._writing:
            if not self._current.machines and not self._current.keys:
                with self._adding:
                    self._current, self._next = self._next, self._current
                    self.is_due = False
            batch = self._current  # also one that an interrupt has kept from being written
            whole, lost = self._apart(batch.machines) if self._lost else (batch.machines, [])
            why: Exception | None = IntemiError("something below it could not be kept") if lost else None
            try:
                if whole or batch.keys:
                    self._store.keep_all(whole, batch.keys)
            except Exception as error:
                if self._tell is None:
                    raise
                lost, why = batch.machines, error
            try:
                if why is not None and self._tell is not None:
                    self._tell(lost, why)
            finally:
                self._done()

    def _apart(self, machines: Sequence[Finished]) -> tuple[list[Finished], list[Finished]]:
        """Machines that can be kept, and composites that cannot, because something below them could not."""
        whole, broken = [], []
        for each in machines:  # children come before their parents
            if any(child.machine in self._lost for child in each.children):
                self._lost.add(each.record.machine)
                broken.append(each)
            else:
                self._lost.discard(each.record.machine)  # it was run again
                whole.append(each)
        return whole, broken

    def _done(self) -> None:
        with self._adding:
            self._current = _Batch()
            self.is_behind = bool(self._next.machines or self._next.keys)

    # What is looked for: it moves from the next batch through the current one into the store, so look in that order

    def find(self, key: bytes) -> Record | None:
        """The record that answers a key, or has that id."""
        if not self.is_behind:
            return self._store.find(key)
        return self._waiting(key) or self._store.find(self._id_of(key))

    def find_all(self, machines: Sequence[bytes]) -> Iterator[Record]:
        """The records of machines by their ids, in any order; those that are not there are left out."""
        waiting = {machine: record for machine in machines if (record := self._waiting(machine)) is not None}
        yield from waiting.values()
        yield from self._store.find_all([machine for machine in machines if machine not in waiting])

    def _id_of(self, key: bytes) -> bytes:
        return self._next.ids.get(key) or self._current.ids.get(key) or key

    def _waiting(self, key: bytes) -> Record | None:
        machine = self._id_of(key)
        return self._next.records.get(machine) or self._current.records.get(machine)

    def content(self, content: bytes) -> bytes | None:
        """The bytes of a content, or None if they are absent or damaged."""
        for batch in (self._next, self._current):
            if content in batch.contents:
                return batch.contents[content]
        return self._store.content(content)

    def children(self, machine: bytes) -> list[Child]:
        """The children of a composite, in order."""
        waiting = self._next.children.get(machine) or self._current.children.get(machine)
        return self._store.children(machine) if waiting is None else list(waiting)

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        """Claim a machine before running it."""
        for batch in (self._next, self._current):
            if machine in batch.records:
                return batch.records[machine]
            if key in batch.ids and (known := self.find(key)) is not None:
                return known
        return self._store.claim(machine, key)

    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""
        self._store.release(machine)

    # What concerns everything that was ever kept

    def forget(self, machine: bytes) -> None:
        """Drop a record, so that the machine can be run again."""
        self.flush()
        self._store.forget(machine)

    def at_hand(self) -> Callable[[bytes], Kept | None] | None:
        """Looks up machines that were written recently, without reading; None if others may have written since."""
        return self._store.at_hand()

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines in the order in which they were written, with numbers greater than the one given."""
        return self._store.finished(after)

    def stamp(self, number: int) -> bytes:
        """What tells the machine with a number from any other that had it; empty if there is none."""
        return self._store.stamp(number)

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        """Drop records of machines that damage has left incomplete; the log says so until they have run again."""
        self.flush()
        self._store.lose(machines, what)

    def enter(self, new: Sequence[Entry]) -> None:
        """Append entries to the log."""
        self._store.enter(new)

    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        """The entries of the log with numbers greater than the one given, each with its stamp."""
        return self._store.log(after)

    @property
    def generation(self) -> int:
        """Changes when the file is replaced by another one."""
        return self._store.generation

    @property
    def identity(self) -> bytes:
        """What this store has in common with copies of it, and with no other."""
        return self._store.identity

    def changed(self) -> bool:
        """Whether another process has changed anything since the last call."""
        return self._store.changed()

    def close(self) -> None:
        """Write what waits, and give back everything; claims end."""
        try:
            if not self._store.is_inherited:
                self.flush()
        finally:
            self._store.close()
