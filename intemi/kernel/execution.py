"""Execution: carries out the effects of the scheduler, and takes a task from its turn to its record.

Everything here happens on the thread that brought the news, a worker's or a caller's, and without the scheduler's lock:
machines, values, user code and the store may take their time. Leaves go to a task manager, composites are driven here.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from intemi.kernel.composite import Job, run_composite
from intemi.kernel.errors import (
    IncompleteError,
    MachineAborted,
    MachineError,
    MachineFailed,
    NotEnoughMemory,
    WorkerEnded,
)
from intemi.kernel.events import EventStream
from intemi.kernel.lineage import Lineage
from intemi.kernel.machine import Model
from intemi.kernel.memory import MemoryCache
from intemi.kernel.ports import check_fit
from intemi.kernel.protection import protected
from intemi.kernel.record import Child, Failure, Items, Record, census_of_one
from intemi.kernel.records import Records
from intemi.kernel.scheduler import (
    AddKey,
    Drive,
    Effect,
    Notify,
    Release,
    Resolution,
    Resolve,
    Scheduler,
    SetTimer,
    Stop,
    Unhold,
    Watch,
)
from intemi.kernel.seeds import Seed
from intemi.kernel.shipped import VERSION
from intemi.kernel.store import Claim, Finished
from intemi.kernel.task import DONE, Context, Source, Task, Wait
from intemi.kernel.values import Values, accepted, check_model
from intemi.kernel.workers.base import Call, Outcome, Stopped, TaskManager
from intemi.kernel.workers.slots import Slots

POLL_SECONDS = 0.02
"""Between two looks whether another process has changed the store."""
POLLS_BEFORE_RECLAIM = 25
"""Polls until claims are tried again although nothing has changed: an owner that dies changes nothing."""

_SURROUNDINGS = (WorkerEnded, IncompleteError, NotEnoughMemory)
"""Errors that are not the machine's, so that they are not kept."""

_NO_COMMENTS: dict[str, Any] = {}  # shared, and never written to


class Execution:
    """Carries out what the scheduler decides."""

    def __init__(
        self,
        scheduler: Scheduler,
        records: Records,
        values: Values,
        memory: MemoryCache,
        lineage: Lineage,
        events: EventStream,
        job: Callable[[Task], Job],
    ) -> None:
        self._scheduler = scheduler
        self._records = records
        self._store = records.store
        self._values = values
        self._memory = memory
        self._lineage = lineage
        self._events = events
        self._job = job
        self._timer = _TimerThread(scheduler, self.carry_out)
        self._watcher = _WatcherThread(scheduler, records, self.carry_out)
        self._drivers: set[threading.Thread] = set()
        self._perform: Mapping[type, Callable[[Any], Sequence[Effect]]] = {
            Resolve: self._resolve,
            Stop: self._stop,
            Release: self._release,
            AddKey: self._add_key,
            Unhold: self._unhold,
            Notify: self._notify,
            Drive: self._drive_apart,
            Watch: self._watch,
            SetTimer: self._set_timer,
        }

    # Effects

    def carry_out(self, effects: Sequence[Effect]) -> None:
        """Do what the scheduler asks for, and what follows from it."""
        if effects:
            pending = deque(effects)
            try:
                while pending:
                    effect = pending[0]
                    more = self._perform[type(effect)](effect)
                    pending.popleft()
                    pending.extend(more)
            except BaseException:  # an interrupt, mostly: a worker does the rest
                self._scheduler.give_back(pending)
                raise
        if self._events.is_needed:
            self._events.distribute()

    def _resolve(self, effect: Resolve) -> Sequence[Effect]:
        task, context, epoch = effect
        resolution = self.resolution(context)
        if resolution is None:  # the owner was aborted meanwhile, and with it its sources are gone
            return ()
        return self._scheduler.resolved(task, epoch, resolution)

    def resolution(self, context: Context) -> Resolution | None:
        """Digest the inputs of a request, examine its lineage and find out which machine it is; None if not ready."""
        try:
            inputs = context.resolved()
            if inputs is None:
                return None
            if inputs:
                if self._records.level == 2:
                    for _, items in inputs.values():
                        for item in items:
                            if item.content is None:
                                self._values.register((item,))
                self._lineage.examine(context)
            machine = self._records.machine_of(context, inputs)
            record = None
            if machine != context.key and self._records.level:
                record = self._records.lookup(machine)
        except Exception as error:  # refused by its machine, or an input is lost and cannot be made again
            return Resolution(error=failure_of(context, error).error())
        held: Sequence[tuple[bytes, str, int]] = ()
        if record is None and inputs and not context.config.is_composite:
            held = [item.origin for _, items in inputs.values() for item in items]
            self._memory.hold(held)
        return Resolution(inputs, machine, record, held)

    def _stop(self, effect: Stop) -> Sequence[Effect]:
        effect.manager.end(effect.task)
        return ()

    def _release(self, effect: Release) -> Sequence[Effect]:
        self._records.release(effect.machine)
        return ()

    def _add_key(self, effect: AddKey) -> Sequence[Effect]:
        self._records.add_key(effect.key, effect.record)
        return ()

    def _unhold(self, effect: Unhold) -> Sequence[Effect]:
        self._memory.release(effect.origins)
        return ()

    def _notify(self, effect: Notify) -> Sequence[Effect]:
        effect.call()
        return ()

    def _drive_apart(self, effect: Drive) -> Sequence[Effect]:
        def drive() -> None:
            self._guarded(effect.task, partial(self._drive, effect.task))
            self._drivers.discard(threading.current_thread())

        thread = threading.Thread(target=drive, name="intemi composite", daemon=True)
        self._drivers.add(thread)
        thread.start()
        return ()

    def _watch(self, effect: Watch) -> Sequence[Effect]:
        self._watcher.wake()
        return ()

    def _set_timer(self, effect: SetTimer) -> Sequence[Effect]:
        self._timer.wake()
        return ()

    def close(self) -> None:
        """End the threads that serve time and other processes; the scheduler is closed."""
        self._timer.close()
        self._watcher.close()
        for thread in list(self._drivers):
            if thread is not threading.current_thread():
                thread.join(1.0)

    # From a worker's turn to a run

    def perform(self, task: Task, manager: Slots) -> None:
        """Run a task, or run a composite on from where it waits."""
        self._guarded(task, partial(self._run, task, manager))

    def begin(self, task: Task, manager: TaskManager) -> Call | None:
        """Begin a task: a composite is run, or run on, and the call of a leaf is returned, to be delivered later."""
        calls: list[Call] = []

        def begin() -> None:
            if task.is_composite:
                self._run_composite(task, manager)
            elif self._start(task, manager):
                calls.append(self._call(task))

        self._guarded(task, begin)
        return calls[0] if calls else None

    def _guarded(self, task: Task, run: Callable[[], None]) -> None:
        """Run something for a task; if the store cannot be used, or warnings are errors, no waiter must hang."""
        try:
            run()
        except BaseException as error:
            self.carry_out(self._scheduler.fail(task, failure_of(task.owner, error).error()))

    def _run(self, task: Task, manager: Slots) -> None:
        if task.is_composite:
            self._run_composite(task, manager)
        elif self._start(task, manager):
            self._run_leaf(task, manager)

    def _start(self, task: Task, manager: TaskManager) -> bool:
        """Claim the machine of a task; False if it does not run here now."""
        if task.is_claimed:
            answer: Claim | Record = Claim.MINE
        else:
            answer = self._records.claim(task.machine, task.keys)
        if isinstance(answer, Record):
            self.carry_out(self._scheduler.finish(task, answer, is_unified=True))
            return False
        if answer is Claim.BUSY:
            self.carry_out(self._scheduler.elsewhere(task))
            return False
        if self._scheduler.has_limits and (task.is_limited or any(each.limits for each in task.contexts)):
            manager.expect_limits(task.config)
        is_started, effects = self._scheduler.start(task, manager)
        self.carry_out(effects)
        return is_started

    # Leaves

    def _call(self, task: Task) -> Call:
        """The call of a leaf that begins now."""
        task.start_clock()
        report = partial(self._report_usage, task) if task.is_watched else None
        seed, load = task.owner.seed, self._values.load
        call = Call(task.machine, task.config, seed, task.inputs, load, report, task.is_limited)
        call.is_memory_limited = task.is_memory_limited
        return call

    def _report_usage(self, task: Task, cpu: float, memory: int) -> None:
        self.carry_out(self._scheduler.usage(task, cpu, memory))

    def _run_leaf(self, task: Task, manager: Slots) -> None:
        call = self._call(task)
        try:
            model, task.cpu = manager.run(task, call)
            model = accepted(task.config, model)
        except Stopped:
            self.carry_out(self._scheduler.stopped(task))
        except BaseException as error:  # whatever a machine raises is its failure, not ours
            task.stop_clock()
            self._fail(task, error)
        else:
            task.stop_clock()
            self._finish_leaf(task, model)

    def deliver(self, outcomes: Sequence[tuple[Task, Outcome]]) -> None:
        """Put leaves that were begun on record, with what has come of them."""
        for task, outcome in outcomes:
            if isinstance(outcome.answer, Stopped):
                self.carry_out(self._scheduler.stopped(task))
            else:
                self._guarded(task, partial(self._deliver, task, outcome))

    def _deliver(self, task: Task, outcome: Outcome) -> None:
        task.stop_clock()
        begun = max(0.0, task.wall - outcome.wall - outcome.since)  # how much later than expected it was its turn
        task.wall, task.cpu, task.worker = outcome.wall, outcome.cpu, outcome.worker
        task.pulse, task.started = task.pulse + begun, task.started + begun
        answer = outcome.answer
        try:
            if isinstance(answer, BaseException):
                raise answer
            model = accepted(task.config, answer)
        except BaseException as error:
            self._fail(task, error)
        else:
            self._finish_leaf(task, model)

    def _finish_leaf(self, task: Task, model: Model) -> None:
        try:
            outputs, contents = self._values.take(
                task.machine, task.config, model, self._store.durable, self._is_bound(task)
            )
            record = self._record(task, outputs, {**model.results, **task.owner.stamps})
        except BaseException as error:  # what cannot be kept is the machine's failure, not ours
            self._fail(task, error)
        else:
            self._finish(task, record, contents)

    def _is_bound(self, task: Task) -> bool:
        """Whether something waits for the outputs, so that the digests of their contents will be needed."""
        return self._records.level == 2 and any(context.dependants for context in task.contexts)

    # Composites

    def _run_composite(self, task: Task, manager: TaskManager) -> None:
        if task.coroutine is None:
            if task.phase is DONE or not self._start(task, manager):
                return
            task.start_clock()
            ports = task.config.inputs
            inputs: dict[str, Any] = {
                name: bound if ports[name].multi else bound[0] for name, bound in task.bound.items()
            }
            if task.config.takes_rng:
                inputs["rng"] = task.config.generator(task.owner.seed or Seed(0))
            task.coroutine = run_composite(task, self._job(task), inputs)
        self._drive(task)

    def _drive(self, task: Task) -> None:
        """Run the coroutine until it waits for something, or ends."""
        coroutine = task.coroutine
        assert coroutine is not None
        while True:
            if task.is_cancelled:
                coroutine.close()
                return
            try:
                wait = coroutine.send(None)
                while not isinstance(wait, Wait):
                    text = f"{task.config.kind}.run can await job.all, job.any and capsules, got {wait!r}"
                    wait = coroutine.throw(TypeError(text))
            except StopIteration as stop:
                task.stop_clock()
                self._finish_composite(task, stop.value)
                return
            except BaseException as error:
                task.stop_clock()
                self._fail(task, error)
                return
            is_suspended, effects = self._scheduler.suspend(task, wait)
            self.carry_out(effects)
            if is_suspended:
                return

    def _finish_composite(self, task: Task, model: object) -> None:
        try:
            check_model(task.config, model)
            assert isinstance(model, Model)
            outputs = {name: self._transit(task, name, value) for name, value in model.outputs.items()}
            results = {label: protected(value) for label, value in model.results.items()}
            record = self._record(task, outputs, {**results, **task.owner.stamps})
        except BaseException as error:
            self._fail(task, error)
        else:
            self._finish(task, record, {})

    def _transit(self, task: Task, name: str, value: Any) -> Items:
        """The items that a composite exhibits as its own: always those of another machine."""
        sources = tuple(value) if isinstance(value, list | tuple) else (value,)
        port = task.config.outputs[name]
        if not all(isinstance(source, Source) for source in sources) or (not port.multi and len(sources) != 1):
            raise TypeError(
                f"{task.config.kind}.{name}: a composite exhibits outputs of other machines, such as child.{name}, "
                f"got {value!r}; compute values in a leaf"
            )
        for source in sources:
            check_fit(source.port, source.context.name, port, task.config.kind, source.is_single)
        items = tuple(item for source in sources for item in source.items())
        if self._is_bound(task):
            self._values.register(items)
        return items if port.multi else items[0]

    # The end of both

    def _record(
        self, task: Task, outputs: dict[str, Items], results: dict[str, Any], failure: Failure | None = None
    ) -> Record:
        inputs = {}
        for name, (multi, items) in task.inputs.items():
            inputs[name] = multi, tuple([item.origin for item in items])
        config = task.config
        return Record(
            task.machine,
            config.kind,
            config.encoding,
            task.owner.seed,
            inputs,
            outputs,
            results,
            failure,
            _census(task) if task.children else None,
            task.started,
            task.wall,
            task.cpu,
            max(0.0, task.pulse - task.queued),
            task.memory,
            VERSION,
            task.worker,
        )

    def _fail(self, task: Task, error: BaseException) -> None:
        if isinstance(error, MachineAborted):  # of a child: what was stopped is not kept
            self.carry_out(self._scheduler.fail(task, error))
            return
        record = self._record(task, {}, {}, failure_of(task.owner, error))
        is_kept = self._records.keeps_failures and not isinstance(error, _SURROUNDINGS)
        self._finish(task, record, {} if is_kept else None)

    def _finish(self, task: Task, record: Record, contents: dict[bytes, bytes] | None) -> None:
        """Put a machine on record (for this process only if there are no contents), and answer its requests."""
        keys, effects = self._scheduler.keys_of(task)
        self.carry_out(effects)
        if keys is None:
            return
        children = [
            Child(child.index, child.name, child.record.machine, _comments(child), child.key)
            for child in task.children
            if child.record is not None
        ]
        self._records.keep([Finished(record, keys, children, contents)])
        if contents:
            self._values.kept(contents)
        self.carry_out(self._scheduler.finish(task, record, len(keys)))


def _comments(child: Context) -> dict[str, Any]:
    return dict(child.comments) if child.comments else _NO_COMMENTS


def failure_of(context: Context, error: BaseException) -> Failure:
    """The failure of a request that an error has ended."""
    if isinstance(error, MachineError):  # of a child: the first cause stays the cause
        return Failure(error.message, error.path, error.key, error.traceback)
    text = "".join(traceback.format_exception(error))
    return Failure(f"{context.path} failed: {type(error).__name__}: {error}", context.path, context.key, text)


def _census(task: Task) -> dict[str, int]:
    """How many machines, by kind, a composite and everything under it are."""
    census = {task.config.kind: 1}
    for child in task.children:
        if child.is_step:
            continue
        kind, name = child.config.kind, child.counted_as
        below = census_of_one(kind) if child.record is None else child.record.census
        if below is not census_of_one(kind):
            for each, number in below.items():
                census[each] = census.get(each, 0) + number
            if name == kind:
                continue
            census[kind] -= 1
            if not census[kind]:
                del census[kind]
        census[name] = census.get(name, 0) + 1  # its own entry goes by the name it has here
    return census


class _TimerThread:
    """Calls the scheduler's `tick` when it is due, on a thread that exists only while timers are set."""

    def __init__(self, scheduler: Scheduler, carry_out: Callable[[Sequence[Effect]], None]) -> None:
        self._scheduler = scheduler
        self._carry_out = carry_out
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def wake(self) -> None:
        with self._changed:
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._serve, name="intemi timer", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)

    def _serve(self) -> None:
        while True:
            with self._changed:
                due = None if self._is_closed else self._scheduler.next_tick()
                if due is None:
                    self._thread = None
                    return
                left = due - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
            self._carry_out(self._scheduler.tick())


class _WatcherThread:
    """Watches the store for the end of machines that other processes run.

    The only place that polls, since no event crosses from one process to the other; it does so only while there is
    something to wait for. A claim ends with its owner, so the machine of a process that died is run here.
    """

    def __init__(self, scheduler: Scheduler, records: Records, carry_out: Callable[[Sequence[Effect]], None]) -> None:
        self._scheduler = scheduler
        self._records = records
        self._carry_out = carry_out
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def wake(self) -> None:
        with self._lock:
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._serve, name="intemi watcher", daemon=True)
                self._thread.start()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)

    def _serve(self) -> None:
        for poll in count(1):
            time.sleep(POLL_SECONDS)
            with self._lock:
                tasks = [] if self._is_closed else self._scheduler.tasks_elsewhere()
                if not tasks:
                    self._thread = None
                    return
            try:
                if self._records.store.changed() or poll % POLLS_BEFORE_RECLAIM == 0:
                    for task in tasks:
                        answer = self._records.claim(task.machine, task.keys)
                        if answer is not Claim.BUSY:
                            record = answer if isinstance(answer, Record) else None
                            self._carry_out(self._scheduler.released(task, record))
            except Exception as error:  # the store cannot be used: no waiter must hang
                for task in tasks:
                    context = task.owner
                    failure = MachineFailed(f"{context.path} failed: {error}", context.path, context.key)
                    self._carry_out(self._scheduler.fail(task, failure))
