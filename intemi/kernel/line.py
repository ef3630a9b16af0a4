"""The assembly line: the path of a request from guard through unifier and spooler to a task manager, and back.

All of it happens under one lock in short steps, on the thread that brings the news: a request on the caller's, the end
of a run on the worker's. Machines themselves, values and the store are only touched outside of the lock.
"""

from __future__ import annotations

import threading
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Mapping
from functools import partial
from itertools import count
from typing import Any

from intemi.kernel.bindings import bind, check_feasible
from intemi.kernel.capsule import Capsule
from intemi.kernel.composite import Job, Wait, run_composite
from intemi.kernel.context import Context, Source, Sources, State, Task
from intemi.kernel.encoding import decode
from intemi.kernel.errors import ConfigurationError, IntemiError, LimitExceeded, MachineAborted, MachineError, StoreWarning
from intemi.kernel.events import EventKind, EventStream
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine, Model, draw_time_seeds
from intemi.kernel.managers import Call, Stopped, TaskManager
from intemi.kernel.memory import MemoryCache
from intemi.kernel.record import Child, Failure, Item, Items, Record
from intemi.kernel.seeds import Seed
from intemi.kernel.spooler import Spooler
from intemi.kernel.store import Claim
from intemi.kernel.timers import Timers
from intemi.kernel.unifier import Unifier, key_of
from intemi.kernel.values import Unstorable, Values, check_model

FOREIGN_POLL = 0.02
"""Seconds between looks at the store while another process runs what this one waits for."""


class AssemblyLine:
    """Serves requests."""

    def __init__(self, unifier: Unifier, memory: MemoryCache, events: EventStream, seed: Seed) -> None:
        self.unifier = unifier
        self.memory = memory
        self.values = Values(memory, unifier)
        self.events = events
        self.seed = seed
        self.managers: list[TaskManager] = []
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)
        self._idle = 0
        self._spooler = Spooler()
        self._resumable: deque[Task] = deque()
        self._settled: deque[Context] = deque()
        self._elsewhere: list[Task] = []
        self._watcher: threading.Thread | None = None
        self._timers = Timers()
        self._serial = count()
        self._roots: dict[Context, None] = {}
        self._is_closed = False

    # A request comes in

    def request(
        self,
        config: Machine,
        bindings: Mapping[str, Any],
        *,
        parent: Task | None = None,
        name: str | None = None,
        branch: tuple[int, ...] = (),
        comments: Mapping[str, Any] | None = None,
        priority: int = 0,
        limits: Limits | None = None,
    ) -> Capsule:
        """Take a request; it is on its way (or already answered) when this returns."""
        check_feasible(config)
        sources = bind(config, bindings)
        config = draw_time_seeds(config)
        seed = self.seed_of(config, parent, branch)
        context = Context(
            config,
            sources,
            seed,
            key_of(config, seed, sources),
            parent.owner if parent else None,
            name,
            limits,
            comments,
        )
        self._register(sources)
        with self._lock:
            self._place(context, parent, priority)
            self.events.emit(EventKind.REQUESTED, context)
            self._unify(context)
            self._drain()
        return Capsule(context, self)

    def capsule(self, context: Context) -> Capsule:
        """A handle to a context."""
        return Capsule(context, self)

    def seed_of(self, config: Machine, parent: Task | None, branch: tuple[int, ...]) -> Seed | None:
        """The seed of a request: its own if fixed, else its parent's (branched where a repetition is meant)."""
        if not config.is_random:
            return None
        if isinstance(config.seed, int):
            return Seed(config.seed)
        inherited = parent.owner.seed if parent else self.seed
        if inherited is None:
            assert parent is not None
            raise ConfigurationError(
                f"{parent.config.kind}: requests the random machine {config.kind}, so it must say `random = True`"
            )
        return inherited.branch(*branch) if branch else inherited

    def _register(self, sources: Sources) -> None:
        """Have the contents of bound outputs digested before the lock is taken."""
        if self.unifier.level == 2:
            for bound in sources.values():
                for source in bound:
                    if source.context.record is not None and source.context.error is None:
                        self._register_items(source.items())

    def _register_items(self, items: Items) -> None:
        for item in (items,) if isinstance(items, Item) else items:
            self.values.register(item)

    def _place(self, context: Context, parent: Task | None, priority: int) -> None:
        if self._is_closed:
            raise IntemiError("the project is closed")
        if context.limits is not None and context.limits.need_process and not any(m.isolates for m in self.managers):
            raise ConfigurationError(
                f"{context.path}: limits on CPU time and memory need a process manager; "
                "subscribe one with project.subscribe(Processes())"
            )
        if parent is None:
            context.index = next(self._serial)
            context.position = (-priority, context.index)
            self._roots[context] = None
            return
        if not parent.contexts:
            raise MachineAborted(f"{parent.owner.path} was aborted", parent.owner.path, parent.owner.key)
        context.index = len(parent.children)
        context.position = (*parent.position, -priority, context.index)
        parent.children.append(context)

    # Unifier and guard; from here on everything is under the lock

    def _unify(self, context: Context) -> None:
        record = self.unifier.find(context.key)
        if record is not None:
            self._settle(context, record)
            return
        task = self.unifier.in_flight(context.key)
        if task is not None:
            self._join(context, task)
            return
        task = Task(context)
        context.task = task
        self.unifier.add(task)
        self._guard(task)

    def _join(self, context: Context, task: Task) -> None:
        task.contexts.append(context)
        context.task = task
        if len(task.contexts) == 1:
            task.owner = context  # everybody else was aborted while it was running: it lives on
        if context.position < task.position:
            task.position = context.position
        if task.state is State.QUEUED:
            self._queue(task)
        elif task.state is State.RUNNING:
            self._arm(context, task)

    def _guard(self, task: Task) -> None:
        """Let a task wait for the inputs that are not ready."""
        providers = {id(source.context): source.context for bound in task.owner.sources.values() for source in bound}
        for provider in providers.values():
            if provider.error is not None:
                self._end(task, None, provider.error)
                return
        for provider in providers.values():
            if not provider.is_done:
                task.missing += 1
                if provider.dependants is None:
                    provider.dependants = []
                provider.dependants.append(task)
        if not task.missing:
            self._resolve(task)

    def _resolve(self, task: Task) -> None:
        """All inputs are ready: find out which machine it is, and queue it if it has to be run."""
        context = task.owner
        ports = context.config.inputs
        task.inputs = {
            name: (ports[name].multi, tuple(item for source in bound for item in _flat(source.items())))
            for name, bound in context.sources.items()
        }
        if self.unifier.level == 2:
            for _, items in task.inputs.values():
                for item in items:
                    self.values.register(item)
        answer = self.unifier.resolve(task)
        if isinstance(answer, Record):
            self.unifier.drop(task)
            for each in task.contexts:
                self._settle(each, answer)
        elif isinstance(answer, Task):
            self.unifier.merge(task, answer)
            for each in task.contexts:
                self._join(each, answer)
        else:
            if not context.config.is_composite:
                self.memory.hold(_origins(task))
            self._queue(task)

    def _queue(self, task: Task) -> None:
        task.state = State.QUEUED
        task.isolated = not task.config.is_composite and any(_needs_process(context) for context in task.contexts)
        self._spooler.push(task)
        self._wake_one()

    # A task manager asks for work

    def next_task(self, manager: TaskManager) -> Task | None:
        """The next thing to do, waiting for it if need be; None when the manager is to close."""
        with self._lock:
            while not manager.is_closing:
                if self._resumable:
                    return self._resumable.popleft()
                task = self._spooler.pop(manager.isolates)
                if task is not None:
                    return task
                self._idle += 1
                self._work.wait()
                self._idle -= 1
        return None

    def wake(self) -> None:
        """Let every idle worker look again."""
        with self._lock:
            self._work.notify_all()

    def _wake_one(self) -> None:
        if self._idle:
            # With managers of several kinds, the one that wakes up might not be able to take the task.
            self._work.notify(1 if len(self.managers) == 1 else self._idle)

    def perform(self, task: Task, manager: TaskManager) -> None:
        """Run a task, or run a composite on from where it waits."""
        if task.coroutine is not None:
            self._drive(task)
            return
        if not self._start(task, manager):
            return
        if task.config.is_composite:
            self._open(task)
        else:
            self._run_leaf(task, manager)

    def _start(self, task: Task, manager: TaskManager) -> bool:
        answer = self.unifier.claim(task)
        with self._lock:
            if not task.contexts:
                self._give_up(task)
            elif isinstance(answer, Record):
                self._end(task, answer, None, unified=True)
            elif answer is Claim.BUSY:
                task.state = State.ELSEWHERE
                self._elsewhere.append(task)
                self._watch()
            else:
                task.manager = manager
                task.start()
                self.events.emit(EventKind.STARTED, task.owner)
                for context in task.contexts:
                    self._arm(context, task)
                return True
            self._drain()
        return False

    def _run_leaf(self, task: Task, manager: TaskManager) -> None:
        call = Call(
            task, task.config, task.owner.seed, task.inputs, self.values.load, partial(self._check_usage, task)
        )
        try:
            model, task.cpu = manager.execute(call)
            outputs, contents = self._take(task, model)
            record = self._record(task, outputs, model.results)
        except Stopped:
            self._stopped(task)
            return
        except BaseException as error:
            self._fail(task, error)
            return
        self._finish(task, record, contents)

    def _take(self, task: Task, model: Model) -> tuple[dict[str, Items], dict[bytes, bytes] | None]:
        durable = self.unifier.store.durable
        try:
            outputs, contents = self.values.take(task.machine, task.config, model, durable)
        except Unstorable as unstorable:
            return unstorable.outputs, None
        if not durable and self.unifier.level == 2 and any(context.dependants for context in task.contexts):
            for items in outputs.values():
                self._register_items(items)
        return outputs, contents

    # A composite is driven

    def _open(self, task: Task) -> None:
        sources = task.owner.sources
        ports = task.config.inputs
        inputs = {name: bound if ports[name].multi else bound[0] for name, bound in sources.items()}
        if task.config.takes_rng:
            inputs["rng"] = (task.owner.seed or Seed(0)).generator()
        task.coroutine = run_composite(task.config, Job(self, task), inputs)
        self._drive(task)

    def _drive(self, task: Task) -> None:
        coroutine = task.coroutine
        assert coroutine is not None
        while True:
            if not task.contexts:
                coroutine.close()
                return
            try:
                wait = coroutine.send(None)
                if not isinstance(wait, Wait):
                    coroutine.close()
                    raise TypeError(f"{task.config.kind}.run can await job.all, job.any and capsules, got {wait!r}")
            except StopIteration as stop:
                self._finish_composite(task, stop.value)
                return
            except BaseException as error:
                self._fail(task, error)
                return
            with self._lock:
                if task.contexts and wait.arm(task):
                    task.wait = wait
                    if wait.timeout is not None:
                        self._timers.after(wait.timeout, partial(self._time_is_up, wait))
                    return

    def _time_is_up(self, wait: Wait) -> None:
        with self._lock:
            if not wait.is_over:
                wait.is_over = True
                self._resume(wait)

    def _resume(self, wait: Wait) -> None:
        task = wait.task
        if task is not None and task.wait is wait:
            task.wait = None
            self._resumable.append(task)
            self._wake_one()

    def _finish_composite(self, task: Task, model: object) -> None:
        try:
            check_model(task.config, model)
            assert isinstance(model, Model)
            outputs = {name: self._transit(task, name, value) for name, value in model.outputs.items()}
            record = self._record(task, outputs, model.results)
        except BaseException as error:
            self._fail(task, error)
            return
        kept = all(item.kept for items in outputs.values() for item in _flat(items))
        self._finish(task, record, {} if kept or not self.unifier.store.durable else None)

    def _transit(self, task: Task, name: str, value: Any) -> Items:
        """The items that a composite exhibits as its own: always those of another machine."""
        sources = tuple(value) if isinstance(value, list | tuple) else (value,)
        multi = task.config.outputs[name].multi
        if not all(isinstance(source, Source) for source in sources) or (not multi and len(sources) != 1):
            raise TypeError(
                f"{task.config.kind}.{name}: a composite exhibits outputs of other machines, such as child.{name}, "
                f"got {value!r}; compute values in a leaf"
            )
        items = tuple(item for source in sources for item in _flat(source.items()))
        if self.unifier.level == 2 and any(context.dependants for context in task.contexts):
            self._register_items(items)
        return items if multi else items[0]

    # A task comes to its end

    def _record(self, task: Task, outputs: dict[str, Items], results: dict[str, Any]) -> Record:
        context = task.owner
        census = Counter({context.config.kind: 1})
        for child in task.children:
            census.update(child.record.census if child.record is not None else {child.config.kind: 1})
        return Record(
            machine=task.machine,
            kind=context.config.kind,
            config=context.config.encoding,
            seed=None if context.seed is None else (context.seed.entropy, context.seed.path),
            inputs={
                name: (multi, tuple(item.origin for item in items)) for name, (multi, items) in task.inputs.items()
            },
            outputs=outputs,
            results=results,
            census=dict(census),
            started=task.started,
            wall=task.wall,
            cpu=task.cpu,
        )

    def _finish(self, task: Task, record: Record, contents: dict[bytes, bytes] | None) -> None:
        """Put a finished machine on record, and only then tell anybody."""
        kept = list(task.keys)
        children = [
            Child(child.index, child.name, child.record.machine, dict(child.comments or {}))
            for child in task.children
            if child.record is not None
        ]
        if task.contexts:
            self._keep(record, kept, children, contents)
        with self._lock:
            if not task.contexts:
                self._give_up(task)
            else:
                for key in task.keys[len(kept) :]:
                    self.unifier.store.add_key(key, record.machine)
                self._charge(task)
                self._end(task, record, None)
            self._drain()

    def _keep(self, record: Record, keys: list[bytes], children: list[Child], contents: dict[bytes, bytes] | None) -> None:
        try:
            self.unifier.keep(record, keys, children, contents)
        except IntemiError as error:
            warnings.warn(f"{record.kind} is kept in memory only: {error}", StoreWarning, stacklevel=2)
            self.unifier.keep(record, keys, children, None)

    def _fail(self, task: Task, error: BaseException) -> None:
        if isinstance(error, MachineAborted):
            with self._lock:
                self.unifier.store.release(task.machine)
                self._end(task, None, error)
                self._drain()
            return
        failure = self._failure(task, error)
        record = self._record(task, {}, {})
        record.failure = failure
        self._finish(task, record, {} if self.unifier.keeps_failures else None)

    def _failure(self, task: Task, error: BaseException) -> Failure:
        if isinstance(error, MachineError):  # the failure of a child: the first cause stays the cause
            return Failure(error.message, error.path, error.key, error.traceback)
        context = task.owner
        text = "".join(traceback.format_exception(error))
        return Failure(f"{context.path} failed: {type(error).__name__}: {error}", context.path, context.key, text)

    def _end(self, task: Task, record: Record | None, error: MachineError | None, unified: bool = False) -> None:
        """Answer all contexts of a task."""
        self.unifier.drop(task)
        if record is not None:
            self.unifier.remember(record, task)
        if task.inputs and not task.config.is_composite:
            self.memory.release(_origins(task))
        task.state = State.FINISHED
        for context in task.contexts:
            self._settle(context, record, error, ran=context is task.owner and not unified)
        task.children = []

    def _settle(
        self, context: Context, record: Record | None, error: MachineError | None = None, ran: bool = False
    ) -> None:
        context.task = None
        context.record = record
        if record is not None and record.failure is not None:
            error = record.failure.error()
        if error is None:
            context.state = State.FINISHED
            kind = EventKind.FINISHED if ran else EventKind.UNIFIED
        elif isinstance(error, MachineAborted):
            context.state, kind = State.ABORTED, EventKind.ABORTED
        else:
            context.state, kind = State.FAILED, EventKind.FAILED
        context.error = error
        context.sources = {}
        self._roots.pop(context, None)
        self._settled.append(context)
        self.events.emit(kind, context)

    def _drain(self) -> None:
        """Tell everybody who waits for contexts that are done; that may settle more of them."""
        while self._settled:
            context = self._settled.popleft()
            if context.event is not None:
                context.event.set()
            if context.observers is not None:
                for wait in context.observers:
                    if wait.count():
                        self._resume(wait)
                context.observers = None
            if context.dependants is not None:
                for task in context.dependants:
                    if task.state is State.WAITING and task.contexts:
                        self._input_settled(task, context)
                context.dependants = None

    def _input_settled(self, task: Task, provider: Context) -> None:
        if not any(source.context is provider for bound in task.owner.sources.values() for source in bound):
            return  # it was an input of a former owner
        if provider.error is not None:
            self._end(task, None, provider.error)
            return
        task.missing -= 1
        if not task.missing:
            self._resolve(task)

    # Aborting and limits

    def abort(self, context: Context, error: MachineAborted | None = None) -> None:
        """End a request. Its machine is ended too, unless another context waits for it: that one takes over."""
        with self._lock:
            self._abort(context, error or MachineAborted(f"{context.path} was aborted", context.path, context.key))
            self._drain()

    def abort_all(self) -> None:
        """End every request."""
        with self._lock:
            for context in list(self._roots):
                self.abort(context)

    def _abort(self, context: Context, error: MachineAborted) -> None:
        task = context.task
        if task is None:
            return
        task.contexts.remove(context)
        self._settle(context, None, error)
        if not task.contexts:
            self._cancel(task)
        elif task.owner is context:
            task.owner = task.contexts[0]
            if task.state is State.WAITING:  # what the old owner waited for may be aborted with it
                task.missing = 0
                self._guard(task)

    def _cancel(self, task: Task) -> None:
        """Nobody waits for this task any more."""
        if task.state is State.RUNNING and not task.config.is_composite:
            if task.manager is not None:
                task.manager.stop(task)
            return  # it stays known until it has really ended, so that the machine is not run twice at once
        self.unifier.drop(task)
        if task.state is State.ELSEWHERE:
            self._elsewhere.remove(task)
        if task.state is State.RUNNING:
            self.unifier.store.release(task.machine)
            for child in task.children:
                self._abort(child, MachineAborted(f"{task.owner.path} was aborted", child.path, child.key))
            if task.wait is not None:
                task.wait = None
                self._resumable.append(task)  # a worker closes the coroutine
                self._wake_one()
        elif task.inputs and not task.config.is_composite:
            self.memory.release(_origins(task))
        task.state = State.ABORTED

    def _stopped(self, task: Task) -> None:
        """The run of a leaf was ended from outside: if somebody wants it after all, it is queued again."""
        with self._lock:
            if task.contexts:
                task.manager = None
                self._queue(task)
            else:
                self._give_up(task)
            self._drain()

    def _give_up(self, task: Task) -> None:
        self.unifier.drop(task)
        self.unifier.store.release(task.machine)
        if task.inputs and not task.config.is_composite:
            self.memory.release(_origins(task))
        task.state = State.ABORTED

    def _arm(self, context: Context, task: Task) -> None:
        """Start the clock of a context with a limit on wall time."""
        limits = context.limits
        if limits is not None and limits.wall is not None:
            message = f"{context.path} exceeded its limit of {limits.wall:g} s of wall time"
            call = partial(self.abort, context, LimitExceeded(message, context.path, context.key))
            self._timers.after(limits.wall - task.wall, call)

    def _check_usage(self, task: Task, cpu: float, memory: int) -> None:
        """Abort the contexts, of a running leaf and of all machines above it, whose limits it has exceeded."""
        with self._lock:
            for leaf in list(task.contexts):
                context: Context | None = leaf
                while context is not None:
                    limits = context.limits
                    spent = cpu + (context.task.cpu if context.task is not None and context is not leaf else 0.0)
                    message = None
                    if limits is not None and limits.cpu is not None and spent > limits.cpu:
                        message = f"{context.path} exceeded its limit of {limits.cpu:g} s of CPU time"
                    elif limits is not None and limits.memory is not None and memory > limits.memory:
                        message = f"{context.path} exceeded its limit of {limits.memory:,} bytes of memory"
                    if message is not None:
                        self._abort(context, LimitExceeded(message, context.path, context.key))
                    context = context.parent
            self._drain()

    def _charge(self, task: Task) -> None:
        """Add a finished leaf's CPU time to that of everything above it."""
        if task.config.is_composite:
            return
        for context in task.contexts:
            above = context.parent
            while above is not None:
                if above.task is not None:
                    above.task.cpu += task.cpu
                above = above.parent

    # Somebody waits

    def event_of(self, context: Context) -> threading.Event:
        """An event that is set when the context is done."""
        with self._lock:
            if context.event is None:
                context.event = threading.Event()
                if context.is_done:
                    context.event.set()
            return context.event

    def children_of(self, context: Context) -> list[Context]:
        """The contexts under a composite, of this run or of the one that its machine was finished by."""
        with self._lock:
            if context.task is not None:
                return list(context.task.children)
            record = context.record
        if record is None:
            return []
        return [self._restored(context, child) for child in self.unifier.children(record.machine)]

    def _restored(self, parent: Context, child: Child) -> Context:
        record = self.unifier.record_of(child.machine)
        if record is None:
            raise IntemiError(f"{parent.path}/{child.name}: its record is gone from the store")
        seed = None if record.seed is None else Seed(*record.seed)
        context = Context(decode(record.config), {}, seed, child.machine, parent, child.name, None, child.comments)
        context.index = child.index
        context.record = record
        context.error = None if record.failure is None else record.failure.error()
        context.state = State.FINISHED if record.failure is None else State.FAILED
        return context

    # Machines that another process is running

    def _watch(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch_others, name="intemi watcher", daemon=True)
            self._watcher.start()

    def _watch_others(self) -> None:
        while True:
            time.sleep(FOREIGN_POLL)
            with self._lock:
                waiting = list(self._elsewhere)
                if not waiting:
                    self._watcher = None
                    return
            for task in waiting:
                answer = self.unifier.claim(task)
                if answer is not Claim.BUSY:
                    with self._lock:
                        if task in self._elsewhere:
                            self._elsewhere.remove(task)
                            if isinstance(answer, Record):
                                self._end(task, answer, None, unified=True)
                            else:
                                self._queue(task)
                            self._drain()

    # The project opens and closes it

    def subscribe(self, manager: TaskManager) -> None:
        """Let a task manager work on this line."""
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
        manager.close()

    def close(self) -> None:
        """Abort everything and let the managers go."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self.abort_all()
        for manager in list(self.managers):
            self.unsubscribe(manager)
        self._timers.close()
        self.unifier.store.close()


def _flat(items: Items) -> tuple[Item, ...]:
    return (items,) if isinstance(items, Item) else items


def _origins(task: Task) -> list[tuple[bytes, str, int]]:
    return [item.origin for _, items in task.inputs.values() for item in items]


def _needs_process(context: Context | None) -> bool:
    while context is not None:
        if context.limits is not None and context.limits.need_process:
            return True
        context = context.parent
    return False
