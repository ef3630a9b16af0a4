"""The narrow interface behind which records and contents are kept, and its form in memory.

Two notions of identity meet here. A *key* says what was asked for; an *id* says which machine answered. Many keys may
lead to one machine, because different ways may lead to the same content.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from intemi.kernel import entries
from intemi.kernel.entries import Entry
from intemi.kernel.record import Child, Record


class Claim(enum.Enum):
    """What came of an attempt to claim a machine before running it."""

    MINE = "mine"
    BUSY = "busy"
    """Another live process is running it."""


MINE, BUSY = Claim  # module-level aliases: attribute lookup on an Enum is slow


class Finished(NamedTuple):
    """A finished machine, and what is to be kept with it."""

    record: Record
    keys: Iterable[bytes] = ()
    """What leads to it; its own id need not be among them."""
    children: Sequence[Child] = ()
    contents: Mapping[bytes, bytes] | None = None


Kept = tuple[Record, Sequence[Child]]
"""A finished machine and its children."""
Loss = Callable[[Sequence[Finished], Exception], None]
"""Called with finished machines that could not be written, and why."""


class Store(ABC):
    """Where finished machines are kept. All methods may be called from any thread.

    What is kept is written at once, unless a store says otherwise with `is_behind`, `is_due`, `waits_for` and `flush`.
    """

    durable: bool
    """Whether what is kept outlives the process; only then are values encoded and handed over."""
    is_behind: bool = False
    """Whether something waits to be written, ..."""
    is_due: bool = False
    """... so much, or for so long, that it has to be written before anything else is done."""

    @abstractmethod
    def find(self, key: bytes) -> Record | None:
        """The record that answers a key, or has that id."""

    def find_all(self, machines: Sequence[bytes]) -> Iterator[Record]:
        """The records of machines by their ids, in any order; those that are not there are left out."""
        yield from (record for machine in machines if (record := self.find(machine)) is not None)

    @abstractmethod
    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        """Claim a machine before running it, in one indivisible step; a claim ends with its owner.

        Answers with the record if the machine, or what a key leads to, has been finished in the meantime. Claiming what
        one holds is MINE again.
        A failure that was kept is answered like any record; `forget` it first to try again.
        """

    @abstractmethod
    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""

    def keep(
        self,
        record: Record,
        keys: Iterable[bytes] = (),
        children: Sequence[Child] = (),
        contents: Mapping[bytes, bytes] | None = None,
    ) -> None:
        """Keep one finished machine, like `keep_all`."""
        self.keep_all([Finished(record, keys, children, contents)])

    @abstractmethod
    def keep_all(self, finished: Sequence[Finished]) -> None:
        """Keep finished machines: contents first, then all records with their keys and children in one step.

        They are found from now on. After `flush` they survive the end of the process, however it ends, and no claim on
        them is left.
        """

    def flush(self) -> None:  # noqa: B027 - most have nothing that waits
        """Write whatever was kept and waits to be written."""

    def report_losses_to(self, tell: Loss) -> None:  # noqa: B027 - what cannot be kept at once is told at once
        """Tell this one of whatever waited and could not be written."""

    def note_losses(self, machines: Iterable[bytes]) -> None:  # noqa: B027 - what keeps everything has nothing to note
        """These could not be kept: neither can composites above them, whose branches would have gaps."""

    @property
    def waits_for(self) -> float:
        """Seconds for which something has waited to be written."""
        return 0.0

    @abstractmethod
    def add_key(self, key: bytes, machine: bytes) -> None:
        """Let one more key lead to a machine."""

    @abstractmethod
    def forget(self, machine: bytes) -> None:
        """Drop a record, so that the machine can be run again."""

    @abstractmethod
    def content(self, content: bytes) -> bytes | None:
        """The bytes of a content, or None if they are absent or damaged."""

    @abstractmethod
    def children(self, machine: bytes) -> list[Child]:
        """The children of a composite, in order."""

    def at_hand(self) -> Callable[[bytes], Kept | None] | None:
        """A lookup of recently written records that needs no I/O, or None if another process may have written since."""
        return None

    @abstractmethod
    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        """Finished machines in the order in which they were kept, with numbers greater than the one given."""

    @abstractmethod
    def stamp(self, number: int) -> bytes:
        """What tells the machine with a number from any other that had it; empty if there is none."""

    @abstractmethod
    def lose(self, machines: Sequence[bytes], what: str) -> None:
        """Drop records of machines that damage has left incomplete; the log says so until they have run again."""

    @abstractmethod
    def enter(self, new: Sequence[Entry]) -> None:
        """Append entries to the log."""

    @abstractmethod
    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        """The entries of the log with numbers greater than the one given, each with its stamp."""

    @property
    def generation(self) -> int:
        """Changes when all that was written before is gone, because the file was replaced by another one."""
        return 0

    @property
    def identity(self) -> bytes:
        """What this store has in common with copies of it, and with no other."""
        return b""

    @abstractmethod
    def changed(self) -> bool:
        """Whether another process has changed anything since the last call."""

    @abstractmethod
    def close(self) -> None:
        """Give back everything; claims end."""


class MemoryStore(Store):
    """Records in dictionaries, for a project without a folder. Values stay with the memory cache."""

    durable = False

    def __init__(self) -> None:
        self._records: dict[bytes, Record] = {}
        self._keys: dict[bytes, bytes] = {}
        self._children: dict[bytes, Sequence[Child]] = {}
        self._contents: dict[bytes, bytes] = {}
        self._claimed: set[bytes] = set()
        self._order: list[bytes] = []
        self._log: list[Entry] = []

    def find(self, key: bytes) -> Record | None:
        return self._records.get(self._keys.get(key, key))

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        known = self._records.get(machine) or (None if key is None else self.find(key))
        if known is not None:
            return known
        self._claimed.add(machine)
        return Claim.MINE

    def release(self, machine: bytes) -> None:
        self._claimed.discard(machine)

    def keep_all(self, finished: Sequence[Finished]) -> None:
        for record, keys, children, contents in finished:
            if contents:
                self._contents.update(contents)
            if children:
                self._children[record.machine] = children
            self._records[record.machine] = record
            self._order.append(record.machine)
            self._claimed.discard(record.machine)
            for key in keys:
                self._keys[key] = record.machine

    def add_key(self, key: bytes, machine: bytes) -> None:
        self._keys[key] = machine

    def forget(self, machine: bytes) -> None:
        if self._records.pop(machine, None) is not None:
            self._children.pop(machine, None)
            self._log.append((entries.FORGOTTEN, machine, 0, b""))

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        for machine in machines:
            self.forget(machine)
            self._log.append((entries.LOST, machine, 0, b"", what))

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        for number in range(after + 1, len(self._order) + 1):
            machine = self._order[number - 1]
            if machine in self._records:
                yield number, self._records[machine], self.children(machine)

    def at_hand(self) -> Callable[[bytes], Kept | None]:
        return self._kept

    def _kept(self, machine: bytes) -> Kept | None:
        record = self._records.get(machine)
        return None if record is None else (record, self._children.get(machine, ()))

    def stamp(self, number: int) -> bytes:
        return self._order[number - 1] if 0 < number <= len(self._order) else b""

    def enter(self, new: Sequence[Entry]) -> None:
        self._log += new

    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        for number, entry in enumerate(self._log[after:], after + 1):
            yield number, entry, b""

    def content(self, content: bytes) -> bytes | None:
        return self._contents.get(content)

    def children(self, machine: bytes) -> list[Child]:
        return list(self._children.get(machine, ()))

    def changed(self) -> bool:
        return False

    def close(self) -> None:
        self._claimed.clear()
