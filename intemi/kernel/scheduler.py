"""The scheduler: everything in flight, and what happens next. A state machine without threads, I/O or user code.

It does the work of three parts of the book: the input guard (which tasks wait for inputs), the unifier as far as it
concerns what is in flight (which requests share one run) and the spooler (what runs next, in the order of paths).

Every public method changes state under one lock and returns *effects*: what the calling thread has to do once the lock
is released (`execution` does it). Nothing that can block, and nothing that is not from this module, runs under the
lock. An effect that its thread could not carry out is given back, and carried out by the next worker.

Methods report news: `submit` a request, `resolved` inputs, `start`ed, `finish`ed and `stopped` runs, `abort`,
`suspend`, the passing of time (`tick`). `take` is how a worker gets the next task.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Literal, NamedTuple

from intemi.kernel.errors import IntemiError, LimitExceeded, MachineAborted, MachineError, MachineFailed, MemoryExceeded
from intemi.kernel.events import ABORTED as ABORTED_EVENT
from intemi.kernel.events import FAILED as FAILED_EVENT
from intemi.kernel.events import FINISHED as FINISHED_EVENT
from intemi.kernel.events import REQUESTED, STARTED, UNIFIED, EventKind, Happening
from intemi.kernel.record import Record
from intemi.kernel.task import (
    ABORTED,
    DONE,
    ELSEWHERE,
    FAILED,
    FINISHED,
    NO_INPUTS,
    NO_SOURCES,
    QUEUED,
    RESOLVING,
    RUNNING,
    STARTING,
    SUSPENDED,
    WAITING,
    Context,
    Inputs,
    Task,
    Timer,
    Wait,
    aborted,
    tasks_above,
)

MAX_STALE_TIMERS = 16
"""Cancelled timers that may stay in the queue before it is rebuilt."""

Origin = tuple[bytes, str, int]


class Resolve(NamedTuple):
    """Digest and examine the inputs of a task, determine its machine, and report it with `resolved`."""

    task: Task
    context: Context
    """The owner, whose inputs are meant."""
    epoch: int


class Stop(NamedTuple):
    """End the running leaf of a task that no request needs any more."""

    task: Task
    manager: Any


class Release(NamedTuple):
    """Give back the claim on a machine that was not finished here."""

    machine: bytes


class AddKey(NamedTuple):
    """Let one more key lead to a finished machine."""

    key: bytes
    record: Record


class Unhold(NamedTuple):
    """Values that were held in memory for a task are not needed on its account any more."""

    origins: Sequence[Origin]


class Notify(NamedTuple):
    """Call back: what was waited for is done."""

    call: Callable[[], None]


class Drive(NamedTuple):
    """Run a composite on, on a thread of its own: all workers may be busy with what it no longer waits for."""

    task: Task


class Watch(NamedTuple):
    """A machine runs in another process: watch the store for its end."""


class SetTimer(NamedTuple):
    """The time of the next `tick` has changed."""


Effect = Resolve | Stop | Release | AddKey | Unhold | Notify | Drive | Watch | SetTimer
Effects = list[Effect]


class Resolution(NamedTuple):
    """What became of the inputs of a request."""

    inputs: Inputs = NO_INPUTS
    machine: bytes = b""
    record: Record | None = None
    """The machine, if it is on record already."""
    held: Sequence[Origin] = ()
    """Values that are held in memory for the run."""
    error: MachineError | None = None
    """Why it cannot run: the machine has refused its lineage, or an input is lost."""


class Scheduler:
    """Requests, tasks and the queue of one project."""

    def __init__(self, level: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self.level = level
        """0: nothing is unified; 1: equal origins; 2: equal contents."""
        self.records: dict[bytes, Record] = {}
        """Finished machines that this process has seen, by key and by id."""
        self.events: deque[Happening] = deque()
        """What has happened, in order; taken from here by the event stream."""
        self._clock = clock
        self._lock = threading.Lock()
        self._effects: Effects = []
        self._by_key: dict[bytes, Task] = {}
        self._by_machine: dict[bytes, Task] = {}
        self._queue: list[tuple[tuple[int, ...], int, Task]] = []
        self._isolated: list[tuple[tuple[int, ...], int, Task]] = []
        """Queued tasks that only a manager that isolates leaves can run."""
        self._elsewhere: dict[Task, None] = {}
        self._resumable: deque[Task] = deque()
        self._settled: deque[Context] = deque()
        self._roots: dict[Context, None] = {}
        self._idle: list[threading.Lock] = []
        """Tokens of idle workers, who wait to acquire them."""
        self._timers: list[Timer] = []
        self._stale_timers = 0
        self._serial = count()
        self._numbers = count()
        self._pushes = count()
        self._can_isolate = False
        self._managers = 0
        self.has_limits = False
        """Whether any request has had limits."""
        self._wakes = 0
        self.is_closed = False

    # Requests

    def submit(
        self,
        context: Context,
        parent: Task | None = None,
        priority: int = 0,
        record: Record | None = None,
        resolution: Resolution | None = None,
    ) -> Effects:
        """Take a request: answer it with a record, let it join a task in flight, or begin a task.

        A resolution of its inputs, if they were ready when it was made, saves a second round.
        """
        with self._lock:
            try:
                self._place(context, parent, priority)
                self._publish(REQUESTED, context)
                if record is None and self.level:
                    record = self.records.get(context.key)  # it may have finished since the caller looked
                if record is not None:
                    if resolution is not None:
                        self._unhold(resolution.held)
                    self._answer(context, record)
                else:
                    if parent is None:
                        self._roots[context] = None
                    self._begin(context, resolution)
            except BaseException:  # refused, or interrupted: nothing of it stays behind
                if resolution is not None and (context.task is None or context.task.held is not resolution.held):
                    self._unhold(resolution.held)
                self._withdraw(context, parent)
                raise
            return self._outcome()

    def _place(self, context: Context, parent: Task | None, priority: int) -> None:
        if self.is_closed:
            raise IntemiError("the project is closed")
        if parent is not None and parent.is_cancelled:
            raise aborted(parent.owner)
        context.number = next(self._numbers)
        if parent is None:
            context.index = next(self._serial)
            context.position = (-priority, context.index)
        else:
            context.index = len(parent.children)
            context.position = (*parent.position, -priority, context.index)
            parent.children.append(context)
        limits = context.limits
        if limits is not None:
            self.has_limits = True
            if limits.deadline is not None:
                error = LimitExceeded(f"{context.path} was not done by its deadline", context.path, context.key)
                due = self._clock() + limits.deadline - time.time()
                context.deadline = self._set_timer(due, partial(self._abort, context, error))

    def _begin(self, context: Context, resolution: Resolution | None) -> None:
        task = self._by_key.get(context.key) if self.level else None
        if task is not None:
            if resolution is not None:
                self._unhold(resolution.held)
            self._join(context, task)
            return
        task = context.task = Task(context)
        self._by_key[context.key] = task
        if resolution is None:
            self._admit(task)
        else:
            self._resolve(task, resolution)

    def _join(self, context: Context, task: Task) -> None:
        if context.is_under(task):
            message = f"{context.path} would wait for itself: it is the same machine as {task.owner.path}"
            self._settle(context, None, MachineFailed(message, context.path, context.key))
            return
        was_cancelled = task.is_cancelled
        task.contexts.append(context)
        context.task = task
        if was_cancelled:
            task.owner = context  # all others were aborted while it was running: it lives on
        if context.position < task.position:
            task.position = context.position
            if task.phase is QUEUED:
                self._push(task)
        if task.phase is QUEUED:
            if self._isolate(task):
                self._push(task)
                self._wake_one()
        elif task.phase in (RUNNING, SUSPENDED, ELSEWHERE):
            self._arm(context)

    def _withdraw(self, context: Context, parent: Task | None) -> None:
        """Undo a submission that was interrupted."""
        if parent is not None and parent.children and parent.children[-1] is context:
            parent.children.pop()
        self._roots.pop(context, None)
        task = context.task
        if task is not None and context in task.contexts:
            task.contexts.remove(context)
            if task.is_cancelled:
                self._discard(task)
        self._cancel_timers(context)
        context.task = None
        if not context.is_done:
            context.state, context.error = ABORTED, aborted(context)

    # Inputs

    def _admit(self, task: Task) -> None:
        """Let a task wait for providers that are not done; an owner with an aborted input makes way for the next."""
        while (error := _aborted_input(task.owner)) is not None:
            context = task.owner
            task.contexts.remove(context)
            self._settle(context, None, error)
            if task.is_cancelled:
                self._discard(task)
                return
            task.owner = task.contexts[0]
        task.epoch += 1
        task.missing = {provider for provider in task.owner.providers() if not provider.is_done}
        if task.missing:
            if task.phase is not WAITING:
                task.to(WAITING)
            for provider in task.missing:
                if provider.dependants is None:
                    provider.dependants = {}
                provider.dependants[task] = None  # once, also if it was an input of a former owner
            return
        # The first failure in order of the ports, whichever came first by the clock: the same error on every run.
        for provider in task.owner.providers():
            if provider.error is not None:
                self._end(task, None, provider.error)
                return
        if task.phase is not RESOLVING:
            task.to(RESOLVING)
        self._effects.append(Resolve(task, task.owner, task.epoch))

    def _provider_is_done(self, provider: Context, task: Task) -> None:
        if task.phase is not WAITING or provider not in task.missing:
            return  # it was an input of a former owner
        task.missing.discard(provider)
        if isinstance(provider.error, MachineAborted) or not task.missing:
            self._admit(task)

    def resolved(self, task: Task, epoch: int, resolution: Resolution) -> Effects:
        """The inputs of a task were digested and examined, as `Resolve` has asked for."""
        with self._lock:
            if task.phase is RESOLVING and task.epoch == epoch:
                self._resolve(task, resolution)
            else:
                self._unhold(resolution.held)  # it was aborted meanwhile, or has another owner
            return self._outcome()

    def _resolve(self, task: Task, resolution: Resolution) -> None:
        """Answer a task whose machine is known by its record or by another task, or queue it."""
        task.machine = resolution.machine
        record = resolution.record
        if record is None and self.level:
            record = self.records.get(task.machine)  # it may have finished since
        other = self._by_machine.get(task.machine, task)
        if resolution.error is None and record is None and other is task:
            self._by_machine[task.machine] = task
            task.inputs, task.held = resolution.inputs, resolution.held
            self._enqueue(task)
            return
        self._unhold(resolution.held)
        if resolution.error is not None:
            task.machine = b""
            self._end(task, None, resolution.error)
        elif record is not None:
            for key in task.keys:
                if key != record.machine:
                    self._effects.append(AddKey(key, record))
            self._end(task, record, None, is_unified=True)
        else:
            task.to(DONE)
            for key in task.keys:
                other.keys.append(key)
                self._by_key[key] = other
            for context in task.contexts:
                self._join(context, other)

    # The queue

    def _enqueue(self, task: Task) -> None:
        task.to(QUEUED)
        task.manager = None
        task.queued = task.queued or time.perf_counter()
        self._isolate(task)
        self._push(task)
        self._wake_one()

    def _isolate(self, task: Task) -> bool:
        """Whether limits have to be watched, and need a manager that can end the leaf; True if that has changed."""
        if not self.has_limits or task.is_composite:
            return False
        was_isolated = task.is_isolated
        limits = [each.limits for one in (task, *tasks_above(task)) for each in one.contexts if each.limits is not None]
        task.is_limited = bool(limits)
        task.is_memory_limited = any(each.memory is not None for each in limits)
        task.is_watched = any(each.on_usage for each in limits)
        task.is_isolated = task.is_watched and self._can_isolate
        return task.is_isolated is not was_isolated

    def _push(self, task: Task) -> None:
        heappush(self._isolated if task.is_isolated else self._queue, (task.position, next(self._pushes), task))

    def take(
        self, isolates: bool = False, has_room: bool = True, wakes: int | None = None
    ) -> Task | threading.Lock | Effects | None:
        """The next thing to do for a worker: a task, effects that were left over, or a token to wait for.

        None if there was a `wake` since the worker has read `wakes`: it has to look again.
        """
        with self._lock:
            if self._effects:
                return self._outcome()
            if wakes is not None and wakes != self._wakes:
                return None
            if self._resumable:
                task = self._resumable.popleft()
                if task.phase is SUSPENDED:  # else it is to be closed
                    task.to(RUNNING)
                return task
            if has_room and (found := self._pop(isolates)) is not None:
                return found
            token = threading.Lock()
            token.acquire()
            self._idle.append(token)
            return token

    def _pop(self, isolates: bool) -> Task | None:
        queue = self._fresh(self._queue, is_isolated=False)
        if isolates:
            isolated = self._fresh(self._isolated, is_isolated=True)
            if isolated and (not queue or isolated[0] < queue[0]):
                queue = isolated
        if not queue:
            return None
        task = heappop(queue)[2]
        task.to(STARTING)
        return task

    @staticmethod
    def _fresh(
        queue: list[tuple[tuple[int, ...], int, Task]], is_isolated: bool
    ) -> list[tuple[tuple[int, ...], int, Task]]:
        """A queue without the stale entries at its head: of tasks that are not queued, or were queued again."""
        while queue and (queue[0][2].phase is not QUEUED or queue[0][2].is_isolated is not is_isolated):
            heappop(queue)
        return queue

    @property
    def wakes(self) -> int:
        """How often all workers were woken; to be read before a worker inspects its manager, and passed to `take`."""
        return self._wakes

    def wake(self) -> Effects:
        """Let every idle worker look again."""
        with self._lock:
            self._wakes += 1
            self._wake(len(self._idle))
            return self._outcome()

    def _wake_one(self) -> None:
        # With managers of several kinds, the one that is woken might not be able to take the task.
        self._wake(1 if self._managers <= 1 else len(self._idle))

    def _wake(self, number: int) -> None:
        for _ in range(min(number, len(self._idle))):
            self._idle.pop().release()  # the last to come first: its caches are warm

    def set_managers(self, number: int, can_isolate: bool) -> Effects:
        """Task managers have come or gone; `can_isolate` if one of them can end what it runs."""
        with self._lock:
            self._managers = number
            if can_isolate is not self._can_isolate:
                self._can_isolate = can_isolate
                for task in dict.fromkeys(self._by_key.values()):
                    if task.phase is QUEUED and self._isolate(task):
                        self._push(task)
            self._wakes += 1
            self._wake(len(self._idle))
            return self._outcome()

    # A run begins and ends

    def start(self, task: Task, manager: Any, is_claimed: bool = True) -> tuple[bool, Effects]:
        """A worker has claimed the machine of a task and is about to run it; False if it is not needed any more."""
        with self._lock:
            task.is_claimed = is_claimed
            if task.is_cancelled:
                self._discard(task)
                return False, self._outcome()
            task.to(RUNNING)
            task.manager, task.bound = manager, task.owner.sources
            self._publish(STARTED, task.owner, task.machine)
            if self.has_limits:
                for context in task.contexts:
                    self._arm(context)
            return True, self._outcome()

    def elsewhere(self, task: Task) -> Effects:
        """Another process has claimed the machine of a task that was about to start."""
        with self._lock:
            if task.is_cancelled:
                self._discard(task)
            else:
                task.to(ELSEWHERE)
                for context in task.contexts:
                    self._arm(context)
                self._elsewhere[task] = None
                self._effects.append(Watch())
            return self._outcome()

    def tasks_elsewhere(self) -> list[Task]:
        """Tasks whose machines run in other processes."""
        with self._lock:
            return list(self._elsewhere)

    def released(self, task: Task, record: Record | None) -> Effects:
        """Another process has finished the machine of a task, or has given it up and the claim is ours."""
        with self._lock:
            if task.phase is not ELSEWHERE:
                if record is None:
                    task.is_claimed = True
                    self._release_claim(task)
            elif record is not None:
                self._end(task, record, None, is_unified=True)
            else:
                self._elsewhere.pop(task, None)
                task.is_claimed = True
                self._enqueue(task)
            return self._outcome()

    def stopped(self, task: Task) -> Effects:
        """The run of a leaf was ended from outside, or not begun: if a request still needs it, it is queued again."""
        with self._lock:
            if task.phase is DONE:
                pass
            elif task.is_cancelled:
                self._discard(task)
            else:
                self._enqueue(task)
            return self._outcome()

    def keys_of(self, task: Task) -> tuple[tuple[bytes, ...] | None, Effects]:
        """The keys that a task which has run is to be recorded under; None if it is not needed any more."""
        with self._lock:
            if task.phase is DONE:
                return None, self._outcome()
            if task.is_cancelled:
                self._discard(task)
                return None, self._outcome()
            return tuple(task.keys), self._outcome()

    def finish(self, task: Task, record: Record, recorded_keys: int | None = None, is_unified: bool = False) -> Effects:
        """The machine of a task is on record, under the first of its keys; answer all contexts."""
        with self._lock:
            if task.phase is not DONE:
                if recorded_keys is not None:
                    self._effects += [AddKey(key, record) for key in task.keys[recorded_keys:]]
                task.is_claimed = False  # a claim ends when its machine is on record
                if task.is_cancelled:
                    self._discard(task)
                else:
                    self._end(task, record, None, is_unified)
                    self._charge(task)
            return self._outcome()

    def fail(self, task: Task, error: MachineError) -> Effects:
        """A task came to an end without a record: a child was aborted, or the surroundings have failed."""
        with self._lock:
            if task.phase is not DONE:
                if task.is_cancelled:
                    self._discard(task)
                else:
                    self._end(task, None, error)
            return self._outcome()

    def _end(self, task: Task, record: Record | None, error: MachineError | None, is_unified: bool = False) -> None:
        """Answer all contexts of a task."""
        self._drop(task, record)
        if record is None:
            self._release_claim(task)
        task.to(DONE)
        contexts, owner = task.contexts, task.owner
        for context in contexts:
            self._settle(context, record, error, ran=context is owner and not is_unified)
        if task.children:
            task.children = []

    def _discard(self, task: Task) -> None:
        """Forget a task that came to nothing."""
        self._drop(task)
        self._release_claim(task)
        if task.phase is not DONE:
            task.to(DONE)

    def _drop(self, task: Task, record: Record | None = None) -> None:
        """A task is over: the next request is answered by its record or, if it has none, gets another task."""
        for key in task.keys:
            if self._by_key.get(key) is task:
                del self._by_key[key]
            if record is not None and self.level:
                self.records[key] = record
        if self._by_machine.get(task.machine) is task:
            del self._by_machine[task.machine]
        if record is not None:
            self.records[record.machine] = record
        self._elsewhere.pop(task, None)
        self._unhold(task.held)
        task.held, task.inputs = (), NO_INPUTS

    def _release_claim(self, task: Task) -> None:
        """Let others run the machine; a task that came after this one inherits the claim."""
        if task.is_claimed:
            task.is_claimed = False
            successor = self._by_machine.get(task.machine)
            if successor is None or successor is task:
                self._effects.append(Release(task.machine))
            else:
                successor.is_claimed = True

    def _unhold(self, origins: Sequence[Origin]) -> None:
        if origins:
            self._effects.append(Unhold(origins))

    # Contexts are answered

    def _settle(
        self, context: Context, record: Record | None, error: MachineError | None = None, ran: bool = False
    ) -> None:
        """Nothing will change for this context any more."""
        self._answer(context, record, error, ran)
        if context.parent is None:
            self._roots.pop(context, None)
        self._settled.append(context)

    def _answer(
        self, context: Context, record: Record | None, error: MachineError | None = None, ran: bool = False
    ) -> None:
        task = context.task
        if task is not None and task.owner is context:
            context.cpu = task.cpu
        if record is not None:
            context.record = record
            if record.failure is not None:
                error = record.failure.error()
        context.error = error
        if error is None:
            context.state = FINISHED
            kind = FINISHED_EVENT if ran else UNIFIED
        elif isinstance(error, MachineAborted):
            context.state, kind = ABORTED, ABORTED_EVENT
        else:
            context.state, kind = FAILED, FAILED_EVENT
        context.task = None
        if error is not None:
            context.sources = NO_SOURCES  # those of a finished one show how its values came about
        if context.deadline is not None or context.time_limit is not None:
            self._cancel_timers(context)
        self._publish(kind, context)

    def _publish(self, kind: EventKind, context: Context, machine: bytes = b"") -> None:
        self.events.append((kind, context, time.time(), machine, threading.get_ident()))

    def _outcome(self) -> Effects:
        """Notify those who wait for contexts that are done, which may settle more, and return all effects."""
        while self._settled:
            context = self._settled[0]
            if context.observers is not None:
                for wait in list(context.observers):
                    wait.pending -= 1
                    if not wait.pending:
                        self._end_wait(wait)
                context.observers = None
            if context.dependants is not None:
                for task in list(context.dependants):
                    self._provider_is_done(context, task)
                context.dependants = None
            self._settled.popleft()  # only now: an interrupt must not leave anything behind that waits
        effects = self._effects
        if effects:
            self._effects = []
        return effects

    def give_back(self, effects: Iterable[Effect]) -> None:
        """Effects that a thread was kept from carrying out: the next worker does it."""
        with self._lock:
            self._effects[:0] = effects
            if self._effects:
                self._wake(1)

    # Waiting

    def observe(self, wait: Wait) -> bool:
        """Begin to wait; False if there is nothing to wait for."""
        with self._lock:
            return wait.arm()

    def unobserve(self, wait: Wait) -> None:
        """Wait no longer."""
        with self._lock:
            wait.disarm()

    def suspend(self, task: Task, wait: Wait) -> tuple[bool, Effects]:
        """Let a composite wait; False if it can go on, or has to be closed, at once."""
        with self._lock:
            if task.is_cancelled or not wait.arm():
                return False, self._outcome()
            if task.ends_early and wait.ends_early:
                wait.disarm()
                return False, self._outcome()
            task.to(SUSPENDED)
            task.wait = wait
            wait.task = task
            if wait.timeout is not None:
                wait.timer = self._set_timer(self._clock() + wait.timeout, partial(self._break_wait, wait))
            return True, self._outcome()

    def end_early(self, task: Task) -> Effects:
        """Ask a composite to end with what it has; a wait that ends early is over."""
        with self._lock:
            task.ends_early = True
            if task.wait is not None and task.wait.ends_early:
                self._break_wait(task.wait)
            return self._outcome()

    def _end_wait(self, wait: Wait) -> None:
        """What was waited for is done."""
        wait.disarm()
        if wait.timer is not None:
            self._cancel_timer(wait.timer)
            wait.timer = None
        task = wait.task
        if task is not None:
            wait.task = None
            self._resumable.append(task)
            self._wake_one()
        if wait.token is not None:
            wait.token.release()
        if wait.notify is not None:
            self._effects.append(Notify(wait.notify))

    def _break_wait(self, wait: Wait) -> None:
        """Let a composite go on although what it waits for is not done."""
        task = wait.task
        if wait.is_over or task is None:
            return
        wait.disarm()
        wait.task = None
        if wait.timer is not None:
            self._cancel_timer(wait.timer)
            wait.timer = None
        task.to(RUNNING)
        self._effects.append(Drive(task))

    # Aborting

    def abort(self, context: Context, error: MachineAborted | None = None) -> Effects:
        """End a request that is not done; its machine is ended only if no other request waits for it."""
        with self._lock:
            self._abort(context, error or aborted(context))
            return self._outcome()

    def abort_all(self) -> Effects:
        """End every request."""
        with self._lock:
            for context in list(self._roots):
                self._abort(context, aborted(context))
            return self._outcome()

    def close(self) -> Effects:
        """Take no more requests, and end all that are not done."""
        with self._lock:
            self.is_closed = True
            for context in list(self._roots):
                self._abort(context, aborted(context))
            return self._outcome()

    def _abort(self, context: Context, error: MachineAborted) -> None:
        task = context.task
        if task is None:
            return
        task.contexts.remove(context)
        self._settle(context, None, error)
        if task.is_cancelled:
            self._cancel(task)
        elif task.owner is context:
            task.owner = task.contexts[0]
            for child in task.children:
                child.parent = task.owner
            if task.phase in (WAITING, RESOLVING):  # what the old owner waited for may be aborted with it
                self._admit(task)

    def _cancel(self, task: Task) -> None:
        """No request waits for this task any more."""
        if task.phase is STARTING:
            return  # the worker that claims it finds out
        if task.phase is RUNNING and not task.is_composite:
            self._effects.append(Stop(task, task.manager))
            return  # it stays known until it has really ended, so that the machine is not run twice at once
        if task.phase in (RUNNING, SUSPENDED):
            for child in task.children:
                self._abort(child, aborted(child, f"{task.owner.path} was aborted"))
            wait = task.wait
            if task.phase is SUSPENDED and wait is not None and wait.task is task:  # else it is about to be resumed
                self._end_wait(wait)
        self._discard(task)

    # Limits

    def usage(self, task: Task, cpu: float, memory: int) -> Effects:
        """A running leaf has used CPU seconds and bytes: abort the requests whose limits that exceeds."""
        with self._lock:
            if task.phase is RUNNING:
                task.cpu = max(cpu, task.cpu)
                if memory:
                    task.memory = max(memory, task.memory or 0)
                self._check_limits(task, memory)
                self._charge(task, memory)
            return self._outcome()

    def _charge(self, task: Task, memory: int = 0) -> None:
        """Add what a leaf has used since the last time to everything above it, as far as limits there allow."""
        if task.is_composite:
            return
        spent, task.charged = task.cpu - task.charged, task.cpu
        above = tasks_above(task)
        for each in above:
            each.cpu += spent
        if self.has_limits:
            for each in above:
                self._check_limits(each, memory)

    def _check_limits(self, task: Task, memory: int) -> None:
        for context in list(task.contexts):
            error = _over(context, task.cpu, memory)
            if error is not None:
                self._abort(context, error)

    def _arm(self, context: Context) -> None:
        """Start the clock of a context with a limit on wall time: with the run, or when it joins one."""
        limits = context.limits
        if limits is not None and limits.wall is not None:
            if context.time_limit is not None:  # of a run that was stopped, and begins anew
                self._cancel_timer(context.time_limit)
            error = _exceeded(context, f"{limits.wall:g} s of wall time")
            context.time_limit = self._set_timer(self._clock() + limits.wall, partial(self._abort, context, error))

    # Time

    def _set_timer(self, due: float, action: Callable[[], None]) -> Timer:
        timer = Timer(due, action)
        heappush(self._timers, timer)
        if self._timers[0] is timer:
            self._effects.append(SetTimer())
        return timer

    def _cancel_timer(self, timer: Timer) -> None:
        if timer.action is not None:
            timer.action = None
            self._stale_timers += 1
            if self._stale_timers > max(MAX_STALE_TIMERS, len(self._timers) // 2):
                self._timers = [timer for timer in self._timers if timer.action is not None]
                heapify(self._timers)
                self._stale_timers = 0

    def _cancel_timers(self, context: Context) -> None:
        for timer in (context.deadline, context.time_limit):
            if timer is not None:
                self._cancel_timer(timer)
        context.deadline = context.time_limit = None

    def tick(self) -> Effects:
        """Time has passed: limits that are exceeded and waits that are over by now take effect."""
        with self._lock:
            now = self._clock()
            while self._timers and (self._timers[0].action is None or self._timers[0].due <= now):
                timer = heappop(self._timers)
                if timer.action is None:
                    self._stale_timers -= 1
                else:
                    action, timer.action = timer.action, None
                    action()
            return self._outcome()

    def next_tick(self) -> float | None:
        """When `tick` is to be called next, by the clock; None if there is nothing to wait for."""
        with self._lock:
            return self._timers[0].due if self._timers else None

    # Questions

    def in_flight(self, key: bytes) -> Task | None:
        """The task that is on its way to a key."""
        return self._by_key.get(key) if self.level else None

    def is_in_flight(self, key: bytes, machine: bytes | None = None) -> bool:
        """Whether a task is on its way to a key, or to a machine's id."""
        return key in self._by_key or (machine is not None and machine in self._by_machine)

    def children_of(self, context: Context) -> list[Context] | None:
        """What a composite that is running has requested so far; None if the context has no task."""
        with self._lock:
            return None if context.task is None else list(context.task.children)

    def open_composites(self) -> list[Task]:
        """Composites that have been started and are not finished."""
        with self._lock:
            tasks = [task for task in dict.fromkeys(self._by_key.values()) if task.is_composite]
            return [task for task in tasks if task.phase in (RUNNING, SUSPENDED) and not task.is_cancelled]

    def forget(self, machines: Iterable[bytes]) -> None:
        """Machines are on record no more: requests for them run them again."""
        gone = set(machines)
        with self._lock:
            for key in [key for key, record in self.records.copy().items() if record.machine in gone]:
                self.records.pop(key, None)

    def sizes(self) -> dict[Literal["tasks", "queue", "timers", "idle", "roots", "elsewhere", "resumable"], int]:
        """How much is in flight, by the place where it is."""
        with self._lock:
            tasks = set(self._by_key.values()) | set(self._by_machine.values())
            queued = {task for _, _, task in (*self._queue, *self._isolated) if task.phase is QUEUED}
            return {
                "tasks": len(tasks),
                "queue": len(queued),
                "timers": len(self._timers) - self._stale_timers,
                "idle": len(self._idle),
                "roots": len(self._roots),
                "elsewhere": len(self._elsewhere),
                "resumable": len(self._resumable),
            }


def _aborted_input(context: Context) -> MachineAborted | None:
    """Why one of its inputs will not come, if it was aborted."""
    for provider in context.providers():
        if isinstance(provider.error, MachineAborted):
            return provider.error
    return None


def _over(context: Context, cpu: float, memory: int) -> LimitExceeded | None:
    limits = context.limits
    if limits is None:
        return None
    if limits.cpu is not None and cpu > limits.cpu:
        return _exceeded(context, f"{limits.cpu:g} s of CPU time")
    if limits.memory is not None and memory > limits.memory:
        return _exceeded(context, f"{limits.memory:,} bytes of memory", MemoryExceeded)
    return None


def _exceeded(context: Context, limit: str, kind: type[LimitExceeded] = LimitExceeded) -> LimitExceeded:
    return kind(f"{context.path} exceeded its limit of {limit}", context.path, context.key)
