"""The narrow interface behind which records and contents are kept, and its form in memory.

Two notions of identity meet here. A *key* says what was asked for; an *id* says which machine answered. Many keys may
lead to one machine, because different ways may lead to the same content.
"""

from __future__ import annotations

import enum
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from intemi.kernel import entries
from intemi.kernel.entries import Entry
from intemi.kernel.record import Child, Record


class Claim(enum.Enum):
    """What came of an attempt to claim a machine before running it."""

    MINE = "mine"
    BUSY = "busy"
    """Another live process is running it."""


MINE, BUSY = Claim.MINE, Claim.BUSY  # module-level aliases: attribute lookup on an Enum is slow
NO_CONTENTS: Mapping[bytes, bytes] = MappingProxyType({})


class Finished(NamedTuple):
    """A finished machine, and what is to be kept with it."""

    record: Record
    keys: Iterable[bytes] = ()
    """What leads to it; its own id need not be among them."""
    children: Sequence[Child] = ()
    contents: Mapping[bytes, bytes] | None = NO_CONTENTS
    """Encoded values by their digests. None: the record is for this process only, and must not be written."""


WriteError = Callable[[Sequence[Finished], Exception], None]
"""Called with finished machines that could not be written, and why."""


class Store(ABC):
    """Storage of finished machines: records, the keys that lead to them, children, contents, and a log.

    All methods may be called from any thread. What is kept is written before the call returns. `Project(store=...)`
    takes a store of your own and buffers what it writes; `intemi.testing.check_store` checks it.
    """

    durable: bool = True
    """Whether what is kept outlives the process; only then are values encoded and handed over."""

    # Records

    @abstractmethod
    def find(self, key: bytes) -> Record | None:
        """The record that answers a key, or has that id."""

    def find_all(self, machines: Sequence[bytes]) -> Iterator[Record]:
        """The records of machines by their ids, in any order; those that are missing are left out."""
        yield from (record for machine in machines if (record := self.find(machine)) is not None)

    @abstractmethod
    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        """Claim a machine before running it, in one indivisible step; a claim ends with its owner.

        Returns the record if the machine, or what a key leads to, has been finished in the meantime. Claiming what
        one holds is MINE again.
        A failure that was kept is returned like any record; `forget` it first to try again.
        """

    @abstractmethod
    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""

    def keep(
        self,
        record: Record,
        keys: Iterable[bytes] = (),
        children: Sequence[Child] = (),
        contents: Mapping[bytes, bytes] = NO_CONTENTS,
    ) -> None:
        """Keep one finished machine, like `keep_all`."""
        self.keep_all([Finished(record, keys, children, contents)])

    @abstractmethod
    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """Keep finished machines, and further keys with the machines that they lead to, all in one step.

        From now on they are found, survive the end of the process however it ends, and no claim on them is left.
        """

    def add_key(self, key: bytes, machine: bytes) -> None:
        """Let one more key lead to a machine."""
        self.keep_all((), [(key, machine)])

    @abstractmethod
    def forget(self, machine: bytes) -> None:
        """Drop a record, so that the machine can be run again."""

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        """Drop records of machines that damage has left incomplete, and enter what happened into the log."""
        for machine in machines:
            self.forget(machine)
            self.enter([(entries.LOST, machine, 0, b"", what)])

    @abstractmethod
    def content(self, content: bytes) -> bytes | None:
        """The bytes of a content, or None if they are missing or damaged."""

    @abstractmethod
    def children(self, machine: bytes) -> list[Child]:
        """The children of a composite, in order."""

    @abstractmethod
    def changed(self) -> bool:
        """Whether another process has changed anything since the last call."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources; claims end. Closing twice does no harm."""

    # What the repository reads

    @abstractmethod
    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines in the order in which they were kept, with numbers greater than the one given."""

    @abstractmethod
    def enter(self, new: Sequence[Entry]) -> None:
        """Append entries to the log."""

    @abstractmethod
    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        """The entries of the log with numbers greater than the one given, each with its stamp."""

    def stamp(self, number: int) -> bytes:
        """What tells the machine with a number from any other that had it; empty if there is none."""
        return b""

    @property
    def origin(self) -> tuple[bytes, int]:
        """What this store has in common with copies of it and with no other, and how often all of it was replaced.

        It tells whether an index that was kept in a file still fits.
        """
        return b"", 0


class BufferedStore(Store):
    """A store as the engine uses it: what is kept may wait to be written, or stay in this process."""

    is_dirty: bool = False
    """Whether something that was kept is not written yet."""
    has_unsaved: bool = False
    """Whether something could not be written, and is on record in this process only."""

    def flush(self) -> None:
        """Write everything that was kept before this call."""

    def on_write_error(self, callback: WriteError) -> None:
        """Call this, on any thread, with what was kept and could not be written; it stays on record in memory."""

    def is_pending(self, machine: bytes) -> bool:
        """Whether the record of a machine waits to be written."""
        return False

    def is_memory_only(self, machine: bytes) -> bool:
        """Whether a machine is on record in this process only, though the store is durable."""
        return False

    def unsaved(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines, numbered, that are on record in this process only, though the store is durable."""
        yield from ()


class MemoryStore(BufferedStore):
    """Records in dictionaries, for a project without a folder. Values stay with the memory cache."""

    durable = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[bytes, Record] = {}
        self._keys: dict[bytes, bytes] = {}
        self._children: dict[bytes, Sequence[Child]] = {}
        self._contents: dict[bytes, bytes] = {}
        self._claimed: set[bytes] = set()
        self._order: list[bytes] = []
        self._log: list[Entry] = []

    def find(self, key: bytes) -> Record | None:
        with self._lock:
            return self._records.get(self._keys.get(key, key))

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        with self._lock:
            known = self._records.get(machine)
            if known is None and key is not None:
                known = self._records.get(self._keys.get(key, key))
            if known is None:
                self._claimed.add(machine)
            return known or MINE

    def release(self, machine: bytes) -> None:
        with self._lock:
            self._claimed.discard(machine)

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        with self._lock:
            for record, own_keys, children, contents in finished:
                if contents:
                    self._contents.update(contents)
                if children:
                    self._children[record.machine] = children
                self._records[record.machine] = record
                self._order.append(record.machine)
                self._claimed.discard(record.machine)
                for key in own_keys:
                    self._keys[key] = record.machine
            self._keys.update(keys)

    def id_of(self, key: bytes) -> bytes:
        """The machine that a key leads to; a key that leads nowhere is taken for an id."""
        return self._keys.get(key, key)

    @property
    def has_records(self) -> bool:
        """Whether anything is kept."""
        return bool(self._records)

    def remove(self, machine: bytes) -> None:
        """Drop a record, without an entry in the log."""
        with self._lock:
            self._records.pop(machine, None)
            self._children.pop(machine, None)

    def forget(self, machine: bytes) -> None:
        self._drop(machine, (entries.FORGOTTEN, machine, 0, b""))

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        for machine in machines:
            self._drop(machine, (entries.LOST, machine, 0, b"", what))

    def _drop(self, machine: bytes, entry: Entry) -> None:
        with self._lock:
            if self._records.pop(machine, None) is not None:
                self._children.pop(machine, None)
                self._log.append(entry)

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        for number in range(after + 1, len(self._order) + 1):
            with self._lock:
                machine = self._order[number - 1]
                record, children = self._records.get(machine), self._children.get(machine, ())
            if record is not None:
                yield number, record, list(children)

    def stamp(self, number: int) -> bytes:
        return self._order[number - 1] if 0 < number <= len(self._order) else b""

    def enter(self, new: Sequence[Entry]) -> None:
        with self._lock:
            self._log += new

    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        with self._lock:
            later = self._log[after:]
        for number, entry in enumerate(later, after + 1):
            yield number, entry, b""

    def content(self, content: bytes) -> bytes | None:
        with self._lock:
            return self._contents.get(content)

    def children(self, machine: bytes) -> list[Child]:
        with self._lock:
            return list(self._children.get(machine, ()))

    def changed(self) -> bool:
        return False

    def close(self) -> None:
        with self._lock:
            self._claimed.clear()
