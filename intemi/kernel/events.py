"""One stream of events feeds everything that watches a project: counters, progress, logs. Nothing polls."""

from __future__ import annotations

import enum
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING

from intemi.kernel.record import Record, census_of_one

if TYPE_CHECKING:
    from intemi.kernel.context import Context


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


REQUESTED, UNIFIED, STARTED, FINISHED, FAILED, ABORTED = EventKind  # aliases: attribute lookup on an Enum is slow


@dataclass(slots=True)
class Event:
    """Something that happened to a context."""

    kind: EventKind
    context: Context
    time: float

    def __str__(self) -> str:
        return f"{self.kind.value} {self.context.path}"


Listener = Callable[[Event], None]


class EventStream:
    """Counts every event and tells every listener of it, in order.

    Listeners must be quick; one that raises is warned about.
    """

    def __init__(self) -> None:
        self.counts = Counts()
        self._listeners: tuple[Listener, ...] = ()
        self.relies_on_records = False
        """Whether some listener must be notified of a finished machine only when it is on record."""
        self.is_heard = False
        """Whether there are listeners."""
        self._early: tuple[Listener, ...] = ()

    def listen(self, listener: Listener, early: bool = False) -> None:
        """Tell this listener of everything from now on; `early`: of finished machines before they are on record."""
        self._change((*self._listeners, listener), (*self._early, listener) if early else self._early)

    def unlisten(self, listener: Listener) -> None:
        """Tell it no more."""
        listeners, early = (
            tuple(each for each in group if each != listener) for group in (self._listeners, self._early)
        )
        self._change(listeners, early)

    def _change(self, listeners: tuple[Listener, ...], early: tuple[Listener, ...]) -> None:
        self._listeners, self._early = listeners, early
        self.is_heard = bool(listeners)
        self.relies_on_records = len(early) < len(listeners)

    def emit(self, kind: EventKind, context: Context) -> None:
        """Notify all listeners of an event."""
        if context.is_step:
            pass  # its parent counts
        elif kind is REQUESTED:
            self.counts.logical[context.counted_as] += 1
        elif kind is STARTED:
            self.counts.physical[context.counted_as] += 1
        elif kind is UNIFIED and (record := context.record) and record.census is not census_of_one(record.kind):
            self.counts.add_branch(record)
        if not self._listeners:
            return
        event = Event(kind, context, time())
        for listener in self._listeners:
            try:
                listener(event)
            except Exception as error:  # a broken display must not stop the work, not even where warnings are errors
                text = f"the listener {listener!r} failed on '{event}': {error!r}"
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

    def add_branch(self, record: Record) -> None:
        """Count what lies under a unified machine; the machine itself was counted when it was requested."""
        self.logical.update(record.census)
        self.logical[record.kind] -= 1
        self.logical += Counter()  # drops what is not there at all

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
