"""The finisher: what has run is known to the project at once, and on record before the user is notified.

Writing machines one by one would cost more than many of them take to run, so they are written a few at a time: before
the user can see them, when no work is left, and when the work that could be lost becomes more than a moment's. While
events have listeners, each machine is written by itself, before its event is emitted.
"""

from __future__ import annotations

import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from intemi.kernel.context import Context, State, Task
from intemi.kernel.errors import EncodingError, IntemiError, MachineError, StoreWarning
from intemi.kernel.record import Child, Failure, Record
from intemi.kernel.store import Finished

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine

_NOTHING: dict[str, Any] = {}  # shared, and never written to
FLUSH_SECONDS = 0.5
"""After which machines are written even if nothing more has finished."""


Done = tuple[Task, Record, dict[bytes, bytes] | None]
"""A task that has run, its record, and what the store must keep beside that; None if it is for this process only."""


class Finisher:
    """Puts machines on record on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._unifier = line.unifier
        self._is_timed = False
        self._unifier.store.report_losses_to(self._not_kept)

    def finish(self, done: Sequence[Done]) -> None:
        """Put machines on record, and notify their waiters."""
        line, store = self._line, self._unifier.store
        wanted: dict[Task, int] = {}
        finished = []
        for task, record, contents in done:
            if task.contexts:
                keys = tuple(task.keys)
                wanted[task] = len(keys)
                children = self._children(task, contents is not None) if task.children else ()
                finished.append(Finished(record, keys, children, contents))
        self._keep(finished)
        if store.is_due or (line.events.relies_on_records and store.is_behind):
            store.flush()
        ended, late = [], []
        with line.step():
            for each in done:
                task, record, _ = each
                if not task.contexts:
                    line.stopper.give_up(task)
                elif task not in wanted:
                    late.append(each)  # it had no waiter when it was looked at, and has one now
                else:
                    if len(task.keys) > wanted[task]:
                        for key in task.keys[wanted[task] :]:
                            store.add_key(key, record.machine)
                    line.end(task, record, None)
                    ended.append(task)
            line.stopper.charge(ended)
        if store.is_behind:
            self._set_timer()
        if late:
            self.finish(late)

    def _set_timer(self) -> None:
        """Flush after a while, even if nothing more finishes."""
        if not self._is_timed:
            self._is_timed = True
            self._line.timers.after(FLUSH_SECONDS, self._time_is_up)

    def _time_is_up(self) -> None:
        # A thread that runs one leaf after the other flushes by itself: this is for the rest.
        left = FLUSH_SECONDS - self._unifier.store.waits_for
        if left <= 0:
            self.write_while_idle()
        self._is_timed = self._unifier.store.is_behind
        if self._is_timed:
            self._line.timers.after(max(left, FLUSH_SECONDS / 5), self._time_is_up)

    def write(self) -> None:
        """Put on record whatever has run."""
        if self._unifier.store.is_behind:
            self._unifier.store.flush()

    def write_while_idle(self) -> None:
        """Flush from a background thread; errors go to `threading.excepthook`, since no caller can receive them."""
        try:
            self.write()
        except StoreWarning:  # where warnings are errors
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def fail(self, task: Task, error: BaseException) -> None:
        """Something went wrong around a task: fail it, if it is not over. Under the line's lock."""
        if task.state is not State.RUNNING:
            return
        stopper = self._line.stopper
        with suppress(IntemiError):  # the store cannot be used, and that is what the task has failed with
            if not task.contexts:
                stopper.give_up(task)
                return
            self._line.end(task, None, failure_of(task, error).error())
            stopper.release_claim(task)

    def _children(self, task: Task, goes_on_record: bool) -> list[Child]:
        """The children of a composite; on record there must be no gap where a failure does not go there."""
        return [
            Child(child.index, child.name, child.record.machine, _comments(child), child.key)
            for child in task.children
            if child.record is not None
            and not (goes_on_record and child.record.failure and self._unifier.is_kept_for_now(child.record.machine))
        ]

    def _keep(self, finished: Sequence[Finished]) -> None:
        kept = []
        durable = self._unifier.store.durable
        for each in finished:
            record, _, _, contents = each
            if contents is None:
                self._unifier.keep_for_now([each])
                continue
            if durable:
                try:
                    record.fix()
                except EncodingError as error:
                    self._not_kept([each], error)
                    continue
            kept.append(each)
        self._unifier.keep(kept)
        for _, _, _, contents in kept:
            if contents:
                self._line.values.kept(contents)

    def _not_kept(self, finished: Sequence[Finished], error: Exception) -> None:
        for each in finished:
            self._line.values.not_kept(each.contents or {})
        self._unifier.lacks_some = True
        self._unifier.store.note_losses(each.record.machine for each in finished)
        self._unifier.keep_for_now(finished)
        kinds = ", ".join(dict.fromkeys(each.record.kind for each in finished)) or "a key"
        why = error if isinstance(error, IntemiError) else f"{type(error).__name__}: {error}"
        warnings.warn(f"{kinds} is kept in memory only: {why}", StoreWarning, stacklevel=2)


def _comments(child: Context) -> dict[str, Any]:
    return dict(child.comments) if child.comments else _NOTHING


def failure_of(task: Task, error: BaseException) -> Failure:
    """What is to be said of a task that an error has ended."""
    if isinstance(error, MachineError):  # of a child: the first cause stays the cause
        return Failure(error.message, error.path, error.key, error.traceback)
    context = task.owner
    text = "".join(traceback.format_exception(error))
    return Failure(f"{context.path} failed: {type(error).__name__}: {error}", context.path, context.key, text)
