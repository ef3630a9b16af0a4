"""The runner: from a task whose turn it is to a machine on record. Leaves go to the manager, composites are driven.

Everything here happens on a worker's thread and, but for single steps, without the line's lock: machines, values and
the store may take their time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from intemi.kernel.composite import Job, Wait, run_composite
from intemi.kernel.context import Source, Task
from intemi.kernel.errors import IncompleteError, MachineAborted, NotEnoughMemory, WorkerEnded
from intemi.kernel.events import STARTED
from intemi.kernel.finishing import Done, Finisher, failure_of
from intemi.kernel.machine import Model
from intemi.kernel.managers import Call, Stopped, TaskManager
from intemi.kernel.ports import check_fit
from intemi.kernel.protection import protected
from intemi.kernel.record import Failure, Items, Record, census_of_one
from intemi.kernel.seeds import Seed
from intemi.kernel.shipped import VERSION
from intemi.kernel.store import BUSY, MINE
from intemi.kernel.values import accepted, check_model

if TYPE_CHECKING:
    from intemi.kernel.dispatch import Outcome
    from intemi.kernel.line import AssemblyLine
    from intemi.kernel.slots import Slots

_SURROUNDINGS = (WorkerEnded, IncompleteError, NotEnoughMemory)
"""Errors that say nothing of the machine, so that they are not kept."""


class Runner:
    """Runs tasks on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._unifier = line.unifier
        self._values = line.values
        self._load = line.values.load
        self._check_usage = line.stopper.check_usage
        self.finisher = Finisher(line)

    def go_on(self, task: Task) -> None:
        """Run a composite on from where it waits."""
        try:
            self._drive(task)
        except BaseException as error:  # the store cannot be used, say: no waiter must hang
            with self._line.step():
                self.finisher.fail(task, error)

    def perform(self, task: Task, manager: Slots) -> None:
        """Run a task, or run a composite on from where it waits."""
        try:
            if task.is_composite:
                self._perform_composite(task, manager)
            elif self._start(task, manager):
                self._run_leaf(task, manager)
        except BaseException as error:  # the store cannot be used, or warnings are errors: no waiter must hang
            with self._line.step():
                self.finisher.fail(task, error)

    def begin(self, task: Task, manager: TaskManager) -> Call | None:
        """Begin a task: a composite is run, or run on, and the call of a leaf is given back, to be delivered later."""
        try:
            if task.is_composite:
                self._perform_composite(task, manager)
            elif self._start(task, manager):
                return self._call(task)
        except BaseException as error:  # as in `perform`
            with self._line.step():
                self.finisher.fail(task, error)
        return None

    def deliver(self, outcomes: Sequence[tuple[Task, Outcome]]) -> None:
        """Put leaves that were begun on record, with what has come of them."""
        try:
            done = []
            for task, outcome in outcomes:
                task.stop_clock()
                if isinstance(outcome.answer, Stopped):
                    self._stopped(task)
                else:
                    done.append(self._delivered(task, outcome))
            self.finisher.finish(done)
        except BaseException as error:  # as in `perform`
            with self._line.step():
                for task, outcome in outcomes:
                    if not isinstance(outcome.answer, Stopped):  # those are queued, or run elsewhere
                        self.finisher.fail(task, error)

    def _delivered(self, task: Task, outcome: Outcome) -> Done:
        answer, wall, task.cpu, since, task.worker = outcome[1:]
        begun = max(0.0, task.wall - wall - since)  # how much later than expected it was its turn
        task.wall, task.pulse, task.started = wall, task.pulse + begun, task.started + begun
        if isinstance(answer, BaseException):
            return self._failed(task, answer)
        try:
            model = accepted(task.config, answer)
        except BaseException as error:
            return self._failed(task, error)
        return self._finished(task, model)

    def _perform_composite(self, task: Task, manager: TaskManager) -> None:
        if task.coroutine is not None:
            self._drive(task)
        elif self._start(task, manager):
            self._open(task)

    def _start(self, task: Task, manager: TaskManager) -> bool:
        """Claim a machine; whether it is to be run here."""
        answer = self._unifier.claim(task)
        task.claimed = answer is MINE
        with self._line.step():
            if not task.contexts:
                self._line.stopper.give_up(task)
            elif isinstance(answer, Record):
                self._line.end(task, answer, None, unified=True)
            elif answer is BUSY:
                self._line.watcher.add(task)
            else:
                task.manager = manager
                self._line.events.emit(STARTED, task.owner)
                if self._line.has_limits:
                    for context in task.contexts:
                        self._line.stopper.arm(context, task)
                return True
        return False

    # Leaves

    def _call(self, task: Task) -> Call:
        """The call of a leaf that begins now."""
        task.start()
        report = partial(self._check_usage, task) if task.is_watched else None
        return Call(task.machine, task.config, task.owner.seed, task.inputs, self._load, report)

    def _run_leaf(self, task: Task, manager: Slots) -> None:
        call = self._call(task)
        try:
            model, task.cpu = manager.run(task, call)
            model = accepted(task.config, model)
        except Stopped:
            self._stopped(task)
        except BaseException as error:  # whatever a machine raises is its failure, not ours
            self._fail(task, error)
        else:
            task.stop_clock()
            self.finisher.finish([self._finished(task, model)])

    def _finished(self, task: Task, model: Model) -> Done:
        try:
            durable = self._unifier.store.durable
            outputs, contents = self._values.take(task.machine, task.config, model, durable, self._is_bound(task))
            return task, self._record(task, outputs, {**model.results, **task.owner.stamps}), contents
        except BaseException as error:  # what cannot be kept is the machine's failure, not ours
            return self._failed(task, error)

    def _is_bound(self, task: Task) -> bool:
        """Whether something waits for the outputs, so that the digests of their contents will be needed."""
        if self._unifier.level == 2:
            for context in task.contexts:
                if context.dependants:
                    return True
        return False

    def _stopped(self, task: Task) -> None:
        """A leaf was ended from outside, or not begun: if a request still needs it, it is queued again."""
        with self._line.step():
            if task.contexts:
                task.manager = None
                self._line.queue(task)
            else:
                self._line.stopper.give_up(task)

    # Composites

    def _open(self, task: Task) -> None:
        ports = task.config.inputs
        with self._line.step():  # an owner that is aborted loses its sources
            sources = task.owner.sources
        inputs: dict[str, Any] = {name: bound if ports[name].multi else bound[0] for name, bound in sources.items()}
        if task.config.takes_rng:
            inputs["rng"] = task.config.generator(task.owner.seed or Seed(0))
        task.start()
        task.coroutine = run_composite(task, Job(self._line, task), inputs)
        self._drive(task)

    def _drive(self, task: Task) -> None:
        """Run the coroutine until it waits for something, or ends."""
        coroutine = task.coroutine
        assert coroutine is not None
        while True:
            if not task.contexts:
                coroutine.close()
                return
            try:
                wait = coroutine.send(None)
                while not isinstance(wait, Wait):
                    text = f"{task.config.kind}.run can await job.all, job.any and capsules, got {wait!r}"
                    wait = coroutine.throw(TypeError(text))
            except StopIteration as stop:
                self._finish_composite(task, stop.value)
                return
            except BaseException as error:
                self._fail(task, error)
                return
            if self._line.suspend(task, wait):
                return

    def _finish_composite(self, task: Task, model: object) -> None:
        task.stop_clock()
        try:
            check_model(task.config, model)
            assert isinstance(model, Model)
            outputs = {name: self._transit(task, name, value) for name, value in model.outputs.items()}
            results = {label: protected(value) for label, value in model.results.items()}
            record = self._record(task, outputs, {**results, **task.owner.stamps})
        except BaseException as error:
            self._fail(task, error)
            return
        self.finisher.finish([(task, record, {})])

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
            with self._line.step():
                self._line.stopper.release_claim(task)
                self._line.end(task, None, error)
            return
        task.stop_clock()
        self.finisher.finish([self._failed(task, error)])

    def _failed(self, task: Task, error: BaseException) -> Done:
        record = self._record(task, {}, {}, failure_of(task, error))
        keep = self._unifier.keeps_failures and not isinstance(error, _SURROUNDINGS)
        return task, record, {} if keep else None


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
