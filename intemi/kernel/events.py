"""Events: one stream of plain values, in order, feeds everything that watches a project.

The scheduler notes what happens; nothing else is done under its lock. From there it is distributed: to the counters and
the journal at once, and to each listener by a thread of its own. So a listener that raises or sleeps harms nothing but
itself.
"""

from __future__ import annotations

import enum
import sys
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from intemi.kernel.errors import MachineError
from intemi.kernel.machine import Machine
from intemi.kernel.record import Record, census_of_one
from intemi.kernel.task import Context

COURTESY_SECONDS = 0.25
"""How long a caller that has waited for a request waits for a listener to be notified of it; once for each listener."""
MAX_PENDING = 1024
"""Events that are distributed at the latest although nothing listens."""


class EventKind(enum.Enum):
    """What can happen to a request."""

    REQUESTED = "requested"
    UNIFIED = "unified"
    """Answered by a machine that another context has run."""
    STARTED = "started"
    FINISHED = "finished"
    """The machine is recorded: it will not run again, whatever happens next. (For `early` listeners: will be.)"""
    FAILED = "failed"
    ABORTED = "aborted"


# Module-level names: attribute lookup on an Enum is slow.
REQUESTED, UNIFIED, STARTED = EventKind.REQUESTED, EventKind.UNIFIED, EventKind.STARTED
FINISHED, FAILED, ABORTED = EventKind.FINISHED, EventKind.FAILED, EventKind.ABORTED

Happening = tuple[EventKind, Context, float, bytes, int]
"""What the scheduler notes: kind of event, request, time, id of a machine that is started, and the thread."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a request, as plain values."""

    kind: EventKind
    time: float
    number: int
    """The number of the request in this session: the same in all of its events."""
    parent: int | None
    """The number of the request whose machine has made this one; None for the user's program."""
    index: int
    """Its number among the requests of its parent, or of the user's program."""
    depth: int
    """How many requests are above it."""
    path: str
    key: bytes
    config: Machine
    machine: bytes | None
    """The id of the machine that answers, where it is known."""
    comments: Mapping[str, Any]
    is_step: bool
    """Whether it is a step of its parent's own process, and no machine beside it."""
    error: MachineError | None = None
    started: float | None = None
    """When the machine was started, once it is finished."""
    seconds: float | None = None
    """How long it ran, once it is finished."""
    worker: str | None = None
    """Host and process that ran it, if that was another computer's or could have been."""
    thread: int = 0
    """The thread on which it happened: of a machine that is started, the one that runs it or waits for it."""

    @property
    def name(self) -> str:
        """The name of the request among its siblings."""
        return self.path.rpartition("/")[2]

    @property
    def root(self) -> str:
        """The name of the user's request that it belongs to."""
        return self.path.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.kind.value} {self.path}"


Listener = Callable[[Event], None]
Receiver = Callable[[Sequence[Happening]], None]


def _event(happening: Happening) -> Event:
    kind, context, time, machine, thread = happening
    names, depth = [context.name], 0
    above = context.parent
    while above is not None:
        names.append(above.name)
        above, depth = above.parent, depth + 1
    record = context.record if kind in (FINISHED, UNIFIED, FAILED) else None
    values: dict[str, Any] = {}
    if record is not None:
        machine = record.machine
        values = {"started": record.started, "seconds": record.wall, "worker": record.worker}
    return Event(
        kind,
        time,
        context.number,
        None if context.parent is None else context.parent.number,
        context.index,
        depth,
        "/".join(reversed(names)),
        context.key,
        context.config,
        machine or None,
        dict(context.comments or {}),
        context.is_step,
        context.error if kind in (FAILED, ABORTED) else None,
        thread=thread,
        **values,
    )


class EventStream:
    """Distributes what the scheduler has noted, in order."""

    def __init__(self, noted: deque[Happening], flush: Callable[[], None]) -> None:
        self.counts = Counts()
        self._noted = noted
        self._flush = flush
        """Writes what has finished, before a listener that is not `early` is notified of it."""
        self._distributing = threading.Lock()
        self._receivers: tuple[Receiver, ...] = (self.counts.receive,)
        self._subscriptions: tuple[_Subscription, ...] = ()

    def receive_with(self, receiver: Receiver) -> None:
        """Let a part of the kernel receive what is noted, on whatever thread distributes it."""
        self._receivers += (receiver,)

    def listen(self, listener: Listener, early: bool = False) -> Callable[[], None]:
        """Notify a listener of everything from now on; what is returned ends that, after what has happened so far."""
        self.distribute()
        subscription = _Subscription(listener, None if early else self._flush)
        with self._distributing:
            self._subscriptions += (subscription,)
        return lambda: self._unlisten(subscription)

    def _unlisten(self, subscription: _Subscription) -> None:
        self.distribute()
        with self._distributing:
            self._subscriptions = tuple(each for each in self._subscriptions if each is not subscription)
        subscription.close()

    @property
    def is_needed(self) -> bool:
        """Whether what was noted should be distributed now."""
        return bool(self._subscriptions) or len(self._noted) >= MAX_PENDING

    def distribute(self) -> None:
        """Hand on what was noted, or wait until another thread has done so. Not under any lock of the caller's."""
        with self._distributing:
            while self._noted:
                batch = []
                with suppress(IndexError):
                    while True:
                        batch.append(self._noted.popleft())
                for receiver in self._receivers:
                    receiver(batch)
                for subscription in self._subscriptions:
                    subscription.put(batch)

    def count_run(self, kind: str) -> None:
        """Count a leaf that was run once more, because its value was lost."""
        with self._distributing:
            self.counts.physical[kind] += 1

    def catch_up(self) -> None:
        """Wait a moment until listeners were notified of what has happened; one that takes its time is not awaited."""
        if self._subscriptions:
            self.distribute()
            for subscription in self._subscriptions:
                subscription.catch_up()

    def close(self) -> None:
        """Deliver what has happened, and end all deliveries."""
        self.distribute()
        for subscription in self._subscriptions:
            subscription.close()


class _Subscription:
    """A listener with its queue and its thread."""

    def __init__(self, listener: Listener, flush: Callable[[], None] | None) -> None:
        self._listener = listener
        self._flush = flush
        self._queue: deque[Happening] = deque()
        self._changed = threading.Condition()
        self._put = 0
        self._delivered = 0
        self._is_closed = False
        self._is_slow = False
        self._thread: threading.Thread | None = None

    def put(self, batch: Sequence[Happening]) -> None:
        with self._changed:
            self._queue.extend(batch)
            self._put += len(batch)
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._deliver, name="intemi listener", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def catch_up(self) -> None:
        """Wait until everything was delivered, at most for a moment, and never again for a listener that is slow."""
        if self._is_slow or self._thread is threading.current_thread():
            return
        with self._changed:
            target = self._put
            if not self._changed.wait_for(lambda: self._delivered >= target, COURTESY_SECONDS):
                self._is_slow = True

    def close(self) -> None:
        self.catch_up()
        with self._changed:
            self._is_closed = True
            if self._is_slow:
                self._queue.clear()
            self._changed.notify_all()

    def _deliver(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._is_closed)
                if not self._queue:
                    return
                batch = list(self._queue)
                self._queue.clear()
            if self._flush is not None and any(kind is FINISHED for kind, *_ in batch):
                self._guarded(self._flush)
            for happening in batch:
                self._notify(_event(happening))
            with self._changed:
                self._delivered += len(batch)
                self._changed.notify_all()

    @staticmethod
    def _guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:  # a warning where warnings are errors: reported like that of any thread
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def _notify(self, event: Event) -> None:
        try:
            self._listener(event)
        except Exception as error:  # a broken display must not stop the work, not even where warnings are errors
            text = f"the listener {self._listener!r} failed on '{event}': {error!r}"
            with suppress(RuntimeWarning):
                warnings.warn(text, RuntimeWarning, stacklevel=2)


class Counts:
    """How many machines exist logically and how many were really run, by kind.

    A unified composite brings the whole branch under it: its machines exist logically without being requested again. A
    leaf whose value was lost, and that was run once more to have it again, counts as run.
    """

    def __init__(self) -> None:
        self.logical: Counter[str] = Counter()
        self.physical: Counter[str] = Counter()

    def receive(self, batch: Sequence[Happening]) -> None:
        """Count what has happened."""
        for kind, context, *_ in batch:
            if context.is_step:
                continue  # its parent counts
            if kind is REQUESTED:
                self.logical[context.counted_as] += 1
            elif kind is STARTED:
                self.physical[context.counted_as] += 1
            elif kind is UNIFIED and (record := context.record) and record.census is not census_of_one(record.kind):
                self._add_branch(record)

    def _add_branch(self, record: Record) -> None:
        """Count what lies under a unified machine; the machine itself was counted when it was requested."""
        self.logical.update(record.census)
        self.logical[record.kind] -= 1
        self.logical += Counter()  # drops zeros

    def copy(self) -> Counts:
        """The counts as they are now."""
        copy = Counts()
        copy.logical = Counter(self.logical)
        copy.physical = Counter(self.physical)
        return copy

    def __repr__(self) -> str:
        kinds = dict.fromkeys((*self.logical, *self.physical))
        rows = [(kind, self.logical[kind], self.physical[kind]) for kind in kinds]
        rows.append(("all", self.logical.total(), self.physical.total()))
        width = max(len("machine"), *(len(kind) for kind, _, _ in rows))
        lines = [f"{'machine':{width}}  logical  physical"]
        lines += [f"{kind:{width}}  {logical:7,}  {physical:8,}" for kind, logical, physical in rows]
        return "\n".join(lines)
