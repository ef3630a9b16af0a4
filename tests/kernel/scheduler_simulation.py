"""Simulation of the scheduler: seeded random interleavings with fake workers, a fake store and a fake clock.

Nothing here has threads. An *actor* (a caller, a worker, the timer, the watcher) is a list of effects that it has not
carried out yet, and what it does next; the seed decides whose turn it is. After every step the invariants are checked:

- a machine never runs twice at once, and no context or wait is answered twice;
- the task that a worker takes is the first of those that are queued;
- what fails because of its inputs fails with the first failure in the order of its ports;
- values are held in memory exactly while a task needs them, claims while a machine may run.

When nothing can move any more, every request must be answered, every wait be over, and the scheduler be empty. A seed
that fails is repeated exactly by `python -m tests.kernel.scheduler_simulation --seed N`.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from intemi.kernel import Limits, Machine, Model, MultiInput, Output
from intemi.kernel.errors import MachineAborted, MachineError, MachineFailed
from intemi.kernel.events import EventKind
from intemi.kernel.record import Failure, Item, Record
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
from intemi.kernel.task import DONE, ELSEWHERE, QUEUED, RUNNING, STARTING, Context, Source, Task, Wait

ENDS = (EventKind.FINISHED, EventKind.UNIFIED, EventKind.FAILED, EventKind.ABORTED)
MAX_STEPS = 3000
"""A schedule that is not over by then is taken for a live-lock."""


class Leaf(Machine):
    """A leaf of the simulation; it is never really run."""

    numbers = MultiInput(int)
    value = Output(int)
    serial: int = 0

    def run(self, numbers: tuple[int, ...]) -> Model:
        raise NotImplementedError


class Composite(Machine):
    """A composite of the simulation; its process is `Spec.children`."""

    numbers = MultiInput(int)
    serial: int = 0

    async def run(self, job: Any, numbers: tuple[int, ...]) -> Model:
        raise NotImplementedError


LEAVES = [Leaf(serial=number) for number in range(12)]
COMPOSITES = [Composite(serial=number) for number in range(12)]


class Spec(NamedTuple):
    """A machine of the simulated world: whatever requests it, it is the same."""

    key: bytes
    machine: bytes
    """Two keys may lead to one machine."""
    config: Machine
    inputs: tuple[int, ...]
    """The specs whose outputs it is bound to."""
    children: tuple[int, ...]
    fails: bool


class InvariantBroken(AssertionError):
    """The scheduler has done what it must not do."""


class Actor:
    """Something that moves by itself: a queue of effects, and a generator of what it does between them."""

    def __init__(self, name: str, moves: Iterator[None] | None = None) -> None:
        self.name = name
        self.moves = moves
        self.effects: deque[Effect] = deque()


class Worker(Actor):
    """A fake worker."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.token: Any = None
        self.task: Task | None = None


class Simulation:
    """One schedule."""

    def __init__(self, seed: int, scheduler_class: type[Scheduler] = Scheduler) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.scheduler = scheduler_class(level=2, clock=lambda: self.now)
        self.specs = self._world()
        self.records: dict[bytes, Record] = {}
        """The fake store."""
        self.claimed: Counter[bytes] = Counter()
        """Machines that this process has claimed, and how often, as `Records` counts them."""
        self.claimed_elsewhere: set[bytes] = set()
        self.held: Counter[tuple[bytes, str, int]] = Counter()
        self.running: dict[bytes, Task] = {}
        """Leaves that run, by their machines."""
        self.stopped: set[Task] = set()
        """Leaves that were told to stop."""
        self.requested: list[tuple[int, Context, Task | None]] = []
        self.waits: dict[Wait, int] = {}
        self.given_up: set[Wait] = set()
        self.providers: dict[Context, list[Context]] = {}
        self.drivers: list[Actor] = []
        self.coroutines: dict[Task, Iterator[Wait]] = {}
        self.steps = 0
        self.is_watching = False
        self.ended: Counter[int] = Counter()
        self.workers = [Worker(f"worker {number}") for number in range(self.random.choice((1, 1, 2, 3)))]
        self.carry_out(Actor("main"), self.scheduler.set_managers(1, self.random.random() < 0.5))
        self.callers = [Actor(f"caller {number}", self._calls()) for number in range(self.random.choice((1, 1, 2)))]
        self.timer = Actor("timer")
        self.watcher = Actor("watcher")

    def _world(self) -> list[Spec]:
        """A random acyclic world: inputs and children of a spec come before it."""
        number = self.random.randint(3, 9)
        specs: list[Spec] = []
        for index in range(number):
            is_composite = index >= 2 and self.random.random() < 0.35
            leaves = [each for each, spec in enumerate(specs) if not spec.children]
            inputs = tuple(self.random.sample(leaves, min(len(leaves), self.random.choice((0, 0, 1, 2)))))
            children = tuple(self.random.choices(range(index), k=self.random.randint(1, 4))) if is_composite else ()
            machine = b"machine %d" % index
            twins = [each for each in specs if not each.children]
            if not is_composite and twins and inputs and self.random.random() < 0.4:
                machine = self.random.choice(twins).machine
            fails = self.random.random() < 0.12
            fails = next((each.fails for each in specs if each.machine == machine), fails)
            config = (COMPOSITES if is_composite else LEAVES)[index]
            specs.append(Spec(b"key %d" % index, machine, config, inputs, children, fails))
        return specs

    # Steps

    def run(self) -> Simulation:
        """Move actors at random until nothing can move any more."""
        while self.steps < MAX_STEPS:
            movable = list(self._movable())
            if not movable:
                self._advance_clock()
                movable = list(self._movable())
                if not movable:
                    break
            self.random.choice(movable)()
            self.steps += 1
            self._check()
        else:
            raise InvariantBroken(f"not over after {MAX_STEPS} steps")
        self._check_end()
        return self

    def _movable(self) -> Iterator[Callable[[], None]]:
        for actor in (*self.callers, *self.workers, *self.drivers, self.timer, self.watcher):
            if actor.effects:
                yield partial(self._carry_out_one, actor)
            elif isinstance(actor, Worker):
                if actor.moves is not None or actor.token is None or not actor.token.locked():
                    yield partial(self._work, actor)
            elif actor.moves is not None:
                yield partial(self._move, actor)
        due = self.scheduler.next_tick()
        if due is not None and due <= self.now and not self.timer.effects:
            yield lambda: self.carry_out(self.timer, self.scheduler.tick())
        if self.is_watching and not self.watcher.effects:
            yield self._watch
        if self.random.random() < 0.1:
            yield self._advance_clock

    def _advance_clock(self) -> None:
        due = self.scheduler.next_tick()
        if due is not None:
            self.now = max(self.now, due)
        self.now += self.random.random()

    def _move(self, actor: Actor) -> None:
        assert actor.moves is not None
        try:
            next(actor.moves)
        except StopIteration:
            actor.moves = None
            if actor in self.drivers and not actor.effects:
                self.drivers.remove(actor)

    def carry_out(self, actor: Actor, effects: Iterable[Effect]) -> None:
        """Let an actor carry out effects, one at a time, when it is its turn."""
        actor.effects.extend(effects)

    def _carry_out_one(self, actor: Actor) -> None:
        if self.random.random() < 0.02:  # an interrupt
            self.scheduler.give_back(actor.effects)
            actor.effects.clear()
            return
        effect = actor.effects.popleft()
        match effect:
            case Resolve(task, context, epoch):
                resolution = self._resolution(context)
                if resolution is not None:
                    self.carry_out(actor, self.scheduler.resolved(task, epoch, resolution))
            case Stop(task, _):
                self.stopped.add(task)
            case Release(machine):
                self.claimed[machine] -= machine in self.claimed
                self.claimed += Counter()
                if machine in self.running and machine not in self.claimed:
                    raise InvariantBroken(f"the claim on {machine!r} was given back while it runs")
            case AddKey(key, record):
                self.scheduler.records[key] = record
            case Unhold(origins):
                self.held.subtract(origins)
            case Notify(call):
                call()
            case Drive(task):
                driver = Actor("driver")
                driver.moves = self._drive(task, driver)
                self.drivers.append(driver)
            case Watch():
                self.is_watching = True
            case SetTimer():
                pass

    # Callers

    def _calls(self) -> Iterator[None]:
        """What a user's program does: requests, waits, aborts, early ends."""
        mine: list[Context] = []
        for _ in range(self.random.randint(2, 7)):
            chance = self.random.random()
            if chance < 0.62 or not mine:
                limits = None
                if self.random.random() < 0.15:
                    limits = Limits(wall=self.random.choice((0.5, 3.0)))
                mine.append(self._request(self.random.randrange(len(self.specs)), None, limits))
            elif chance < 0.72:
                self._observe(self.random.sample(mine, self.random.randint(1, len(mine))))
            elif chance < 0.76:
                open_waits = [wait for wait, calls in self.waits.items() if not calls and wait not in self.given_up]
                if open_waits:
                    wait = self.random.choice(open_waits)
                    self.scheduler.unobserve(wait)
                    if not self.waits[wait]:
                        self.given_up.add(wait)
            elif chance < 0.9:
                self._later(self.scheduler.abort(self.random.choice(mine)))
            elif chance < 0.93:
                self._later(self.scheduler.abort_all())
            else:
                task = self.random.choice(mine).task
                if task is not None and task.is_composite:
                    self._later(self.scheduler.end_early(task))
            yield
        if self.random.random() < 0.1:
            self._later(self.scheduler.close())

    def _later(self, effects: Iterable[Effect]) -> None:
        """Effects of a caller, carried out by whichever caller or worker is chosen."""
        self.carry_out(self.random.choice([*self.callers, *self.workers]), effects)

    def _observe(self, contexts: list[Context]) -> None:
        wait = Wait(contexts, first=self.random.random() < 0.3)

        def notify() -> None:
            self.waits[wait] += 1
            if self.waits[wait] > 1:
                raise InvariantBroken("a wait was ended twice")

        wait.notify = notify
        if self.scheduler.observe(wait):
            self.waits[wait] = 0

    def _request(self, index: int, parent: Task | None, limits: Limits | None = None, priority: int = 0) -> Context:
        spec = self.specs[index]
        providers = [self._provider(each, parent) for each in spec.inputs]
        port = Leaf.value.called("value")
        sources = {"numbers": tuple(Source(provider, port) for provider in providers)}
        owner = None if parent is None else parent.owner
        context = Context(spec.config, sources, None, spec.key, owner, f"{index}", limits)
        self.providers[context] = providers
        record = self.scheduler.records.get(spec.key) if self.random.random() < 0.5 else None
        resolution = None
        if record is None and self.random.random() < 0.5:
            resolution = self._resolution(context)
        self.requested.append((index, context, parent))
        try:
            self._later(self.scheduler.submit(context, parent, priority, record, resolution))
        except MachineError:
            if parent is None or not parent.is_cancelled:
                raise
            self.requested.pop()
            raise
        except Exception:
            if not self.scheduler.is_closed:
                raise
            self.requested.pop()
        return context

    def _provider(self, index: int, parent: Task | None) -> Context:
        """A request for an input, of the same parent; often one that was made before."""
        known = [
            each for number, each, above in self.requested if number == index and above is parent and each.number >= 0
        ]
        if known and self.random.random() < 0.7:
            return self.random.choice(known)
        return self._request(index, parent)

    def _resolution(self, context: Context) -> Resolution | None:
        inputs = context.resolved()
        if inputs is None:
            return None
        spec = next(each for each in self.specs if each.key == context.key)
        if not context.sources and spec.inputs:  # it was aborted
            return Resolution(inputs, spec.machine)
        held = [item.origin for _, items in inputs.values() for item in items]
        self.held.update(held)
        record = self.records.get(spec.machine) if self.random.random() < 0.5 else None
        return Resolution(inputs, spec.machine, record, held)

    # Workers

    def _work(self, worker: Worker) -> None:
        if worker.moves is not None:
            self._move(worker)
            return
        worker.token = None
        taken = self.scheduler.take(isolates=True, wakes=self.scheduler.wakes)
        if isinstance(taken, list):
            self.carry_out(worker, taken)
        elif isinstance(taken, Task):
            if taken.phase is STARTING:
                self._check_order(taken)
            worker.moves = self._perform(taken, worker)
        else:
            worker.token = taken

    def _perform(self, task: Task, actor: Actor) -> Iterator[None]:
        if task in self.coroutines or task.phase is DONE:
            yield from self._drive(task, actor)
            return
        yield
        if not task.is_claimed:
            record = self.records.get(task.machine)
            if record is None and task.machine in self.claimed_elsewhere:
                self.carry_out(actor, self.scheduler.elsewhere(task))
                return
            if record is None and self.random.random() < 0.08:
                self.claimed_elsewhere.add(task.machine)
                self.carry_out(actor, self.scheduler.elsewhere(task))
                return
            if record is not None:
                self.carry_out(actor, self.scheduler.finish(task, record, is_unified=True))
                return
            if self.random.random() < 0.02:  # the store cannot be used
                self.carry_out(actor, self.scheduler.fail(task, MachineFailed("store", "", b"")))
                return
            self.claimed[task.machine] += 1
        is_started, effects = self.scheduler.start(task, "manager")
        self.carry_out(actor, effects)
        if not is_started:
            return
        if task.is_composite:
            self.coroutines[task] = self._children_of(task)
            yield from self._drive(task, actor)
        else:
            yield from self._run_leaf(task, actor)

    def _run_leaf(self, task: Task, actor: Actor) -> Iterator[None]:
        if task.machine in self.running:
            raise InvariantBroken(f"{task.machine!r} runs twice at once")
        self.running[task.machine] = task
        for _ in range(self.random.randint(0, 4)):
            yield
            if self.random.random() < 0.1:
                self.carry_out(actor, self.scheduler.usage(task, 0.1, 0))
            if task in self.stopped and self.random.random() < 0.7:
                del self.running[task.machine]
                self.stopped.discard(task)
                self.carry_out(actor, self.scheduler.stopped(task))
                return
        if self.random.random() < 0.03:  # the worker was lost
            del self.running[task.machine]
            self.carry_out(actor, self.scheduler.stopped(task))
            return
        del self.running[task.machine]
        self.stopped.discard(task)
        yield from self._finish(task, actor)

    def _finish(self, task: Task, actor: Actor) -> Iterator[None]:
        index = int(task.config.serial)  # type: ignore[attr-defined]
        spec = self.specs[index]
        keys, effects = self.scheduler.keys_of(task)
        self.carry_out(actor, effects)
        yield
        if keys is None:
            return
        if self.random.random() < 0.02:
            self.carry_out(actor, self.scheduler.fail(task, MachineFailed("the disk is full", "", b"")))
            return
        failure = Failure(f"{task.machine!r}", task.owner.path, task.owner.key, "") if spec.fails else None
        outputs: dict[str, Any] = {} if task.is_composite or spec.fails else {"value": Item(task.machine, "value")}
        record = Record(task.machine, task.config.kind, b"", None, {}, outputs, failure=failure)
        self.records[task.machine] = record
        self.claimed.pop(task.machine, None)
        yield
        self.carry_out(actor, self.scheduler.finish(task, record, len(keys)))

    def _children_of(self, task: Task) -> Iterator[Wait]:
        """The process of a composite: it requests children and waits for them, in one of several ways."""
        spec = self.specs[int(task.config.serial)]  # type: ignore[attr-defined]
        open_children: list[Context] = []
        for index in spec.children:
            open_children.append(self._request(index, task, priority=self.random.choice((0, 0, 1))))
            if self.random.random() < 0.3:
                timeout = self.random.choice((None, 0.5))
                yield Wait(open_children, first=True, raises=False, timeout=timeout, ends_early=True)
        yield Wait(list(task.children), raises=False)
        for context in list(task.children):
            if context.error is not None and self.random.random() < 0.7:
                raise context.error

    def _drive(self, task: Task, actor: Any) -> Iterator[None]:
        coroutine = self.coroutines[task]
        while True:
            if task.is_cancelled:
                coroutine.close()  # type: ignore[attr-defined]
                return
            try:
                wait = next(coroutine)
            except StopIteration:
                yield from self._finish(task, actor)
                return
            except MachineError as error:
                if isinstance(error, MachineAborted):
                    self.carry_out(actor, self.scheduler.fail(task, error))
                else:
                    yield from self._fail(task, actor, error)
                return
            except Exception:
                if not self.scheduler.is_closed:
                    raise
                self.carry_out(actor, self.scheduler.fail(task, MachineFailed("closed", "", b"")))
                return
            yield
            is_suspended, effects = self.scheduler.suspend(task, wait)
            self.carry_out(actor, effects)
            if is_suspended:
                return

    def _fail(self, task: Task, actor: Actor, error: MachineError) -> Iterator[None]:
        keys, effects = self.scheduler.keys_of(task)
        self.carry_out(actor, effects)
        yield
        if keys is not None:
            failure = Failure(error.message, error.path, error.key, "")
            record = Record(task.machine, task.config.kind, b"", None, {}, failure=failure)
            self.records[task.machine] = record
            self.claimed.pop(task.machine, None)
            self.carry_out(actor, self.scheduler.finish(task, record, len(keys)))

    # Another process

    def _watch(self) -> None:
        tasks = self.scheduler.tasks_elsewhere()
        if not tasks:
            self.is_watching = False
            return
        task = self.random.choice(tasks)
        machine = task.machine
        chance = self.random.random()
        if chance < 0.4:  # it goes on
            return
        self.claimed_elsewhere.discard(machine)
        record = self.records.get(machine)
        if record is None and chance < 0.7:  # the other process finishes it
            spec = self.specs[int(task.config.serial)]  # type: ignore[attr-defined]
            failure = Failure(f"{machine!r}", "elsewhere", b"", "") if spec.fails else None
            outputs: dict[str, Any] = {} if task.is_composite or failure else {"value": Item(machine, "value")}
            record = self.records[machine] = Record(machine, task.config.kind, b"", None, {}, outputs, failure=failure)
        if record is None:
            self.claimed[machine] += 1
        self.carry_out(self.watcher, self.scheduler.released(task, record))

    # Invariants

    def _check(self) -> None:
        while self.scheduler.events:
            kind, context, *_ = self.scheduler.events.popleft()
            if kind in ENDS:
                self.ended[context.number] += 1
                if self.ended[context.number] > 1:
                    raise InvariantBroken(f"{context.path} was answered twice")
                if not context.is_done:
                    raise InvariantBroken(f"{context.path} was answered, and is {context.state}")
                if kind is EventKind.FAILED:
                    self._check_first_failure(context)
        for task in set(self.scheduler._by_key.values()):
            if task.phase is DONE:
                raise InvariantBroken(f"{task.owner.path} is done, and still known")
            if task.phase is RUNNING and not task.is_composite and not task.is_claimed:
                raise InvariantBroken(f"{task.owner.path} runs without a claim")
            for context in task.contexts:
                if context.task is not task or context.is_done:
                    raise InvariantBroken(f"{context.path} is not a context of its task")
        if self.held and min(self.held.values()) < 0:
            raise InvariantBroken("a value was released more often than it was held")

    def _check_order(self, task: Task) -> None:
        """The task that is taken is the first of those that are queued."""
        queued = [each for each in set(self.scheduler._by_key.values()) if each.phase is QUEUED]
        if any(each.position < task.position for each in queued):
            raise InvariantBroken(f"{task.position} was taken before {min(each.position for each in queued)}")

    def _check_first_failure(self, context: Context) -> None:
        """What fails because of its inputs has the error of the first of them, in the order of its ports."""
        # Those that are on record: errors of the surroundings strike one request and not another for the same machine.
        errors = [each.error for each in self.providers[context] if each.error is not None and each.record is not None]
        if any(error is context.error for error in errors) and errors[0] is not context.error:
            raise InvariantBroken(f"{context.path} failed with another error than that of its first failed input")

    def _check_end(self) -> None:
        for index, context, _ in self.requested:
            if context.number < 0:
                continue
            if not context.is_done:
                raise InvariantBroken(f"{context.path} (spec {index}) was never answered: {context.status}")
            if self.ended[context.number] != 1:
                raise InvariantBroken(f"{context.path} has {self.ended[context.number]} ends")
        for wait, calls in self.waits.items():
            if not calls and wait not in self.given_up:
                raise InvariantBroken("a wait was never ended")
        sizes = {place: number for place, number in self.scheduler.sizes().items() if place != "idle" and number}
        if sizes:
            raise InvariantBroken(f"left behind: {sizes}")
        if +self.held:
            raise InvariantBroken(f"still held: {+self.held}")
        if self.claimed:
            raise InvariantBroken(f"still claimed: {self.claimed}")
        for _, context, _ in self.requested:
            if context.observers or context.dependants:
                raise InvariantBroken(f"{context.path} is still observed")
        if any(task.phase is ELSEWHERE for task in self.scheduler.tasks_elsewhere()):
            raise InvariantBroken("a task still waits for another process")


def simulate(seeds: Iterable[int], scheduler_class: type[Scheduler] = Scheduler) -> tuple[int, int]:
    """Run a schedule for each seed: how many, and how many steps they took. Raises with the seed that fails."""
    schedules = steps = 0
    for seed in seeds:
        try:
            steps += Simulation(seed, scheduler_class).run().steps
        except Exception as error:
            raise InvariantBroken(f"seed {seed}: {error}") from error
        schedules += 1
    return schedules, steps


def main() -> None:
    """Print a table of seeds and steps."""
    parser = argparse.ArgumentParser(description=simulate.__doc__)
    parser.add_argument("--seed", type=int, help="repeat one schedule")
    parser.add_argument("--seeds", type=int, default=20_000, help="how many schedules")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    if given.seed is not None:
        print(Simulation(given.seed).run().steps, "steps")
        return
    print(f"{'seeds':>19} {'schedules':>10} {'steps':>12} {'seconds':>8}")
    part = max(1, given.seeds // 10)
    for first in range(given.first, given.first + given.seeds, part):
        began = time.perf_counter()
        schedules, steps = simulate(range(first, first + part))
        seconds = time.perf_counter() - began
        print(f"{first:>9} - {first + part - 1:>7} {schedules:>10,} {steps:>12,} {seconds:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
