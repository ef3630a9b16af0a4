"""Write-behind buffer: finished machines are known at once, and written many at a time by a thread of this store.

Nothing is lost on the way: what is not written yet is found here, its claims are held until it is, and `flush` writes
whatever was kept before the call. What cannot be written, or must not be, stays in memory for the rest of the process;
no composite above it is written either, because its branch on disk would have a gap.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from time import monotonic

from intemi.kernel import forks
from intemi.kernel.entries import Entry
from intemi.kernel.errors import EncodingError, IntemiError
from intemi.kernel.record import Child, Record
from intemi.kernel.store import BufferedStore, Claim, Finished, MemoryStore, Store, WriteError

MAX_BATCH_RECORDS = 256
MAX_BATCH_BYTES = 4_000_000
FLUSH_SECONDS = 0.5
"""A batch is written when it has this many records or bytes, or when its first record has waited this long."""
MAX_BUFFERED_BATCHES = 4
"""Batches that may wait; beyond them, the thread that keeps more writes them itself."""


class _Batch:
    """Machines that are to be written together, and what is known of them meanwhile."""

    __slots__ = ("bytes", "children", "contents", "ids", "keys", "machines", "records", "since")

    def __init__(self) -> None:
        self.machines: list[Finished] = []
        self.keys: list[tuple[bytes, bytes]] = []
        self.records: dict[bytes, Record] = {}
        self.ids: dict[bytes, bytes] = {}
        self.contents: dict[bytes, bytes] = {}
        self.children: dict[bytes, Sequence[Child]] = {}
        self.bytes = 0
        self.since = 0.0
        """When the first of them was kept."""

    def __bool__(self) -> bool:
        return bool(self.machines or self.keys)

    def add(self, finished: Finished) -> None:
        record, keys, children, contents = finished
        self.machines.append(finished)
        self.records[record.machine] = record
        for key in keys:
            self.ids[key] = record.machine
        if children:
            self.children[record.machine] = children
        if contents:
            self.contents.update(contents)
            self.bytes += sum(map(len, contents.values()))

    def exceeds(self, batches: int) -> bool:
        return len(self.machines) >= batches * MAX_BATCH_RECORDS or self.bytes >= batches * MAX_BATCH_BYTES


class WriteBehind(BufferedStore):
    """A buffer in front of any durable store."""

    durable = True

    def __init__(self, store: Store) -> None:
        self._store = store
        self._forks = forks.number
        self._lock = threading.Lock()
        """For the buffer; held for moments only."""
        self._writing = threading.RLock()
        """Held by the one thread that writes."""
        self._next = _Batch()
        self._current = _Batch()
        """What is being written."""
        self._memory = MemoryStore()
        """What is on record in this process only."""
        self._on_error: WriteError | None = None
        self._thread: threading.Thread | None = None
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._is_closed = False
        self.is_dirty = False
        self.has_unsaved = False

    def on_write_error(self, callback: WriteError) -> None:
        self._on_error = callback

    # What is kept

    def keep_all(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self._refuse_fork()
        wanted: list[Finished] = []
        for each in finished:
            if each.contents is None:
                self._keep_in_memory([each])
                continue
            try:
                each.record.fix()
            except EncodingError as error:
                self._not_written([each], error)
                continue
            wanted.append(self._without_failures(each) if each.children else each)
        if wanted or keys:
            self._buffer(wanted, keys)

    def add_key(self, key: bytes, machine: bytes) -> None:
        self._refuse_fork()
        self._buffer((), [(key, machine)])

    def _buffer(self, finished: Sequence[Finished], keys: Sequence[tuple[bytes, bytes]]) -> None:
        with self._lock:
            batch = self._next
            if not batch:
                batch.since = monotonic()
            was_full = batch.exceeds(1)
            for each in finished:
                batch.add(each)
            batch.keys += keys
            batch.ids.update(keys)
            self.is_dirty = True
            is_full, is_too_full = batch.exceeds(1), batch.exceeds(MAX_BUFFERED_BATCHES)
            has_thread = self._thread is not None or self._is_closed
        if is_too_full:
            self.flush()
        elif not has_thread:
            self._start()
        elif is_full and not was_full:
            self._wake.put(None)

    def flush(self) -> None:
        self._refuse_fork()
        if not self.is_dirty:
            return
        with self._writing:
            if self._current:  # an interrupt has kept it from being written
                self._write()
            with self._lock:
                self._current, self._next = self._next, self._current
            self._write()

    def _write(self) -> None:
        batch = self._current
        whole, broken = self._apart(batch.machines) if self._memory.has_records else (batch.machines, [])
        why: Exception = IntemiError("a child of it could not be written")
        keys: list[tuple[bytes, bytes]] = []
        try:
            if whole or batch.keys:
                self._store.keep_all(whole, batch.keys)
        except Exception as error:
            whole, broken, why, keys = [], batch.machines, error, batch.keys
        try:
            if broken or keys:
                self._memory.keep_all((), keys)
                self._not_written(broken, why)
        finally:
            with self._lock:
                self._current = _Batch()
                self.is_dirty = bool(self._next)

    # The thread that writes

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve, name="intemi store", daemon=True)
        with self._lock:
            if self._thread is not None or self._is_closed:
                return
            self._thread = thread
        thread.start()

    def _serve(self) -> None:
        """Write full batches and those that have waited; end after a while without any."""
        idle = False
        while True:
            with self._lock:
                batch = self._next
                if self._is_closed or (idle and not batch):
                    self._thread = None
                    return
                idle = not batch
                left = FLUSH_SECONDS if idle else batch.since + FLUSH_SECONDS - monotonic()
                is_due = bool(batch) and (left <= 0 or batch.exceeds(1))
            if is_due:
                try:
                    self.flush()
                except Exception:  # no caller can receive it
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
                continue
            try:
                self._wake.get(timeout=left)
            except Empty:
                continue

    # What stays in memory

    def is_pending(self, machine: bytes) -> bool:
        return machine in self._next.records or machine in self._current.records

    def is_memory_only(self, machine: bytes) -> bool:
        return self._memory.find(machine) is not None

    def _without_failures(self, composite: Finished) -> Finished:
        """A composite without failed children that are not written: there must be no gap where they would be."""
        if not self._memory.has_records:
            return composite
        failed = {
            child.machine
            for child in composite.children
            if (record := self._memory.find(child.machine)) is not None and record.failure is not None
        }
        if not failed:
            return composite
        return composite._replace(children=[child for child in composite.children if child.machine not in failed])

    def _apart(self, machines: Sequence[Finished]) -> tuple[list[Finished], list[Finished]]:
        """Machines that can be written, and composites that cannot, because something below them is in memory only."""
        whole: list[Finished] = []
        broken: list[Finished] = []
        unwritten: set[bytes] = set()
        for each in machines:  # children come before their parents
            each = self._without_failures(each)
            if any(child.machine in unwritten or self.is_memory_only(child.machine) for child in each.children):
                unwritten.add(each.record.machine)
                broken.append(each)
            else:
                self._memory.remove(each.record.machine)  # it was run again
                whole.append(each)
        return whole, broken

    def _keep_in_memory(self, finished: Sequence[Finished]) -> None:
        self._memory.keep_all([each._replace(contents={}) for each in finished])
        for each in finished:
            self._store.release(each.record.machine)

    def _not_written(self, finished: Sequence[Finished], error: Exception) -> None:
        self._keep_in_memory(finished)
        self.has_unsaved = True
        if self._on_error is None:
            raise error
        self._on_error(finished, error)

    # What is looked for: it moves from the next batch through the current one into memory or into the store

    def find(self, key: bytes) -> Record | None:
        machine, record = self._buffered(key)
        return self._store.find(machine) if record is None else record

    def find_all(self, machines: Sequence[bytes]) -> Iterator[Record]:
        known = {machine: record for machine in machines if (record := self._buffered(machine)[1]) is not None}
        yield from known.values()
        yield from self._store.find_all([machine for machine in machines if machine not in known])

    def _buffered(self, key: bytes) -> tuple[bytes, Record | None]:
        """The id that a key leads to, as far as that is known here, and its record if that is here."""
        with self._lock:
            following, current = self._next, self._current
            machine = following.ids.get(key) or current.ids.get(key) or self._memory.id_of(key)
            record = following.records.get(machine) or current.records.get(machine)
        return machine, record or self._memory.find(machine)

    def content(self, content: bytes) -> bytes | None:
        with self._lock:
            for batch in (self._next, self._current):
                if content in batch.contents:
                    return batch.contents[content]
        return self._store.content(content)

    def children(self, machine: bytes) -> list[Child]:
        with self._lock:
            known = self._next.children.get(machine) or self._current.children.get(machine)
        return list(known or self._memory.children(machine)) or self._store.children(machine)

    def claim(self, machine: bytes, key: bytes | None = None) -> Claim | Record:
        self._refuse_fork()
        for each in (machine,) if key is None else (machine, key):
            found, record = self._buffered(each)
            if record is None and found != each:
                record = self._store.find(found)
            if record is not None:
                return record
        return self._store.claim(machine, key)

    def release(self, machine: bytes) -> None:
        self._store.release(machine)

    # What concerns everything that was ever kept

    def forget(self, machine: bytes) -> None:
        self.flush()
        self._memory.remove(machine)
        self._store.forget(machine)

    def lose(self, machines: Sequence[bytes], what: str) -> None:
        self.flush()
        for machine in machines:
            self._memory.remove(machine)
        self._store.lose(machines, what)

    def unsaved(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        return self._memory.finished(after)

    def finished(self, after: int) -> Iterator[tuple[int, Record, list[Child]]]:
        return self._store.finished(after)

    def stamp(self, number: int) -> bytes:
        return self._store.stamp(number)

    def enter(self, new: Sequence[Entry]) -> None:
        self._store.enter(new)

    def log(self, after: int) -> Iterator[tuple[int, Entry, bytes]]:
        return self._store.log(after)

    @property
    def origin(self) -> tuple[bytes, int]:
        return self._store.origin

    def changed(self) -> bool:
        return self._store.changed()

    def close(self) -> None:
        if forks.number != self._forks:
            return  # it belongs to the process that opened it
        with self._lock:
            self._is_closed = True
            thread = self._thread
        try:
            self.flush()
        finally:
            if thread is not None:
                self._wake.put(None)
                thread.join()
            self._store.close()

    def _refuse_fork(self) -> None:
        if forks.number != self._forks:
            raise forks.refused("this store")
