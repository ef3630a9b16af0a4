"""The unifier: which requests are for the same machine.

A *key* names what was asked for: configuration, seed, and which outputs of which keys the inputs are bound to. It is
known at once, before anything has run, and is the same at every level of unification, with any number of workers. When
the inputs are ready they are resolved to a machine's *id*: at level 1 from the origins of the inputs (through transit
outputs: a scheme's output is its child's), at level 2 from the digests of their contents. Equal key or equal id: same
machine.
"""

from __future__ import annotations

import enum
import secrets
from collections.abc import Collection, Iterator, Sequence, Set
from functools import lru_cache
from itertools import count

from intemi.kernel.context import ALL, Context, Inputs, Sources, Task
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode
from intemi.kernel.machine import Machine
from intemi.kernel.record import SINGLE, Child, Record
from intemi.kernel.seeds import Seed
from intemi.kernel.store import MINE, Claim, Finished, MemoryStore, Store


class Failures(enum.Enum):
    """What to do about a machine whose failure is on record."""

    REUSE = "reuse"
    """It fails again, at no cost."""
    RETRY = "retry"
    """It is tried once more by every new project session."""
    FORGET = "forget"
    """Failures are not put on record at all."""


def key_of(config: Machine, seed: Seed | None, sources: Sources, parent: Context | None = None) -> bytes:
    """What is asked for, in 128 bits. What could be judged in another way inside of a private composite is told apart.

    That is what examines its lineage, or may request what does. What looks at the clock is asked for once.
    """
    if config.depends_on_clock:
        return secrets.token_bytes(DIGEST_SIZE)
    if seed is None and not sources:
        return config.digest
    parts = [config.digest] if seed is None else [config.digest, b"seed", seed.encoded()]
    add = parts.append
    if parent is not None and (config.is_composite or config.examine is not None) and parent.is_private_inside:
        add(b"private")
    for name, bound in sources.items():
        add(_head(b"port", len(bound), name))
        for source in bound:
            add(source.context.key)
            add(_mark(source.port.name, source.index))
    return digest(b"".join(parts))


@lru_cache(maxsize=4096)
def _head(what: bytes, number: int, name: str) -> bytes:
    """What is said of a port before its sources; there are few different ones."""
    return b"%s %d %s\0" % (what, number, name.encode())


@lru_cache(maxsize=4096)
def _mark(output: str, index: int) -> bytes:
    return output.encode() + (b"=" if index == SINGLE else b"*" if index == ALL else b"[%d]" % index)


def id_of(context: Context, inputs: Inputs, by_content: bool) -> bytes:
    """Which machine answers a request, in 128 bits, once its inputs are resolved and its lineage was looked at."""
    parts = [context.config.digest, b"contents" if by_content else b"origins"]
    add = parts.append
    if context.seed is not None:
        add(b"seed" + context.seed.encoded())
    for name, (multi, items) in inputs.items():
        add(_head(b"many" if multi else b"port", len(items), name))
        for item in items:
            if by_content:
                assert item.content is not None
                add(item.content)
            else:
                add(encode(item.origin))
    if context.mark:
        add(b"mark" + context.mark)
    if context.stamps:
        add(b"stamps" + encode(dict(context.stamps)))
    return digest(b"".join(parts))


class Unifier:
    """Knows every machine that is finished, queued or running. Used under the assembly line's lock."""

    def __init__(self, store: Store, level: int, failures: Failures) -> None:
        self.level = level
        self.store = store
        self._failures = failures
        self._local = MemoryStore()
        self.lacks_some = False
        """Whether the store could not keep something, which is on record in this process only."""
        self._records: dict[bytes, Record] = {}
        self._by_key: dict[bytes, Task] = {}
        self._by_machine: dict[bytes, Task] = {}
        self._failed_now: set[bytes] = set()
        self._is_new_ground = False
        """Whether the store did not have what was last asked for: then it is unlikely to have the next either."""
        self._serial = count()

    def find(self, key: bytes) -> Record | None:
        """The finished (or failed) machine of a key or id."""
        if not self.level:
            return None
        record = self._records.get(key)
        if record is None:
            record = self.store.find(key)
            if record is None or not self._usable(record):
                return None
            record = self._records.setdefault(record.machine, record)
            self._records[key] = record
        return record

    def look_up(self, key: bytes) -> Record | None:
        """The finished machine of a key or id, if that is quickly said.

        On new ground a request does not ask the store: the thread that claims the machine has to, and the caller's
        thread and the workers would only get in each other's way there.
        """
        record = self._records.get(key) if self.level else None
        if record is None and not self._is_new_ground:
            record = self.find(key)
            self._is_new_ground = record is None and self.store.durable
        return record

    def record_of(self, machine: bytes) -> Record | None:
        """The record of a machine's id, at any level."""
        return self._records.get(machine) or self.store.find(machine)

    def records_of(self, machines: Collection[bytes]) -> Iterator[Record]:
        """The records of machines' ids, at any level; those that are not there are left out."""
        yield from (self._records[machine] for machine in machines if machine in self._records)
        yield from self.store.find_all([machine for machine in machines if machine not in self._records])

    def _usable(self, record: Record) -> bool:
        if record.failure is None or self._failures is Failures.REUSE:
            return True
        return record.machine in self._failed_now

    def meet(self, key: bytes) -> Record | Task | None:
        """Who answers a key: a machine that has finished, as this process has seen, or a task that is on its way."""
        if not self.level:
            return None
        return self._records.get(key) or self._by_key.get(key)

    def tasks(self) -> list[Task]:
        """Everything that is on its way."""
        return list(dict.fromkeys(self._by_key.values()))

    def task_of(self, machine: bytes) -> Task | None:
        """The task that is on its way to a machine's id."""
        return self._by_machine.get(machine)

    def add(self, task: Task) -> None:
        """A new task, known by the key of its context."""
        self._by_key[task.owner.key] = task

    def resolve(self, task: Task) -> Record | Task | None:
        """Give a task whose inputs are ready its machine, and say who answers for that already."""
        context = task.owner
        if not self.level:
            task.machine = digest(context.key, b"run %d" % next(self._serial))
            return None
        if not task.inputs or task.config.depends_on_clock:
            task.machine = context.key
        else:
            task.machine = id_of(context, task.inputs, by_content=self.level == 2)
            record = self.look_up(task.machine)
            if record is not None:
                self.add_key(context.key, record)
                return record
        other = self._by_machine.setdefault(task.machine, task)
        return None if other is task else other

    def add_key(self, key: bytes, record: Record) -> None:
        """Let one more key lead to a finished machine."""
        self.store.add_key(key, record.machine)
        self._records[key] = record

    def merge(self, task: Task, into: Task) -> None:
        """A task turned out to be for the same machine as another one."""
        for key in task.keys:
            into.keys.append(key)
            self._by_key[key] = into

    def claim(self, task: Task) -> Claim | Record:
        """Keep other processes from running the machine of a task that is about to start."""
        if not self.level or not self.store.durable:
            return MINE
        answer = self.store.claim(task.machine, task.owner.key)  # on new ground its request has not looked for the key
        if isinstance(answer, Record) and not self._usable(answer):
            self.store.forget(answer.machine)
            answer = self.store.claim(task.machine)
        if isinstance(answer, Record):
            self._is_new_ground = False
            for key in task.keys:
                if key != answer.machine:
                    self.store.add_key(key, answer.machine)
        return answer

    def drop(self, task: Task, record: Record | None = None) -> None:
        """A task is over: the next request is answered by its record or, if it has none, gets another task."""
        for key in task.keys:
            if self._by_key.get(key) is task:
                del self._by_key[key]
            if record is not None and self.level:
                self._records[key] = record
        if self._by_machine.get(task.machine) is task:
            del self._by_machine[task.machine]
        if record is not None:
            self._records[record.machine] = record
            if record.failure is not None:
                self._failed_now.add(record.machine)

    def keep(self, finished: Sequence[Finished]) -> None:
        """Put machines on record for good."""
        self.store.keep_all(finished)

    def keep_for_now(self, finished: Sequence[Finished]) -> None:
        """Put machines on record for as long as this process lives."""
        for each in finished:
            if self.store.durable:
                self.store.release(each.record.machine)
        self._local.keep_all(finished)

    def is_kept_for_now(self, machine: bytes) -> bool:
        """Whether a machine is on record in this process only."""
        return self._local.find(machine) is not None

    def forget(self, machine: bytes) -> None:
        """Drop a record, in memory and in the store."""
        for key in [key for key, record in self._records.copy().items() if record.machine == machine]:
            del self._records[key]
        self._failed_now.discard(machine)
        self._local.forget(machine)
        self.store.forget(machine)

    def drop_records(self, machines: Set[bytes]) -> None:
        """Machines are on record no more: requests for them run them again."""
        for key in [key for key, record in self._records.copy().items() if record.machine in machines]:
            del self._records[key]

    def children(self, machine: bytes) -> list[Child]:
        """The children of a finished composite."""
        return self._local.children(machine) or self.store.children(machine)

    @property
    def keeps_failures(self) -> bool:
        """Whether failures go on record."""
        return self._failures is not Failures.FORGET
