"""Records of finished machines: those that this process has seen in memory, all others in the store.

This is the unifier of the book as far as it concerns what has finished; what is in flight is the scheduler's. Nothing
here is called under the scheduler's lock: the store may take its time.
"""

from __future__ import annotations

import enum
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count

from intemi.kernel.encoding import digest
from intemi.kernel.record import Child, Record
from intemi.kernel.request import id_of
from intemi.kernel.scheduler import Scheduler
from intemi.kernel.store import BufferedStore, Claim, Finished
from intemi.kernel.task import Context, Inputs


class Failures(enum.Enum):
    """What to do about a machine whose failure is on record."""

    REUSE = "reuse"
    """It fails again, at no cost."""
    RETRY = "retry"
    """It is tried once more by every new project session."""
    FORGET = "forget"
    """Failures are not put on record at all."""


class Records:
    """Finished machines by key and by id."""

    def __init__(self, store: BufferedStore, scheduler: Scheduler, failures: Failures = Failures.RETRY) -> None:
        self.store = store
        self.level = scheduler.level
        self._scheduler = scheduler
        self._seen = scheduler.records
        self._failures = failures
        self._serial = count()
        self._claiming = threading.Lock()
        self._claims: Counter[bytes] = Counter()
        """Claims of this process on machines that are not finished."""
        self._is_new_ground = False
        """Whether the store did not have what was last asked for: then it is unlikely to have the next either."""

    # Looking up

    def find(self, key: bytes) -> Record | None:
        """The finished (or failed) machine that answers a key or id."""
        if not self.level:
            return None
        record = self._seen.get(key)
        if record is None:
            record = self.store.find(key)
            if record is None or not self._is_usable(record):
                return None
            record = self._seen.setdefault(record.machine, record)
            self._seen[key] = record
        return record

    def lookup(self, key: bytes) -> Record | None:
        """The same for a request that is about to be scheduled.

        On new ground it does not ask the store: the worker that claims the machine has to, and the two would
        contend for it.
        """
        record = self._seen.get(key) if self.level else None
        if record is None and not self._is_new_ground:
            record = self.find(key)
            self._is_new_ground = record is None and self.store.durable
        return record

    def record_of(self, machine: bytes) -> Record | None:
        """The record of a machine's id, at any level."""
        return self._seen.get(machine) or self.store.find(machine)

    def records_of(self, machines: Collection[bytes]) -> Iterator[Record]:
        """The records of machines' ids, at any level; those that do not exist are left out."""
        yield from (self._seen[machine] for machine in machines if machine in self._seen)
        yield from self.store.find_all([machine for machine in machines if machine not in self._seen])

    def children(self, machine: bytes) -> list[Child]:
        """The children of a finished composite."""
        return self.store.children(machine)

    def machine_of(self, context: Context, inputs: Inputs) -> bytes:
        """The id of the machine that answers a request whose inputs are resolved."""
        if not self.level:
            return digest(context.key, b"run %d" % next(self._serial))
        if not inputs or context.config.depends_on_clock:
            return context.key
        return id_of(context, inputs, by_content=self.level == 2)

    def _is_usable(self, record: Record) -> bool:
        """Whether a record answers requests: a failure of an earlier session is tried again if that is the policy."""
        return record.failure is None or self._failures is Failures.REUSE or record.machine in self._seen

    # Changing

    def claim(self, machine: bytes, keys: Sequence[bytes]) -> Claim | Record:
        """Keep other processes from running a machine that is about to start; its record if it has finished.

        Claims are counted: one task may give its claim back while the next one for the same machine begins.
        """
        if not self.level or not self.store.durable:
            return Claim.MINE
        with self._claiming:
            self._claims[machine] += 1
        answer: Claim | Record = Claim.BUSY
        try:
            answer = self._claim(machine, keys)
        finally:
            if answer is not Claim.MINE:
                self.release(machine)
        return answer

    def release(self, machine: bytes) -> None:
        """Give a claim back without having finished."""
        with self._claiming:
            if machine in self._claims:
                self._claims[machine] -= 1
                if not self._claims[machine]:
                    del self._claims[machine]
                    self.store.release(machine)

    def _claim(self, machine: bytes, keys: Sequence[bytes]) -> Claim | Record:
        answer = self.store.claim(machine, keys[0])  # on new ground the key was not looked for before
        if isinstance(answer, Record) and not self._is_usable(answer):
            self.store.forget(answer.machine)
            answer = self.store.claim(machine)
        if isinstance(answer, Record):
            self._is_new_ground = False
            for key in keys:
                if key != answer.machine:
                    self.store.add_key(key, answer.machine)
        return answer

    def add_key(self, key: bytes, record: Record) -> None:
        """Let one more key lead to a finished machine."""
        self.store.add_key(key, record.machine)
        if self.level:
            self._seen[key] = record

    def keep(self, finished: Sequence[Finished]) -> None:
        """Put machines on record, which ends their claims."""
        self.store.keep_all(finished)
        with self._claiming:
            for each in finished:
                self._claims.pop(each.record.machine, None)

    @property
    def keeps_failures(self) -> bool:
        """Whether failures go on record."""
        return self._failures is not Failures.FORGET

    def forget(self, machine: bytes) -> None:
        """Drop a record, in memory and in the store."""
        self.drop_records([machine])
        self.store.forget(machine)

    def drop_records(self, machines: Iterable[bytes]) -> None:
        """Machines are on record no more: requests for them run them again."""
        self._scheduler.forget(machines)
