"""The engine: takes requests, and puts the parts together that serve them.

A request becomes a context, is looked up among the records, and is submitted to the scheduler; execution carries out
what follows, on the threads of task managers. Here is what capsules, jobs, task managers and the repository see of it.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from queue import SimpleQueue
from typing import Any

from intemi.kernel import explain, forks
from intemi.kernel.capsule import Capsule
from intemi.kernel.composite import Job
from intemi.kernel.errors import ConfigurationError, IncompleteError, IntemiError
from intemi.kernel.events import EventStream
from intemi.kernel.execution import Execution
from intemi.kernel.limits import Limits
from intemi.kernel.lineage import Lineage
from intemi.kernel.memory import MemoryCache
from intemi.kernel.record import Record
from intemi.kernel.records import Failures, Records
from intemi.kernel.repository.commentators import Commentator, check_commentators
from intemi.kernel.repository.query import Query
from intemi.kernel.request import Request
from intemi.kernel.scheduler import Resolution, Scheduler
from intemi.kernel.seeds import Seed
from intemi.kernel.store import BufferedStore
from intemi.kernel.task import Context, Source, Task, Wait
from intemi.kernel.values import Values
from intemi.kernel.workers.base import Call, Outcome, TaskManager
from intemi.kernel.workers.slots import Slots
from intemi.series import Series

COMMENTATOR_SECONDS = 60.0
"""How long a project that is closed waits for commentators."""


class CommentatorWarning(UserWarning):
    """A commentator failed; the request that it was attached to did not."""


class Engine:
    """Serves requests."""

    def __init__(
        self,
        store: BufferedStore,
        level: int,
        failures: Failures,
        memory: int,
        seed: Seed,
        trusts_store: bool,
        query: Callable[[Query, Context], Series],
        comment: Callable[[Commentator, Context], object],
    ) -> None:
        self.seed = seed
        self.store = store
        self.query = query
        """Answers a query about what has finished under a context."""
        self.scheduler = Scheduler(level)
        self.records = Records(store, self.scheduler, failures)
        self.memory = MemoryCache(memory)
        self.events = EventStream(self.scheduler.events, self.store.flush)
        self.values = Values(self.memory, self.records, trusts_store, self.events.count_run)
        lineage = Lineage(self.records, self.values, partial(explain.replayed, self))
        self.execution = Execution(
            self.scheduler, self.records, self.values, self.memory, lineage, self.events, partial(Job, self)
        )
        self.managers: tuple[TaskManager, ...] = ()
        self._commentary = _Commentary(self.scheduler, comment)
        self._subscribing = threading.RLock()
        self._forks = forks.number

    # Requests

    def request(self, request: Request, commentators: Sequence[Commentator] = ()) -> Capsule:
        """Take a request; it is on its way (or already answered) when this returns."""
        parent = request.parent
        if parent is None:
            self.refuse_fork()
        if commentators != ():
            check_commentators(commentators)
        context = request.context(self.seed)
        if request.limits is not None:
            self._check_limits(context)
        record = self.records.lookup(context.key)
        resolution: Resolution | None = None
        if record is None:
            if self.scheduler.in_flight(context.key) is None:
                resolution = self.execution.resolution(context)
            if parent is None:
                for manager in self.managers:
                    manager.get_ready()
        self.execution.carry_out(self.scheduler.submit(context, parent, request.priority, record, resolution))
        if parent is None:
            self.events.distribute()  # the journal lists what the user's program requests
        done = self._commentary.attach(context, commentators) if commentators else None
        return Capsule(context, self, done)

    def _check_limits(self, context: Context) -> None:
        """Refuse limits that no task manager could enforce."""
        if not isinstance(context.limits, Limits):
            raise ConfigurationError(f"{context.path}: limits must be a Limits, such as Limits(wall=60)")
        if context.limits.memory is not None and not any(manager.isolates for manager in self.managers):
            raise ConfigurationError(
                f"{context.path}: limits on memory need a process manager; "
                "subscribe one with project.subscribe(intemi.Processes())"
            )

    def capsule(self, context: Context) -> Capsule:
        """The caller's handle to a context."""
        return Capsule(context, self)

    def is_on_record(self, request: Request) -> bool:
        """Whether a request would be answered by a record."""
        return explain.is_on_record(self, request)

    def run_again(self, context: Context) -> Context:
        """Request the machine of a finished context once more, and wait; what is on record below it is reused."""
        record = context.record
        assert record is not None
        bindings: dict[str, Any] = {}
        for name, (multi, origins) in record.inputs.items():
            sources = [self._source(context, *origin) for origin in origins]
            bindings[name] = sources if multi else sources[0]
        capsule = self.request(
            Request(
                context.config, bindings, name=context.name, comments=context.comments, seed=record.seed, is_noted=False
            )
        )
        again = capsule.wait().context
        again.parent = context.parent  # it takes its place
        return again

    def _source(self, context: Context, machine: bytes, output: str, index: int) -> Source:
        record = self.records.record_of(machine)
        if record is None:
            raise IncompleteError(
                f"{context.path}: records of its children are missing or corrupt, and so is that of an input; "
                "request it again"
            )
        provider = Context.found(record)
        return Source(provider, provider.config.outputs[output], index)

    # What capsules and jobs ask for

    def wait_for(self, contexts: Sequence[Context], timeout: float | None = None) -> bool:
        """Wait, on the caller's thread, until all of them are done; False if it takes too long."""
        self.refuse_fork()
        token = threading.Lock()
        token.acquire()
        wait = Wait(contexts, token=token)
        if not self.scheduler.observe(wait):
            return True
        try:
            return token.acquire(timeout=-1 if timeout is None else min(max(0.0, timeout), threading.TIMEOUT_MAX))
        finally:
            if not wait.is_over:
                self.scheduler.unobserve(wait)

    def flush(self) -> None:
        """Write what has run, and let listeners catch up, before it is reported to the caller."""
        self.refuse_fork()
        if self.store.is_dirty:
            self.store.flush()
        self.events.catch_up()

    def is_pending(self, context: Context) -> bool:
        """Whether what a request has left waits to be written; a composite that runs sees its children at once."""
        record, parent = context.record, context.parent
        if record is None or not self.store.is_dirty or (parent is not None and not parent.is_done):
            return False
        return self.store.is_pending(record.machine)

    def comments_pending(self, context: Context) -> Sequence[threading.Event]:
        """What is set when commentators of requests at or under a context have finished."""
        return self._commentary.pending_under(context)

    def children_of(self, context: Context) -> Sequence[Context]:
        """The contexts under a composite, of this run or of the one that its machine was finished by."""
        running = self.scheduler.children_of(context)
        if running is not None:
            return running
        record = context.record
        if record is None:
            return []
        listed = [(child, self.records.record_of(child.machine)) for child in self.records.children(record.machine)]
        children = [Context.restored(context, child, found) for child, found in listed if found is not None]
        if len(children) < len(listed) or (not listed and sum(record.census.values()) > 1):
            self.store.lose([record.machine], "something below it is damaged or gone")
            self.records.drop_records([record.machine])
            raise IncompleteError(f"{context.path}: records of its children are missing or corrupt; request it again")
        return children

    def end_early(self, task: Task) -> None:
        """Ask a composite to end with what it has."""
        self.execution.carry_out(self.scheduler.end_early(task))

    def abort(self, context: Context) -> None:
        """End a request that is not done."""
        self.refuse_fork()
        self.execution.carry_out(self.scheduler.abort(context))

    def abort_all(self) -> None:
        """End every request."""
        self.refuse_fork()
        self.execution.carry_out(self.scheduler.abort_all())

    def record_of(self, machine: bytes) -> Record | None:
        """The record of a machine's id."""
        return self.records.record_of(machine)

    def load(self, source: Source) -> Any:
        """The value that a source stands for."""
        return self.values.load_source(source)

    @property
    def workers(self) -> int:
        """How many leaves can run at once."""
        return max(1, sum(manager.workers for manager in self.managers))

    # What the repository and dry runs ask for

    def in_flight(self, key: bytes) -> Task | None:
        """The task that is on its way to a key."""
        return self.scheduler.in_flight(key)

    def is_in_flight(self, key: bytes, machine: bytes | None) -> bool:
        """Whether a task is on its way to a key, or to a machine's id."""
        return self.scheduler.is_in_flight(key, machine)

    def open_composites(self) -> list[Task]:
        """Composites that have been started and are not finished."""
        return self.scheduler.open_composites()

    # What task managers ask for

    def next_task(self, manager: TaskManager) -> Task | threading.Lock | None:
        """The next thing to do, or a token to wait for; None when the manager is to leave."""
        while True:
            wakes = self.scheduler.wakes
            if manager.is_leaving(self):
                return None
            taken = self.scheduler.take(manager.isolates, manager.has_room, wakes)
            if isinstance(taken, list):
                self.execution.carry_out(taken)
            elif taken is not None:
                return taken

    def perform(self, task: Task, manager: Slots) -> None:
        """Run a task on the calling thread, or run a composite on from where it waits."""
        self.execution.perform(task, manager)

    def begin(self, task: Task, manager: TaskManager) -> Call | None:
        """Begin a task; the call of a leaf is returned, to be delivered later."""
        return self.execution.begin(task, manager)

    def deliver(self, outcomes: Sequence[tuple[Task, Outcome]]) -> None:
        """Take what has come of leaves that were begun."""
        self.execution.deliver(outcomes)

    def wake(self) -> None:
        """Let every idle worker look again."""
        self.execution.carry_out(self.scheduler.wake())

    def subscribe(self, manager: TaskManager) -> None:
        """Let a task manager work for this project."""
        self.refuse_fork()
        with manager.changing:
            manager.prepare()
            with self._subscribing:
                if self.scheduler.is_closed:
                    raise IntemiError("the project is closed")
                manager.open(self)
                self._set_managers((*self.managers, manager))

    def unsubscribe(self, manager: TaskManager) -> None:
        """Let a task manager finish what it is doing, and go."""
        with self._subscribing:
            if manager not in self.managers:
                raise ConfigurationError(f"{manager!r} is not subscribed here")
            self._set_managers(tuple(each for each in self.managers if each is not manager))
        manager.close(self)

    def _set_managers(self, managers: tuple[TaskManager, ...]) -> None:
        self.managers = managers
        can_isolate = any(manager.isolates for manager in managers)
        self.execution.carry_out(self.scheduler.set_managers(len(managers), can_isolate))

    # The end

    def refuse_fork(self) -> None:
        """The threads that run machines do not exist in a fork, and its locks may be locked for ever."""
        if self.is_inherited:
            raise forks.refused("this project")

    @property
    def is_inherited(self) -> bool:
        """Whether this is a fork of the process that the engine belongs to."""
        return forks.number != self._forks

    def close(self) -> None:
        """Abort everything and let the managers go, whatever goes wrong with one of them."""
        with ExitStack() as stack:  # the last one first
            stack.callback(self.events.close)
            stack.callback(self._commentary.close)
            stack.callback(self.execution.close)
            for manager in reversed(self.managers):
                stack.callback(self.unsubscribe, manager)
            self.execution.carry_out(self.scheduler.close())


class _Commentary:
    """Runs commentators on everything under the requests that they are attached to, one request after another.

    A request is answered before they begin, and stays so whatever becomes of them: what goes wrong is a warning.
    """

    def __init__(self, scheduler: Scheduler, comment: Callable[[Commentator, Context], object]) -> None:
        self._scheduler = scheduler
        self._comment = comment
        self._queue: SimpleQueue[tuple[Context, tuple[Commentator, ...], threading.Event]] = SimpleQueue()
        self._pending: dict[threading.Event, Context] = {}
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def attach(self, context: Context, commentators: Sequence[Commentator]) -> threading.Event:
        """Run commentators when a request is done; the event is set when they have finished."""
        done = threading.Event()
        begin = partial(self._begin, context, tuple(commentators), done)
        if not self._scheduler.observe(Wait((context,), notify=begin)):
            begin()
        return done

    def _begin(self, context: Context, commentators: tuple[Commentator, ...], done: threading.Event) -> None:
        if context.record is None:  # it was aborted, or has never begun
            done.set()
            return
        self._pending[done] = context
        self._queue.put((context, commentators, done))
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="intemi commentators", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        while True:
            context, commentators, done = self._queue.get()
            for commentator in commentators:
                try:
                    self._comment(commentator, context)
                except Exception as error:  # of a user's code, or of a store that cannot be used
                    text = f"{context.path}: {commentator.kind} failed: {type(error).__name__}: {error}"
                    warn(CommentatorWarning(text))
            del self._pending[done]
            done.set()

    def pending_under(self, context: Context) -> list[threading.Event]:
        """The events of commentators of requests at or under a context that is done."""
        return [done for done, about in list(self._pending.items()) if about is context or _is_under(about, context)]

    def close(self) -> None:
        """Let them finish."""
        for done, context in list(self._pending.items()):
            if not done.wait(COMMENTATOR_SECONDS):
                text = f"{context.path}: commentators have not finished after {COMMENTATOR_SECONDS:g} s; not awaited"
                warn(CommentatorWarning(text))


def warn(warning: Warning) -> None:
    """Warn from a thread of the engine; where warnings are errors, it is reported like that of any thread."""
    try:
        warnings.warn(warning, stacklevel=3)
    except Warning:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


def _is_under(context: Context, other: Context) -> bool:
    above = context.parent
    while above is not None and above is not other:
        above = above.parent
    return above is other
