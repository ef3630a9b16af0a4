"""Requests and the runs that serve them: contexts, tasks, their states and what may wait for them.

A context is one request: (configuration, parent, child index, bindings). A task is one run of a machine on behalf of
every context that asked for it; several contexts may share a task, and later a record. A source is an output of a
context, ready or not: what inputs are bound to.

Everything here is plain data. The scheduler alone changes it, under its lock; `Task.to` refuses a move that is not in
the table of transitions.
"""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from intemi.kernel.decoding import decode
from intemi.kernel.errors import BindingError, IntemiError, MachineAborted, MachineError, NoSuchItem
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine
from intemi.kernel.ports import Output
from intemi.kernel.privacy import is_private
from intemi.kernel.record import SINGLE, Child, Item, Record
from intemi.kernel.seeds import Seed

ALL = -2
"""The index of a source that stands for every item of a multi output."""


class State(enum.Enum):
    """State of a request, as its caller sees it."""

    WAITING = "waiting"
    """for its inputs"""
    QUEUED = "queued"
    RUNNING = "running"
    ELSEWHERE = "elsewhere"
    """Another process is running it."""
    FINISHED = "finished"
    FAILED = "failed"
    ABORTED = "aborted"


class Phase(enum.Enum):
    """Phase of a task inside the scheduler."""

    WAITING = "waiting"
    """for inputs"""
    RESOLVING = "resolving"
    """Its inputs are ready; a thread digests and examines them and determines the machine's id."""
    QUEUED = "queued"
    STARTING = "starting"
    """A worker has taken it and claims the machine in the store."""
    RUNNING = "running"
    SUSPENDED = "suspended"
    """A composite that waits for its children."""
    ELSEWHERE = "elsewhere"
    """Another process has claimed the machine."""
    DONE = "done"
    """Answered, merged into another task, or discarded."""


# Module-level names: attribute lookup on an Enum is slow.
FINISHED, FAILED, ABORTED = State.FINISHED, State.FAILED, State.ABORTED
WAITING, RESOLVING, QUEUED, STARTING = Phase.WAITING, Phase.RESOLVING, Phase.QUEUED, Phase.STARTING
RUNNING, SUSPENDED, ELSEWHERE, DONE = Phase.RUNNING, Phase.SUSPENDED, Phase.ELSEWHERE, Phase.DONE

TRANSITIONS: Mapping[Phase, frozenset[Phase]] = {
    WAITING: frozenset({RESOLVING, QUEUED, DONE}),
    RESOLVING: frozenset({WAITING, QUEUED, DONE}),
    QUEUED: frozenset({STARTING, DONE}),
    STARTING: frozenset({RUNNING, ELSEWHERE, QUEUED, DONE}),
    RUNNING: frozenset({SUSPENDED, QUEUED, DONE}),
    SUSPENDED: frozenset({RUNNING, DONE}),
    ELSEWHERE: frozenset({QUEUED, DONE}),
    DONE: frozenset(),
}
"""The legal moves of a task."""

_SEEN_AS = {
    WAITING: State.WAITING,
    RESOLVING: State.WAITING,
    QUEUED: State.QUEUED,
    STARTING: State.RUNNING,
    RUNNING: State.RUNNING,
    SUSPENDED: State.RUNNING,
    ELSEWHERE: State.ELSEWHERE,
}


class IllegalTransition(IntemiError):
    """A defect of the scheduler: a task was moved to a phase that cannot follow its own."""


class Source:
    """An output of a context (or one item of a multi output): bind inputs to it, or load its value."""

    __slots__ = ("_items", "context", "index", "port")

    def __init__(self, context: Context, port: Output, index: int = SINGLE) -> None:
        self.context = context
        self.port = port
        self.index = index
        self._items: tuple[Item, ...] | None = None

    @property
    def is_single(self) -> bool:
        """Whether it stands for one value."""
        return self.index != ALL

    def items(self) -> tuple[Item, ...]:
        """Where its values are, once the context has finished; one, unless it stands for all of a multi output."""
        if self._items is None:
            context = self.context
            if context.record is None:
                raise BindingError(
                    f"{self}: no value yet ({context.path} is {context.status.value}); call {context.name}.wait() first"
                )
            items = context.record.outputs[self.port.name]
            if isinstance(items, Item):
                self._items = (items,)
            else:
                self._items = items if self.index < 0 else (items[self.index],)
        return self._items

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if self.index != ALL:
            raise BindingError(f"{self} is one value")
        return len(self.items())

    def __getitem__(self, index: int) -> Source:
        if not hasattr(index, "__index__"):
            raise BindingError(f"{self}: one of its items is chosen by a number from 0, got {index!r}")
        if not 0 <= index < len(self):
            raise NoSuchItem(f"{self} has {len(self)} items, not one with index {index}")
        return Source(self.context, self.port, index)

    def __iter__(self) -> Iterator[Source]:
        return (self[index] for index in range(len(self)))

    def __str__(self) -> str:
        return f"{self.context.path}.{self.port.name}" + (f"[{self.index}]" if self.index >= 0 else "")

    def __repr__(self) -> str:
        return f"<Source {self}>"


Sources = Mapping[str, tuple[Source, ...]]
NO_SOURCES: Sources = {}
NO_STAMPS: Mapping[str, str] = {}

Inputs = Mapping[str, tuple[bool, tuple[Item, ...]]]
"""For each input port: whether the machine takes a collection, and where the values are."""
NO_INPUTS: Inputs = {}


class Context:
    """One request for a machine."""

    __slots__ = (
        "awaited",
        "comments",
        "config",
        "cpu",
        "deadline",
        "dependants",
        "encloses",
        "error",
        "index",
        "is_noted",
        "is_private",
        "is_step",
        "key",
        "limits",
        "mark",
        "name",
        "number",
        "observers",
        "parent",
        "position",
        "record",
        "seed",
        "sources",
        "stamps",
        "state",
        "task",
        "time_limit",
    )

    def __init__(
        self,
        config: Machine,
        sources: Sources,
        seed: Seed | None,
        key: bytes,
        parent: Context | None = None,
        name: str | None = None,
        limits: Limits | None = None,
        comments: Mapping[str, Any] | None = None,
        is_step: bool = False,
        is_noted: bool = True,
    ) -> None:
        self.config = config
        self.sources = sources
        self.seed = seed
        self.key = key
        self.parent = parent
        self.name = name or config.kind
        self.limits = limits
        self.comments = comments
        self.is_step = is_step
        """Whether it is a step of its parent's own process, and no machine beside it."""
        self.is_noted = is_noted
        """Whether the journal lists it among the requests of the user's program."""
        self.number = -1
        """Its number among all requests of the session."""
        self.index = 0
        self.position: tuple[int, ...] = ()
        self.state = State.WAITING
        self.task: Task | None = None
        self.record: Record | None = None
        self.error: MachineError | None = None
        self.observers: dict[Wait, None] | None = None
        self.dependants: dict[Task, None] | None = None
        self.deadline: Timer | None = None
        self.time_limit: Timer | None = None
        """Timer of its limit on wall time, while it runs."""
        self.awaited = False
        self.stamps: Mapping[str, str] = NO_STAMPS
        """What its machine has found when it examined its lineage."""
        self.mark = b""
        """What distinguishes its inputs from equal ones that came about in another way."""
        self.cpu = 0.0
        """CPU seconds of what was run for it, once it is done: 0 if it was on record, or ran for another request."""
        self.is_private = parent is not None and parent.is_private_inside
        """Whether it is inside of a private composite, so that it claims nothing."""
        self.encloses: bool | None = None
        """Whether what it requests is private, once that was asked."""

    @property
    def is_done(self) -> bool:
        """Whether nothing will change any more."""
        state = self.state
        return state is FINISHED or state is FAILED or state is ABORTED

    @property
    def status(self) -> State:
        """The state that is shown to the caller."""
        task = self.task
        return self.state if task is None else _SEEN_AS.get(task.phase, self.state)

    @property
    def counted_as(self) -> str:
        """What it is counted as: its class or, if machines of the class differ by name, its name."""
        cls = type(self.config)
        return _counted_as(self.name, cls.__name__) if cls.counts_by_name else cls.__name__

    @property
    def is_private_inside(self) -> bool:
        """Whether what it requests claims nothing."""
        if self.encloses is None:
            self.encloses = self.is_private or is_private(self.config)
        return self.encloses

    @classmethod
    def restored(cls, parent: Context, child: Child, record: Record) -> Context:
        """A context of a former run, as its parent's record describes it."""
        config = _decoded(record.config)
        context = cls(config, {}, record.seed, child.key or child.machine, parent, child.name, None, child.comments)
        context.index = child.index
        context.set_record(record)
        return context

    @classmethod
    def found(cls, record: Record) -> Context:
        """A context for a machine that has finished, in whatever request."""
        context = cls(_decoded(record.config), {}, record.seed, record.machine)
        context.set_record(record)
        return context

    def set_record(self, record: Record) -> None:
        """Let a context that was never scheduled stand for a machine on record."""
        self.record = record
        self.error = None if record.failure is None else record.failure.error()
        self.state = FINISHED if record.failure is None else FAILED

    def resolved(self) -> Inputs | None:
        """Where the values of its inputs are; None if some provider has not finished."""
        ports = self.config.inputs
        inputs = {}
        for name, bound in self.sources.items():
            for source in bound:
                if source.context.state is not FINISHED:
                    return None
            items = bound[0].items() if len(bound) == 1 else tuple([item for each in bound for item in each.items()])
            inputs[name] = ports[name].multi, items
        return inputs

    def providers(self) -> Iterator[Context]:
        """The contexts behind its inputs, in the order of its ports."""
        return (source.context for bound in self.sources.values() for source in bound)

    def is_under(self, task: Task) -> bool:
        """Whether it was requested, directly or not, by a task."""
        above = self.parent
        while above is not None:
            if above.task is task:
                return True
            above = above.parent
        return False

    @property
    def path(self) -> str:
        """The names from the root down to this context."""
        if self.parent is None:
            return self.name
        names = [self.name]
        context: Context | None = self.parent
        while context is not None:
            names.append(context.name)
            context = context.parent
        return "/".join(reversed(names))


@lru_cache(maxsize=4096)
def _decoded(config: bytes) -> Any:
    """A configuration from its bytes; children of one composite have few different ones."""
    return decode(config)


@lru_cache(maxsize=1024)
def _counted_as(name: str, kind: str) -> str:
    return name if name == kind or name.endswith(kind.lower()) else f"{name} {kind.lower()}"


_NO_CONTEXTS: set[Context] = set()  # shared, and never added to, like the next one
_NO_CHILDREN: list[Context] = []


class Task:
    """One run of a machine, on behalf of all contexts that asked for it."""

    __slots__ = (
        "bound",
        "charged",
        "children",
        "config",
        "contexts",
        "coroutine",
        "cpu",
        "ends_early",
        "epoch",
        "held",
        "inputs",
        "is_claimed",
        "is_composite",
        "is_isolated",
        "is_limited",
        "is_memory_limited",
        "is_watched",
        "keys",
        "machine",
        "manager",
        "memory",
        "missing",
        "owner",
        "phase",
        "position",
        "progress",
        "pulse",
        "queued",
        "started",
        "wait",
        "wall",
        "worker",
    )

    def __init__(self, context: Context) -> None:
        self.owner = context
        """The context on whose behalf it runs; its successor takes over if that one is aborted."""
        self.config = context.config
        """What is run; all contexts ask for the same."""
        self.is_composite = context.config.is_composite
        self.contexts = [context]
        self.position = context.position
        self.phase = WAITING
        self.epoch = 0
        """Counts attempts to resolve its inputs; an answer to an earlier one is stale."""
        self.machine = b""
        """The id of the machine, known once the inputs are resolved."""
        self.inputs: Inputs = NO_INPUTS
        self.bound: Sources = NO_SOURCES
        """What the inputs of a composite are bound to, once it is started: an aborted owner loses its sources."""
        self.held: Sequence[tuple[bytes, str, int]] = ()
        """Origins of its inputs, as long as they are held in memory for it."""
        self.keys = [context.key]
        """Every key that this task answers."""
        self.is_claimed = False
        """Whether this process holds the claim on the machine."""
        self.missing: set[Context] = _NO_CONTEXTS
        """Providers of the owner that are not done."""
        self.is_memory_limited = False
        self.is_limited = False
        """Whether it may have to be stopped because of limits, here or above."""
        self.is_watched = False
        """Whether limits depend on what it uses while it runs."""
        self.is_isolated = False
        """Whether it has to run where it can be ended."""
        self.manager: Any = None
        """The task manager that runs it."""
        self.started = 0.0
        self.pulse = 0.0
        self.queued = 0.0
        """When it was queued first."""
        self.wall = 0.0
        """Seconds for which it ran."""
        self.memory: int | None = None
        self.worker: str | None = None
        """Where it ran, if that was on another computer."""
        self.cpu = 0.0
        """CPU seconds; of a composite, those of the leaves under it."""
        self.charged = 0.0
        """How much of that is in the sums of the composites above."""
        self.coroutine: Coroutine[Any, Any, Any] | None = None
        self.wait: Wait | None = None
        """What its coroutine has last waited for."""
        self.progress: Any = None
        """What a composite has last reported of itself."""
        self.ends_early = False
        """Whether a composite was asked to end with what it has."""
        self.children: list[Context] = [] if self.is_composite else _NO_CHILDREN

    def to(self, phase: Phase) -> None:
        """Move to another phase, if that is a legal move."""
        if phase not in TRANSITIONS[self.phase]:
            raise IllegalTransition(f"{self.owner.path}: {self.phase.value} -> {phase.value} is not a legal move")
        self.phase = phase

    @property
    def is_cancelled(self) -> bool:
        """Whether no request waits for it any more."""
        return not self.contexts

    def start_clock(self) -> None:
        """Note when it begins to run."""
        self.started = time.time()
        self.pulse = time.perf_counter()
        self.cpu = self.charged = 0.0

    def stop_clock(self) -> None:
        """Note how long it has run."""
        self.wall = time.perf_counter() - self.pulse


class Wait:
    """Something to wait for: all of some contexts, or any of them.

    A composite's coroutine yields it (`await`), a caller's thread blocks on its `token`, and `notify` is called without
    any lock. It observes its contexts while it is armed, and no longer.
    """

    __slots__ = (
        *("contexts", "ends_early", "first", "handles", "is_over", "notify", "pending"),
        *("raises", "task", "timeout", "timer", "token"),
    )

    def __init__(
        self,
        contexts: Iterable[Context],
        handles: Sequence[Any] | None = None,
        first: bool = False,
        raises: bool = True,
        timeout: float | None = None,
        ends_early: bool = False,
        token: threading.Lock | None = None,
        notify: Callable[[], None] | None = None,
    ) -> None:
        self.contexts: Sequence[Context] = tuple(contexts)
        self.handles = self.contexts if handles is None else handles
        """What stands for the contexts in the answer of `await`."""
        self.first = first
        self.raises = raises
        self.timeout = timeout
        self.ends_early = ends_early
        """Whether it is over when the composite is asked to end early."""
        self.pending = 0
        self.is_over = False
        self.token = token
        """A locked lock, released at the end."""
        self.notify = notify
        self.task: Task | None = None
        """The composite that is suspended by it."""
        self.timer: Timer | None = None

    def __await__(self) -> Generator[Wait, None, list[Any]]:
        for context in self.contexts:
            context.awaited = True
        yield self
        if self.raises:
            # The first in order of request, whichever failed first by the clock: the same error on every run.
            for context in self.contexts:
                if context.error is not None:
                    raise context.error
        return [handle for handle, context in zip(self.handles, self.contexts, strict=True) if context.is_done]

    def arm(self) -> bool:
        """Begin to observe; False if there is nothing to wait for."""
        unfinished = [context for context in self.contexts if not context.is_done]
        if not unfinished or (self.first and len(unfinished) < len(self.contexts)):
            self.is_over = True
            return False
        self.is_over = False
        self.pending = 1 if self.first else len(dict.fromkeys(unfinished))
        for context in unfinished:
            if context.observers is None:
                context.observers = {}
            context.observers[self] = None
        return True

    def disarm(self) -> None:
        """Observe no longer."""
        self.is_over = True
        for context in self.contexts:
            if context.observers is not None:
                context.observers.pop(self, None)
                if not context.observers:
                    context.observers = None


class Timer:
    """An action that is due at some time; one without an action was cancelled."""

    __slots__ = ("action", "due")

    def __init__(self, due: float, action: Callable[[], None]) -> None:
        self.due = due
        self.action: Callable[[], None] | None = action

    def __lt__(self, other: Timer) -> bool:
        return self.due < other.due


def tasks_above(task: Task) -> list[Task]:
    """The composites that have asked for a task, with those that have asked for them, each once."""
    found: dict[Task, None] = {}
    while len(task.contexts) == 1:  # no other request has asked for it: it is mostly so, all the way up
        parent = task.contexts[0].parent
        if parent is None or parent.task is None:
            return list(found)
        task = parent.task
        found[task] = None
    pending = [task]
    while pending:
        for context in pending.pop().contexts:
            above = None if context.parent is None else context.parent.task
            if above is not None and above not in found:
                found[above] = None
                pending.append(above)
    return list(found)


def aborted(context: Context, why: str = "") -> MachineAborted:
    """The error of a request that was aborted."""
    return MachineAborted(why or f"{context.path} was aborted", context.path, context.key)
