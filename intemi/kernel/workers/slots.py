"""Managers with slots: each is a thread that takes the next task, runs it, and returns the result.

Each project that is served has its own threads. Two rules decide which of them work: there are as many permits as the
manager has workers, whatever the number of projects; and of threads that execute Python code, one has the turn.
"""

from __future__ import annotations

import os
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from time import monotonic

from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Model
from intemi.kernel.task import Task
from intemi.kernel.workers.base import (
    LEAVE_SECONDS,
    RETRY_SECONDS,
    Call,
    Engine,
    Stopped,
    TaskManager,
    report_error,
)

TURN_TIMEOUT_SECONDS = 3e-2
"""Without progress of the thread that has the turn, after which a waiting one takes it."""


class _Waiter:
    """A thread that waits for a permit or for the turn, in a queue."""

    __slots__ = ("called", "is_served", "owner")

    def __init__(self, owner: object) -> None:
        self.owner = owner
        self.called = threading.Lock()
        self.called.acquire()
        self.is_served = True


class _Permits:
    """A fixed number of permits, for threads of several projects: first come, first served."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter] = deque()

    def take(self, owner: object) -> bool:
        """Wait for a permit; False if the owner was dismissed meanwhile."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            me = _Waiter(owner)
            self._waiting.append(me)
        me.called.acquire()
        return me.is_served

    def give(self) -> None:
        """Hand a permit to the thread that has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().called.release()
            else:
                self._free += 1

    def dismiss(self, owner: object) -> None:
        """End the waiting of all threads of an owner."""
        with self._lock:
            for each in [each for each in self._waiting if each.owner is owner]:
                self._waiting.remove(each)
                each.is_served = False
                each.called.release()

    @property
    def is_wanted(self) -> bool:
        """Whether a thread waits for a permit."""
        return bool(self._waiting)


class _Turns:
    """Of several threads that execute Python code, one has the turn while the others wait.

    Otherwise they would pass the global interpreter lock to each other at every call that releases it for a moment, and
    wait each time for the other to wake up; two of them then get less done than one. The holder keeps the turn from one
    task to the next and gives it up around whatever runs without the interpreter; a thread that comes back from that
    goes first. Turns are advisory: a waiter takes over from a holder without progress.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: int | None = None
        self._progress = 0.0
        self._to_begin: deque[_Waiter] = deque()
        self._to_continue: deque[_Waiter] = deque()

    def take(self) -> None:
        """Wait for the turn to begin with something."""
        self._wait(self._to_begin)

    def note_progress(self) -> None:
        """Something new begins."""
        self._progress = monotonic()

    def give(self) -> bool:
        """Let the next thread work; False if the turn was taken away meanwhile."""
        with self._lock:
            if self._holder != get_ident():
                return False
            queue = self._to_continue or self._to_begin
            called = queue.popleft() if queue else None
            self._holder = None
            if called is not None:  # handed over: no other thread can come in between
                assert isinstance(called.owner, int)
                self._holder = called.owner
                called.called.release()
            return True

    def take_back(self) -> None:
        """Wait for the turn to continue where it was given up."""
        self._wait(self._to_continue)

    @contextmanager
    def given(self) -> Iterator[None]:
        """Let others work during a `with` block."""
        is_given = self.give()
        try:
            yield
        finally:
            if is_given:
                self.take_back()

    @property
    def is_held(self) -> bool:
        """Whether this thread has the turn now."""
        return self._holder == get_ident()

    @property
    def is_over(self) -> bool:
        """Whether this thread should let others work before it begins with something new."""
        return bool(self._to_continue) or self._holder != get_ident()

    def _wait(self, queue: deque[_Waiter]) -> None:
        with self._lock:
            if self._holder is None:
                self._holder = get_ident()
                self._progress = monotonic()
                return
            me = _Waiter(get_ident())
            queue.append(me)
        while not me.called.acquire(timeout=TURN_TIMEOUT_SECONDS):
            with self._lock:
                if me in queue and monotonic() - self._progress > TURN_TIMEOUT_SECONDS:
                    queue.remove(me)
                    self._holder = get_ident()  # from now on the others wait for this thread
                    break
        self._progress = monotonic()


class _Slot:
    """A thread that serves a project."""

    __slots__ = ("engine", "has_permit", "is_over", "thread")

    def __init__(self, engine: Engine, has_permit: bool) -> None:
        self.engine = engine
        self.has_permit = has_permit
        self.is_over = False
        """Whether another thread has taken its place, or the manager waits for it no more."""
        self.thread: threading.Thread


class Slots(TaskManager):
    """A task manager that runs each leaf while a thread waits for it.

    A subclass implements `execute` and `stop`:

    >>> from intemi import Project
    >>> from intemi.testing.manager import Draws
    >>> class Printing(Slots):
    ...     def execute(self, call):
    ...         print("runs", call.config)
    ...         return call.run(), 0.0
    ...     def stop(self, call):
    ...         pass
    >>> with Project(workers=Printing(1)) as project:
    ...     project.run(Draws(2)).results
    runs Draws(count=2)
    {'Count': 2}
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and (type(workers) is not int or workers < 1):
            raise ConfigurationError(f"{type(self).__name__}: workers must be an int of at least 1, got {workers!r}")
        super().__init__()
        self.workers = workers or _cores()
        self.turns = _Turns()
        self._permits = _Permits(self.workers)
        self._lock = threading.Lock()
        """Held while slots change, and permits with them."""
        self._slots: dict[int, _Slot] = {}
        """By the ids of their threads."""
        self._calls: dict[Task, tuple[Call, _Slot | None]] = {}
        """Leaves that run, and the slots that they run in."""

    # The contract

    @abstractmethod
    def execute(self, call: Call) -> tuple[Model, float]:
        """Run a leaf; the model and the CPU seconds it took. Raises what the leaf raised, or Stopped."""

    def releases_gil(self, call: Call) -> bool:
        """Whether other threads can work while `execute` runs the leaf, so that they should."""
        return True

    # What the engine calls

    def run(self, task: Task, call: Call) -> tuple[Model, float]:
        """Run the leaf of a task."""
        self._calls[task] = call, self._slots.get(get_ident())
        is_given = False
        try:
            if task.is_cancelled:  # before `end` could know of the call
                raise Stopped
            is_given = self.releases_gil(call) and self.turns.give()
            return self.execute(call)
        finally:
            if is_given:
                self.turns.take_back()
            self._calls.pop(task, None)

    def end(self, task: Task) -> None:
        call, _ = self._calls.get(task, (None, None))
        if call is not None:
            call.is_stopped = True
            try:
                self.stop(call)
            except Exception:
                report_error()
                self.leave_behind(call)

    # Threads come and go

    def open(self, engine: Engine) -> None:
        super().open(engine)
        for _ in range(self.workers):
            self._add_slot(engine, has_permit=False)

    def _leave(self, engine: Engine) -> None:
        until = monotonic() + LEAVE_SECONDS
        for slot in [slot for slot in list(self._slots.values()) if slot.engine is engine]:
            while not slot.is_over and slot.thread.is_alive() and slot.thread is not threading.current_thread():
                self._permits.dismiss(engine)  # again: it may have begun to wait only now
                slot.thread.join(0.02)
                if self._runs_something_needed(slot):
                    until = monotonic() + LEAVE_SECONDS
                elif monotonic() > until:
                    self._warn_of_leaving(f"the thread {slot.thread.name!r}")
                    break
            self._let_go(slot)

    def _runs_something_needed(self, slot: _Slot) -> bool:
        return any(ran_in is slot and not call.is_stopped for call, ran_in in list(self._calls.values()))

    def leave_behind(self, call: Call) -> None:
        """Another thread takes the place of the one that runs a call, which ends when the leaf returns."""
        for running, slot in list(self._calls.values()):
            if running is call and slot is not None:
                has_permit = self._detach(slot)
                if has_permit is None:
                    continue
                if slot.engine not in self._leaving:
                    self._add_slot(slot.engine, has_permit)
                elif has_permit:
                    self._permits.give()

    def _let_go(self, slot: _Slot) -> None:
        """A slot serves no more."""
        if self._detach(slot):
            self._permits.give()

    def _detach(self, slot: _Slot) -> bool | None:
        """Take a slot and its permit from its thread: whether it had one; None if that was done before."""
        with self._lock:
            if slot.is_over:
                return None
            slot.is_over = True
            has_permit, slot.has_permit = slot.has_permit, False
            for ident in [ident for ident, each in self._slots.items() if each is slot]:
                del self._slots[ident]
            return has_permit

    def _add_slot(self, engine: Engine, has_permit: bool) -> None:
        slot = _Slot(engine, has_permit)
        name = f"intemi {type(self).__name__.lower()}"
        slot.thread = threading.Thread(target=self._serve, args=(slot,), name=name, daemon=True)
        with self._lock:
            slot.thread.start()
            assert slot.thread.ident is not None
            self._slots[slot.thread.ident] = slot

    def _serve(self, slot: _Slot) -> None:
        with self._lock:
            pass  # by now it is among the slots
        try:
            while not slot.is_over:
                try:
                    if not self._serve_turn(slot):
                        return
                except BaseException:  # of the engine, or of a manager's own code: the project must not hang
                    report_error()
                    time.sleep(RETRY_SECONDS)
        finally:
            self._let_go(slot)
            self._give_permit(slot)

    def _serve_turn(self, slot: _Slot) -> bool:
        """Take tasks until there is none for now, or other threads should work; False when the slot is to end."""
        if not slot.has_permit:
            if not self._permits.take(slot.engine):
                return False
            slot.has_permit = True
        task: Task | threading.Lock | None = None
        self.turns.take()
        try:
            while isinstance(task := slot.engine.next_task(self), Task):
                self.turns.note_progress()
                slot.engine.perform(task, self)
                if slot.is_over or self.turns.is_over or self._permits.is_wanted:
                    break
        finally:
            self.turns.give()
        if not isinstance(task, Task) or self._permits.is_wanted:
            self._give_permit(slot)
        if task is not None and not isinstance(task, Task):
            task.acquire()
        return task is not None

    def _give_permit(self, slot: _Slot) -> None:
        with self._lock:
            had_permit, slot.has_permit = slot.has_permit, False
        if had_permit:
            self._permits.give()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.workers})"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
