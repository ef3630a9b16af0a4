"""Contexts and tasks: one request for a machine, and the one run that serves every context of the same machine.

A context is (configuration, parent, child index, bindings); several may share a task, and later a record. A source is
an output of a context, ready or not: what inputs are bound to.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from intemi.kernel.decoding import decode
from intemi.kernel.errors import BindingError, MachineAborted, MachineError, NoSuchItem
from intemi.kernel.privacy import is_private
from intemi.kernel.record import SINGLE, Child, Item, Record
from intemi.kernel.seeds import Seed

if TYPE_CHECKING:
    from intemi.kernel.composite import Wait
    from intemi.kernel.limits import Limits
    from intemi.kernel.machine import Machine
    from intemi.kernel.ports import Output

ALL = -2
"""The index of a source that stands for every item of a multi output."""


class State(enum.Enum):
    """Where a request is on its way."""

    WAITING = "waiting"
    """for its inputs"""
    QUEUED = "queued"
    RUNNING = "running"
    ELSEWHERE = "elsewhere"
    """Another process is running it."""
    FINISHED = "finished"
    FAILED = "failed"
    ABORTED = "aborted"


WAITING, QUEUED, RUNNING, _, FINISHED, FAILED, ABORTED = State  # aliases: attribute lookup on an Enum is slow


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
            record = self.context.record
            if record is None:
                raise BindingError(f"{self}: not there yet; wait for {self.context.path} first")
            items = record.outputs[self.port.name]
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


@lru_cache(maxsize=4096)
def _decoded(config: bytes) -> Any:
    """A configuration from its bytes; children of one composite have few different ones."""
    return decode(config)


class Context:
    """One request for a machine."""

    __slots__ = (
        "awaited",
        "comments",
        "config",
        "counted_as",
        "cpu",
        "deadline",
        "dependants",
        "encloses",
        "error",
        "index",
        "inputs",
        "is_private",
        "is_step",
        "key",
        "limits",
        "mark",
        "name",
        "observers",
        "parent",
        "position",
        "record",
        "seed",
        "sources",
        "stamps",
        "state",
        "task",
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
    ) -> None:
        self.config = config
        self.sources = sources
        self.seed = seed
        self.key = key
        self.parent = parent
        self.name = name or config.kind
        self.limits = limits
        self.comments = comments
        self.index = 0
        self.position: tuple[int, ...] = ()
        self.state = WAITING
        self.task: Task | None = None
        self.record: Record | None = None
        self.error: MachineError | None = None
        self.observers: list[Wait] | None = None
        self.dependants: dict[Task, None] | None = None
        self.awaited = False
        self.inputs: Inputs | None = None
        """Where the values of its inputs are, if all of them were there when it was requested."""
        self.stamps: Mapping[str, str] = NO_STAMPS
        """What its machine has found when it examined its lineage."""
        self.mark = b""
        """What tells its inputs apart from equal ones that came about in another way."""
        self.deadline = 0.0
        self.cpu = 0.0
        """CPU seconds of what was run for it, once it is done: 0 if it was on record, or ran for another request."""
        self.is_private = parent is not None and parent.is_private_inside
        """Whether it is inside of a private composite, so that it claims nothing."""
        self.encloses: bool | None = None
        """Whether what it requests is private, once that was asked."""
        self.is_step = False
        """Whether it is a step of its parent's own process, and no machine beside it."""
        cls = type(config)
        self.counted_as = _counted_as(self.name, cls.__name__) if cls.counts_by_name else cls.__name__
        """What it is counted as: by the name of its class or, if that tells nothing, by its own."""

    @property
    def is_done(self) -> bool:
        """Whether nothing will change any more."""
        state = self.state
        return state is FINISHED or state is FAILED or state is ABORTED

    @property
    def is_private_inside(self) -> bool:
        """Whether what it requests claims nothing."""
        if self.encloses is None:
            self.encloses = self.is_private or is_private(self.config)
        return self.encloses

    @classmethod
    def restored(cls, parent: Context, child: Child, record: Record) -> Context:
        """A context of a former run, as its parent knows it."""
        config = _decoded(record.config)
        context = cls(config, {}, record.seed, child.key or child.machine, parent, child.name, None, child.comments)
        context.index = child.index
        context.record = record
        context.error = None if record.failure is None else record.failure.error()
        context.state = State.FINISHED if record.failure is None else State.FAILED
        return context

    @classmethod
    def found(cls, record: Record) -> Context:
        """A context for a machine that has finished, in whatever request."""
        context = cls(_decoded(record.config), {}, record.seed, record.machine)
        context.record = record
        context.state = State.FINISHED
        return context

    def resolved(self) -> Inputs | None:
        """Where the values of its inputs are, if all of them are there."""
        ports = self.config.inputs
        inputs = {}
        for name, bound in self.sources.items():
            for source in bound:
                if source.context.state is not FINISHED:
                    return None
            items = bound[0].items() if len(bound) == 1 else tuple([item for each in bound for item in each.items()])
            inputs[name] = ports[name].multi, items
        return inputs

    def aborted_input(self) -> MachineAborted | None:
        """Why one of its inputs will not come, if it was aborted."""
        for bound in self.sources.values():
            for source in bound:
                if isinstance(source.context.error, MachineAborted):
                    return source.context.error
        return None

    def is_under(self, task: Task) -> bool:
        """Whether it was requested, directly or not, by a task."""
        above = self.parent
        while above is not None:
            if above.task is task:
                return True
            above = above.parent
        return False

    @property
    def status(self) -> State:
        """Where it is on its way."""
        return self.state if self.task is None else self.task.state

    @property
    def path(self) -> str:
        """The names from the root down to this context."""
        names = [self.name]
        context = self.parent
        while context is not None:
            names.append(context.name)
            context = context.parent
        return "/".join(reversed(names))


def _counted_as(name: str, kind: str) -> str:
    return name if name == kind or name.endswith(kind.lower()) else f"{name} {kind.lower()}"


_NOTHING: set[Context] = set()  # shared, and never added to, like the next one
_NO_CHILDREN: list[Context] = []

Inputs = Mapping[str, tuple[bool, tuple[Item, ...]]]
"""For each input port: whether the machine takes a collection, and where the values are."""
NO_INPUTS: Inputs = {}


class Task:
    """One run of a machine, on behalf of all contexts that asked for it."""

    __slots__ = (
        "charged",
        "children",
        "claimed",
        "config",
        "contexts",
        "coroutine",
        "cpu",
        "ends_early",
        "held",
        "inputs",
        "is_composite",
        "is_waiting",
        "is_watched",
        "isolated",
        "keys",
        "machine",
        "manager",
        "memory",
        "missing",
        "owner",
        "position",
        "progress",
        "pulse",
        "queued",
        "started",
        "state",
        "wait",
        "wall",
        "worker",
    )

    def __init__(self, context: Context) -> None:
        self.owner = context
        """The context on whose behalf it runs now; the next in line takes over if that one is aborted."""
        self.config = context.config
        """What is run; all contexts ask for the same."""
        self.is_composite = context.config.is_composite
        self.contexts = [context]
        self.position = context.position
        self.state = WAITING
        self.machine = b""
        """The id of the machine, known once the inputs are resolved."""
        self.inputs: Inputs = NO_INPUTS
        self.held: Sequence[tuple[bytes, str, int]] = ()
        """Where the values of its inputs were made, as long as they are held in memory for it."""
        self.keys = [context.key]
        """Every key that this task answers."""
        self.claimed = False
        """Whether this process holds the claim on the machine."""
        self.missing: set[Context] = _NOTHING
        """Inputs of the owner that are not there yet."""
        self.is_watched = False
        """Whether limits depend on what it uses while it runs."""
        self.isolated = False
        """Whether it has to run where it can be ended."""
        self.manager: Any = None
        self.started = 0.0
        self.pulse = 0.0
        self.queued = 0.0
        """When it could have been started first."""
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
        self.is_waiting = False
        """Whether its coroutine is suspended."""
        self.wait: Wait | None = None
        """What its coroutine has last waited for."""
        self.progress: Any = None
        """What a composite has last reported of itself."""
        self.ends_early = False
        """Whether a composite was asked to end with what it has."""
        self.children: list[Context] = [] if self.is_composite else _NO_CHILDREN

    def start(self) -> None:
        """Note the time."""
        self.started = time.time()
        self.pulse = time.perf_counter()
        self.cpu = self.charged = 0.0

    def stop_clock(self) -> None:
        """It has run."""
        self.wall = time.perf_counter() - self.pulse
