"""The finisher: what has run is put on record, and only then told to anybody.

Leaves that took next to no time and that nobody in the project waits for are recorded a handful at a time: a project
that is killed loses at most that handful, less work than it takes to record it one by one.
"""

from __future__ import annotations

import threading
import traceback
import warnings
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from intemi.kernel.context import State, Task
from intemi.kernel.errors import IntemiError, MachineError, StoreWarning
from intemi.kernel.managers import SHORT
from intemi.kernel.record import Child, Failure, Record
from intemi.kernel.store import Finished

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine

HANDFUL = 32
PATIENCE = 0.01
"""Seconds after which a handful is recorded though it is not full."""


class Done(NamedTuple):
    """A task that has run, and what is to be kept of it."""

    task: Task
    record: Record
    contents: dict[bytes, bytes] | None
    """What the store must keep beside the record; None if the record itself is for this process only."""


class Finisher:
    """Puts machines on record on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._unifier = line.unifier
        self._unwritten: list[Done] = []
        self._lock = threading.Lock()
        self._since = 0.0
        """When the first of them was done."""
        self._is_timed = False

    def finish(self, done: Done) -> None:
        """Put a machine on record: at once, or soon if nothing hangs on it."""
        with self._lock:
            if not self._unwritten:
                self._since = monotonic()
            self._unwritten.append(done)
            if self._can_wait(done) and len(self._unwritten) < HANDFUL:
                if not self._is_timed:
                    self._is_timed = True
                    self._line.timers.after(PATIENCE, self._time_is_up)
                return
        self.write()

    def _can_wait(self, done: Done) -> bool:
        if done.record.wall > SHORT or done.contents is None or not self._unifier.store.durable:
            return False
        return not any(context.parent or context.dependants for context in done.task.contexts)

    def _time_is_up(self) -> None:
        # Whoever runs short leaves fills a handful sooner and is not to be disturbed: only a rest is written here.
        with self._lock:
            left = self._since + PATIENCE - monotonic()
            self._is_timed = bool(self._unwritten) and left > 0
        if self._is_timed:
            self._line.timers.after(left, self._time_is_up)
        else:
            self.write()

    @property
    def has_unwritten(self) -> bool:
        """Whether something has run that is not on record yet."""
        return bool(self._unwritten)

    def write(self) -> None:
        """Put on record whatever has run."""
        with self._lock:
            done, self._unwritten = self._unwritten, []
        try:
            while done:
                done = self._write(done)
        except BaseException as error:  # the store cannot be used, or warnings are errors: nobody must wait for ever
            with self._line.step():
                for each in done:
                    self.give_in(each.task, error)

    def give_in(self, task: Task, error: BaseException) -> None:
        """Something went wrong around a task: fail it, if it is not over. Under the line's lock."""
        if task.contexts and task.state is State.RUNNING:
            self._line.end(task, None, failure_of(task, error).error())
            try:
                self._line.stopper.release_claim(task)
            except IntemiError:
                return  # the store cannot be used, and that is what the task has failed with

    def _write(self, done: list[Done]) -> list[Done]:
        """Put machines on record, then tell; those that somebody asked for only just now remain."""
        keys = {each.task: list(each.task.keys) for each in done if each.task.contexts}
        self._keep([each for each in done if each.task in keys], keys)
        asked_for_late = []
        with self._line.step():
            for each in done:
                task = each.task
                if not task.contexts:
                    self._line.stopper.give_up(task)
                elif task in keys:
                    for key in task.keys[len(keys[task]) :]:
                        self._unifier.store.add_key(key, each.record.machine)
                    self._line.end(task, each.record, None)
                    self._line.stopper.charge(task)
                else:
                    asked_for_late.append(each)
        return asked_for_late

    def _keep(self, done: list[Done], keys: dict[Task, list[bytes]]) -> None:
        lasting = [self._finished(each, keys[each.task]) for each in done if each.contents is not None]
        passing = [self._finished(each, keys[each.task]) for each in done if each.contents is None]
        try:
            self._unifier.keep(lasting)
        except IntemiError as error:
            kinds = ", ".join(dict.fromkeys(each.record.kind for each in lasting))
            warnings.warn(f"{kinds} is kept in memory only: {error}", StoreWarning, stacklevel=2)
            passing += lasting
        else:
            for each in lasting:
                if each.contents:
                    self._line.values.kept(each.contents)
        self._unifier.keep_for_now(passing)

    @staticmethod
    def _finished(done: Done, keys: list[bytes]) -> Finished:
        children = [
            Child(child.index, child.name, child.record.machine, dict(child.comments or {}), child.key)
            for child in done.task.children
            if child.record is not None
        ]
        return Finished(done.record, keys, children, done.contents)


def failure_of(task: Task, error: BaseException) -> Failure:
    """What is to be said of a task that an error has ended."""
    if isinstance(error, MachineError):  # of a child: the first cause stays the cause
        return Failure(error.message, error.path, error.key, error.traceback)
    context = task.owner
    text = "".join(traceback.format_exception(error))
    return Failure(f"{context.path} failed: {type(error).__name__}: {error}", context.path, context.key, text)
