"""The assembly line: the path of a request from the guard through the unifier to the spooler, and back to the caller.

All state is changed under one lock, in steps of microseconds, on the thread that brings the news: a request on the
caller's, the end of a run on the worker's. What takes time happens outside of it, in the runner.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from intemi.kernel import events, forks
from intemi.kernel.attached import Attached
from intemi.kernel.bindings import checked
from intemi.kernel.capsule import Capsule
from intemi.kernel.composite import Wait
from intemi.kernel.context import (
    FINISHED,
    NO_INPUTS,
    NO_SOURCES,
    QUEUED,
    RUNNING,
    WAITING,
    Context,
    Inputs,
    State,
    Task,
)
from intemi.kernel.errors import (
    ConfigurationError,
    IncompleteError,
    IntemiError,
    MachineAborted,
    MachineError,
    MachineFailed,
)
from intemi.kernel.guard import Guard
from intemi.kernel.limits import Limits
from intemi.kernel.locks import Parking, Step, StepLock
from intemi.kernel.machine import Machine
from intemi.kernel.managers import TaskManager
from intemi.kernel.memory import MemoryCache
from intemi.kernel.record import Record
from intemi.kernel.runner import Runner
from intemi.kernel.seeds import Seed
from intemi.kernel.spooler import Spooler
from intemi.kernel.stopper import Stopper, has_usage_limits
from intemi.kernel.timers import Timers
from intemi.kernel.unifier import Unifier, key_of
from intemi.kernel.values import Values
from intemi.kernel.watcher import Watcher

if TYPE_CHECKING:
    from intemi.kernel.repository.repository import Repository


class AssemblyLine:
    """Serves requests."""

    def __init__(
        self, unifier: Unifier, memory: MemoryCache, stream: events.EventStream, seed: Seed, trusts_store: bool = False
    ) -> None:
        self.unifier = unifier
        self.memory = memory
        self.values = Values(memory, unifier, trusts_store, self._ran_again)
        self.events = stream
        self.seed = seed
        self.timers = Timers()
        self.managers: list[TaskManager] = []
        self.guard = Guard(self)
        self.stopper = Stopper(self)
        self.runner = Runner(self)
        self.watcher = Watcher(self)
        self.attached = Attached(self)
        self._lock = StepLock()
        self._step = Step(self._lock, self._notify)
        self._idle = Parking()
        self._spooler = Spooler()
        self._resumable: deque[Task] = deque()
        self._settled: deque[Context] = deque()
        self._serial = count()
        self._roots: dict[Context, None] = {}
        self._is_closed = False
        self._forks = forks.number
        self.repository: Repository | None = None
        """Notes what is requested, if there is one."""
        self.has_limits = False
        """Whether any request so far has had limits; most projects need not look for them."""

    def _ran_again(self, kind: str) -> None:
        with self._lock:
            self.events.counts.physical[kind] += 1

    def step(self) -> Step:
        """One step under the lock; waiters for what it settled are notified before it ends."""
        return self._step

    # A request comes in

    def request(
        self,
        config: Machine,
        bindings: Mapping[str, Any],
        parent: Task | None = None,
        name: str | None = None,
        branch: tuple[int, ...] = (),
        comments: Mapping[str, Any] | None = None,
        priority: int = 0,
        limits: Limits | None = None,
        is_step: bool = False,
        seed: Seed | None = None,
        is_noted: bool = True,
    ) -> Capsule:
        """Take a request; it is on its way (or already answered) when this returns.

        One that is not noted is none of the user's: the repository does not list it among the requests.
        """
        if parent is None:
            self.refuse_fork()
        config, sources = checked(config, bindings)
        if seed is None and config.is_random:
            seed = self.seed_of(config, parent, branch)
        above = parent.owner if parent else None
        key = key_of(config, seed, sources, above)
        context = Context(config, sources, seed, key, above, name, limits, comments)
        if is_step:
            context.is_step = True
        known: Record | Task | None = self.unifier.look_up(key)
        if known is None:
            if sources and self.unifier.level == 2:
                self.guard.get_ready(context)
            if parent is None:
                for manager in self.managers:
                    manager.get_ready()
        with self._lock:
            self._place(context, parent, priority)
            self.events.emit(events.REQUESTED, context)
            if known is None:
                known = self.unifier.meet(key)  # it may have finished since
            if isinstance(known, Record):
                self._answer(context, known)
            else:
                if parent is None:
                    self._roots[context] = None
                if known is None:
                    self._begin(context)
                else:
                    self._join(context, known)
                if self._settled:
                    self._notify()
        if parent is None and is_noted and self.repository is not None:
            self.repository.note_root(context)
        return Capsule(context, self)

    def capsule(self, context: Context) -> Capsule:
        """The caller's handle to a context."""
        return Capsule(context, self)

    def seed_of(self, config: Machine, parent: Task | None, branch: tuple[int, ...]) -> Seed:
        """The seed of a random machine: its own if fixed, else its parent's (branched where a repetition is meant)."""
        if isinstance(config.seed, int):
            return Seed(config.seed)
        inherited = parent.owner.seed if parent else self.seed
        if inherited is None:
            assert parent is not None
            raise ConfigurationError(
                f"{parent.config.kind}: requests the random machine {config.kind}, so it must say `random = True`"
            )
        return inherited.branch(*branch) if branch else inherited

    def _place(self, context: Context, parent: Task | None, priority: int) -> None:
        """Give a context its place among its siblings."""
        if self._is_closed:
            raise IntemiError("the project is closed")
        if context.limits is not None:
            self.stopper.accept_limits(context)
            self.has_limits = True
        if parent is None:
            context.index = next(self._serial)
            context.position = (-priority, context.index)
            return
        if not parent.contexts:
            raise MachineAborted(f"{parent.owner.path} was aborted", parent.owner.path, parent.owner.key)
        context.index = len(parent.children)
        context.position = (*parent.position, -priority, context.index)
        parent.children.append(context)

    # Unifier, guard, spooler: everything from here on is under the lock

    def _begin(self, context: Context) -> None:
        task = context.task = Task(context)
        self.unifier.add(task)
        if context.inputs is None:
            self.guard.admit(task)
        else:
            self.resolve(task, context.inputs)

    def _join(self, context: Context, task: Task) -> None:
        if context.is_under(task):
            message = f"{context.path} would wait for itself: it is the same machine as {task.owner.path}"
            self.settle(context, None, MachineFailed(message, context.path, context.key))
            return
        task.contexts.append(context)
        context.task = task
        if len(task.contexts) == 1:
            task.owner = context  # all others were aborted while it was running: it lives on
        if context.position < task.position:
            task.position = context.position
        if task.state is QUEUED:
            self.queue(task)
        elif task.state in (RUNNING, State.ELSEWHERE):
            self.stopper.arm(context, task)

    def resolve(self, task: Task, inputs: Inputs) -> None:
        """All inputs are ready: find out which machine it is, and queue it if it has to be run."""
        task.inputs = inputs
        answer = self.unifier.resolve(task)
        if answer is None:
            if inputs and not task.is_composite:
                task.held = [item.origin for _, items in inputs.values() for item in items]
                self.memory.hold(task.held)
            self.queue(task)
        elif isinstance(answer, Record):
            self.unifier.drop(task)
            for each in task.contexts:
                self.settle(each, answer)
        else:
            self.unifier.merge(task, answer)
            for each in task.contexts:
                self._join(each, answer)

    def queue(self, task: Task) -> None:
        """Put a task into the spooler, or put it further in front."""
        task.state = QUEUED
        task.queued = task.queued or perf_counter()
        if self.has_limits and not task.is_composite:
            task.is_watched = has_usage_limits(task)
            task.isolated = task.is_watched and self.stopper.can_isolate
        self._spooler.push(task)
        self._wake_one()

    # A task manager asks for work

    def next_task(self, manager: TaskManager) -> Task | threading.Lock | None:
        """The next thing to do, or the place to wait at for it; None when the manager is to close."""
        while True:
            with self._lock:
                if manager.is_leaving(self):
                    return None
                if self._resumable:
                    return self._resumable.popleft()
                if not manager.has_room:
                    return self._idle.place()
                if (task := self._spooler.pop(manager.isolates)) is not None:
                    return task
                if not self.unifier.store.is_behind:
                    return self._idle.place()
            self.runner.finisher.write_while_idle()  # meanwhile more may be queued

    def wake(self) -> None:
        """Let every idle worker look again."""
        with self._lock:
            self._idle.call(len(self._idle))

    def _wake_one(self) -> None:
        if self._idle:
            # With managers of several kinds, the one that is called might not be able to take the task.
            self._idle.call(1 if len(self.managers) == 1 else len(self._idle))

    # A composite waits, and goes on

    def suspend(self, task: Task, wait: Wait) -> bool:
        """Let a composite wait; False if there is nothing to wait for."""
        with self._lock:
            if not task.contexts or not wait.arm(partial(self.resume, task)):
                return False
            if task.ends_early and wait.ends_early:
                wait.is_over = True
                return False
            task.is_waiting = True
            task.wait = wait
            if wait.timeout is not None:
                self.timers.after(wait.timeout, partial(self._end_wait, task, wait))
            return True

    def end_early(self, task: Task) -> None:
        """Ask a composite to end with what it has; a wait that ends early is over."""
        with self._lock:
            task.ends_early = True
            if task.wait is not None and task.wait.ends_early:
                self._end_wait(task, task.wait)

    def _end_wait(self, task: Task, wait: Wait) -> None:
        """Let a composite go on although what it waits for is not done.

        It gets a thread of its own: all workers may be busy with what it no longer wants to wait for.
        """
        with self._lock:
            if task.is_waiting and task.wait is wait and not wait.is_over:
                wait.is_over = True
                task.is_waiting = False
                thread = threading.Thread(target=self.runner.go_on, args=(task,), name="intemi composite", daemon=True)
                thread.start()

    def resume(self, task: Task) -> None:
        """Hand a waiting composite to a worker: to go on or, if it has no waiter left, to be closed."""
        if task.is_waiting:
            task.is_waiting = False
            self._resumable.append(task)
            self._wake_one()

    # A task comes to its end

    def end(self, task: Task, record: Record | None, error: MachineError | None, unified: bool = False) -> None:
        """Answer all contexts of a task."""
        self.unifier.drop(task, record)
        if task.held:
            self.release_inputs(task)
        task.state = FINISHED
        for context in task.contexts:
            self.settle(context, record, error, ran=context is task.owner and not unified)
        if task.children:
            task.children = []

    def release_inputs(self, task: Task) -> None:
        """Its inputs are no longer needed on its account."""
        self.memory.release(task.held)
        task.held = ()
        task.inputs = NO_INPUTS

    def settle(
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
        if context.task is not None and context.task.owner is context:
            context.cpu = context.task.cpu
        context.task = None
        if record is not None:
            context.record = record
            if record.failure is not None:
                error = record.failure.error()
        if error is None:
            context.state = FINISHED
            kind = events.FINISHED if ran else events.UNIFIED
        elif isinstance(error, MachineAborted):
            context.state, kind = State.ABORTED, events.ABORTED
        else:
            context.state, kind = State.FAILED, events.FAILED
        context.error = error
        context.inputs = None
        if error is not None:
            context.sources = NO_SOURCES  # those of a finished one show how its values came about
        if kind is not events.FINISHED or self.events.is_heard:
            self.events.emit(kind, context)

    def _notify(self) -> None:
        """Notify the waiters for contexts that are done; that may settle more contexts."""
        while self._settled:
            context = self._settled.popleft()
            if context.observers is not None:
                for wait in context.observers:
                    wait.count()
                context.observers = None
            if context.dependants is not None:
                for task in context.dependants:
                    if task.state is WAITING and task.contexts:
                        self.guard.provider_is_done(context, task)
                context.dependants = None

    # Callers wait and look

    def wait_for(self, capsules: Iterable[Capsule], timeout: float | None = None) -> bool:
        """Wait, on the caller's thread, until all of them are done; False if it takes too long."""
        self.refuse_fork()
        is_over = threading.Event()
        with self._lock:
            if not Wait(capsules).arm(is_over.set):
                return True
        return is_over.wait(timeout)

    def put_on_record(self) -> None:
        """Write what has run, before it is reported to the user."""
        self.refuse_fork()
        self.runner.finisher.write()

    def children_of(self, context: Context) -> list[Context]:
        """The contexts under a composite, of this run or of the one that its machine was finished by."""
        with self._lock:
            if context.task is not None:
                return list(context.task.children)
            record = context.record
        if record is None:
            return []
        listed = [(child, self.unifier.record_of(child.machine)) for child in self.unifier.children(record.machine)]
        children = [Context.restored(context, child, found) for child, found in listed if found is not None]
        if len(children) < len(listed) or (not listed and sum(record.census.values()) > 1):
            self.unifier.store.lose([record.machine], "something below it is damaged or gone")
            with self._lock:
                self.unifier.drop_records({record.machine})
            raise IncompleteError(f"{context.path}: what was on record below it is damaged or gone; request it again")
        return children

    # The project opens and closes it

    def refuse_fork(self) -> None:
        """The threads that run machines do not exist in a fork, and their locks may be locked for ever: say so."""
        if forks.number != self._forks:
            raise forks.refused("this project")

    def subscribe(self, manager: TaskManager) -> None:
        """Let a task manager work on this line."""
        self.refuse_fork()
        with manager.changing:
            manager.prepare()
            with self._lock:
                if self._is_closed:
                    raise IntemiError("the project is closed")
                manager.open(self)
                self.managers.append(manager)

    def unsubscribe(self, manager: TaskManager) -> None:
        """Let a task manager finish what it is doing, and go."""
        with self._lock:
            if manager not in self.managers:
                raise ConfigurationError(f"{manager!r} is not subscribed here")
            self.managers.remove(manager)
        manager.close(self)

    def open_composites(self) -> list[Task]:
        """Composites that have been started and are not finished."""
        with self._lock:
            return [task for task in self.unifier.tasks() if task.coroutine is not None and task.contexts]

    def abort_all(self) -> None:
        """End every request."""
        self.refuse_fork()
        with self._lock:
            for context in list(self._roots):
                self.stopper.abort(context)

    def close(self) -> None:
        """Abort everything and let the managers go; a fork leaves them to the process that they belong to."""
        if forks.number != self._forks:
            return
        self.runner.finisher.write()
        if self.repository is not None and not self._is_closed:
            with suppress(IntemiError):  # closing it tries once more, and says what is wrong
                self.repository.write()  # what is known of composites, before they are aborted
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self.abort_all()
        for manager in list(self.managers):
            self.unsubscribe(manager)
        self.timers.close()
        self.attached.close()
        if self.repository is not None:
            self.repository.close()
        self.unifier.store.close()
