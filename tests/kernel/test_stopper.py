from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from intemi import Threads
from intemi.kernel import (
    Capsule,
    Event,
    EventKind,
    Input,
    Job,
    LimitExceeded,
    Limits,
    Machine,
    MachineAborted,
    MachineError,
    Model,
    Output,
    Project,
    State,
    parameter,
)
from intemi.kernel.task import tasks_above
from tests.machines import Add, Chain, Draw, Log, Number, Pass, Scale, Sleep, gate

PATIENCE = 60.0


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=Threads(2)) as project:  # gates are of this process
        yield project


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a gate of this test's own, which is open when the test is over."""
    name = request.node.nodeid
    yield name
    gate(name).opened.set()


def running(project: Project, gate_name: str, value: int = 0, **options: Any) -> Capsule:
    """A machine that is running, until its gate is opened."""
    capsule = project.request(Pass(gate_name, value), **options)
    assert gate(gate_name).reached.wait(PATIENCE)
    return capsule


def expect_abort(capsule: Capsule, message: str = "was aborted") -> None:
    with pytest.raises(MachineAborted, match=message):
        capsule.wait(PATIENCE)
    assert capsule.state is State.ABORTED


def wait_until(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never happens"
        time.sleep(0.002)


def expect_nothing_left(project: Project) -> None:
    """Nothing is queued, running, known to be on its way, or held in memory."""
    engine = project._engine
    wait_until(lambda: not any(number for place, number in engine.scheduler.sizes().items() if place != "idle"))
    wait_until(lambda: not engine.memory._held)
    assert project.request(Number(-1)).wait(PATIENCE).outputs["result"] == -1


# One request


def test_what_is_waiting_queued_or_running_is_aborted(name: str) -> None:
    with Project(workers=1) as project:
        first = running(project, name)
        queued = project.request(Number(1))
        waiting = project.request(Add(), left=first.result, right=queued.result)
        assert (first.state, queued.state, waiting.state) == (State.RUNNING, State.QUEUED, State.WAITING)
        for capsule in (waiting, queued, first):
            capsule.abort()
            expect_abort(capsule)
        gate(name).opened.set()
        expect_nothing_left(project)
        assert project.counts().physical["Number"] == 1, "only the one after everything else"


def test_what_is_done_cannot_be_aborted(project: Project) -> None:
    capsule = project.run(Number(1))
    capsule.abort()
    assert capsule.wait().outputs["result"] == 1


def test_aborting_twice_is_aborting(project: Project, name: str) -> None:
    capsule = running(project, name)
    capsule.abort()
    capsule.abort()
    expect_abort(capsule)


def test_the_error_names_what_was_aborted_first(project: Project, name: str) -> None:
    first = running(project, name, name="the first")
    second = project.request(Scale(), number=first.result)
    third = project.request(Scale(), number=second.result)
    first.abort()
    expect_abort(third, "the first was aborted")
    assert third.error is not None
    assert (third.error.path, third.error.key) == ("the first", first.key)


def test_what_was_aborted_can_be_asked_for_again(project: Project, name: str) -> None:
    running(project, name, 3).abort()
    again = project.request(Pass(name, 3))
    gate(name).opened.set()
    assert again.wait(PATIENCE).outputs["result"] == 3
    expect_nothing_left(project)


def test_a_long_chain_is_aborted_at_its_beginning(project: Project, name: str) -> None:
    first = running(project, name)
    last: Any = first
    for _ in range(3000):
        last = project.request(Scale(), number=last.result)
    first.abort()
    expect_abort(last)
    gate(name).opened.set()
    expect_nothing_left(project)


def test_a_listener_may_abort(project: Project, name: str) -> None:
    def abort_what_starts(event: Event) -> None:
        if event.kind is EventKind.STARTED and event.name == "doomed":
            doomed.abort()

    project.listen(abort_what_starts)
    blocker = running(project, name)
    doomed = project.request(Sleep(0.01, 5), name="doomed")
    expect_abort(doomed)
    gate(name).opened.set()
    blocker.wait(PATIENCE)
    expect_nothing_left(project)


def test_a_listener_may_abort_while_an_input_is_just_ready(project: Project) -> None:
    left, right = (project.request(Pass(f"just ready, {side}", 1)) for side in ("left", "right"))
    first, second = (project.request(Add(), left=left.result, right=right.result) for _ in range(2))

    def abort_first(event: Event) -> None:
        if event.kind is EventKind.FINISHED and event.number == left.context.number:
            first.abort()

    project.listen(abort_first)
    gate("just ready, left").opened.set()
    left.wait(PATIENCE)
    assert second.state is State.WAITING, "the other input is not ready"
    gate("just ready, right").opened.set()
    assert second.wait(PATIENCE).outputs["result"] == 2


# Several requests for one machine


def test_the_next_in_line_takes_over_whatever_the_state(name: str) -> None:
    with Project(workers=1) as project:
        log = Log(project)
        first, second = running(project, name, 1), project.request(Pass(name, 1), name="second")
        queued = [project.request(Number(2)) for _ in range(2)]
        waiting = [project.request(Add(), left=first.result, right=queued[1].result) for _ in range(2)]
        for capsule in (waiting[0], queued[0]):
            capsule.abort()
        gate(name).opened.set()
        assert waiting[1].wait(PATIENCE).outputs["result"] == 3
        first.abort()
        assert second.wait(PATIENCE).outputs["result"] == 1
        assert len(log.started) == 3
        expect_nothing_left(project)


def test_dependants_of_the_others_are_served(project: Project, name: str) -> None:
    sources = [running(project, name, 1), *(project.request(Pass(name, 1)) for _ in range(9))]
    dependants = [project.request(Scale(), number=source.result) for source in sources]
    for source in sources[:9:2]:
        source.abort()
    expect_abort(dependants[0])
    gate(name).opened.set()
    for source, dependant in zip(sources[1::2], dependants[1::2], strict=True):
        assert source.wait(PATIENCE).outputs["result"] == 1
        assert dependant.wait(PATIENCE).outputs["result"] == 2
    expect_nothing_left(project)


def test_thousands_that_wait_for_the_same_can_be_aborted_one_by_one_or_at_once(project: Project, name: str) -> None:
    source = running(project, name)
    sources = [project.request(Pass(name)) for _ in range(2000)]
    dependants = [project.request(Scale(), number=each.result) for each in sources]
    for each in sources:
        each.abort()
    expect_abort(dependants[0])
    assert all(each.done for each in dependants)
    survivor = project.request(Scale(), number=source.result)
    gate(name).opened.set()
    assert survivor.wait(PATIENCE).outputs["result"] == 0
    expect_nothing_left(project)


class Twins(Machine):
    """Requests everything twice: first all sources, then all that depend on them."""

    gate: str
    count: int = 500

    async def run(self, job: Job) -> Model:
        sources = [job.request(Pass(self.gate)) for _ in range(self.count)]
        for source in sources:
            job.request(Scale(), number=source.result)
        return Model()


def test_a_branch_full_of_equal_requests_is_aborted_as_a_whole(project: Project, name: str) -> None:
    twins = project.request(Twins(name))
    assert gate(name).reached.wait(PATIENCE)
    wait_until(lambda: len(twins.children) == 1000)
    children = twins.children
    twins.abort()
    assert all(child.state is State.ABORTED for child in children)
    gate(name).opened.set()
    expect_nothing_left(project)


def test_held_memory_is_given_back(project: Project, name: str) -> None:
    with Project(workers=1) as project:
        running(project, name)
        inputs = [project.given(number) for number in range(10)]
        queued = [project.request(Add(), left=left, right=inputs[0]) for left in inputs]
        joined = [project.request(Add(), left=left, right=inputs[0]) for left in inputs]
        assert project._engine.memory._held
        for capsule in (*queued, *joined):
            capsule.abort()
        gate(name).opened.set()
        expect_nothing_left(project)


# Composites


class Gated(Machine):
    """Adds to a number what comes through a gate, and then goes on."""

    number = Input(int)
    result = Output(int)
    gate: str
    steps: int = 3

    async def run(self, job: Job, number: Any) -> Model:
        passed = job.request(Pass(self.gate, 10), name="gate")
        quick = job.request(Number(7), name="quick")
        await passed
        total = job.request(Add(), left=number, right=passed.result, name="total")
        chain = job.request(Chain(self.steps), number=total.result, name="chain")
        await job.all(quick, chain)
        return Model(result=chain.result)


def test_another_request_takes_over_a_composite_with_all_its_children(project: Project, name: str) -> None:
    log = Log(project)
    five = project.given(5)
    first = project.request(Gated(name), number=five, name="first")
    assert gate(name).reached.wait(PATIENCE)
    second = project.request(Gated(name), number=five, name="second")
    before = first.children
    first.abort()
    expect_abort(first)
    assert [child.path for child in before] == ["second/gate", "second/quick"]
    gate(name).opened.set()
    assert second.wait(PATIENCE).outputs["result"] == 18
    assert [child.name for child in second.children] == ["gate", "quick", "total", "chain"]
    assert project.counts().physical["Gated"] == 1
    assert len(log.of(EventKind.ABORTED)) == 1
    expect_nothing_left(project)


def test_children_that_others_asked_for_go_on(project: Project, name: str) -> None:
    composite = project.request(Gated(name), number=project.given(5))
    assert gate(name).reached.wait(PATIENCE)
    shared = project.request(Pass(name, 10), name="shared")
    children = composite.children
    composite.abort()
    expect_abort(children[0])
    gate(name).opened.set()
    assert shared.wait(PATIENCE).outputs["result"] == 10
    assert project.counts().physical["Pass"] == 1
    expect_nothing_left(project)


class Nest(Machine):
    """A machine at the end of a long series of composites."""

    result = Output(int)
    depth: int
    gate: str

    async def run(self, job: Job) -> Model:
        inner = job.request(Nest(self.depth - 1, self.gate) if self.depth else Pass(self.gate, 4))
        await inner
        return Model(result=inner.result)


def test_deeply_nested_composites_are_aborted_from_the_outside(project: Project, name: str) -> None:
    nest = project.request(Nest(200, name))
    assert gate(name).reached.wait(PATIENCE)
    nest.abort()
    expect_abort(nest)
    gate(name).opened.set()
    expect_nothing_left(project)
    assert project.run(Nest(200, name)).outputs["result"] == 4


def test_the_innermost_of_nested_composites_can_be_aborted(project: Project, name: str) -> None:
    nest = project.request(Nest(150, name))
    assert gate(name).reached.wait(PATIENCE)
    innermost = nest
    while innermost.children:
        (innermost,) = innermost.children
    innermost.abort()
    expect_abort(nest, "Nest/Pass was aborted")
    gate(name).opened.set()
    expect_nothing_left(project)


class Unwilling(Machine):
    """Does not want to end when it is aborted."""

    how: str
    gate: str

    async def run(self, job: Job) -> Model:
        passed = job.request(Pass(self.gate))
        try:
            await passed
        finally:
            if self.how == "waits":
                await job.all(*job.children())
            elif self.how == "asks for more":
                job.request(Number(1))
            else:
                raise ValueError(self.how)
        return Model()


@pytest.mark.parametrize("how", ["waits", "asks for more", "raises"])
def test_a_composite_cannot_refuse_to_be_aborted(name: str, how: str) -> None:
    with Project(workers=1) as project:
        unwilling = project.request(Unwilling(how, name))
        assert gate(name).reached.wait(PATIENCE)
        unwilling.abort()
        expect_abort(unwilling)
        gate(name).opened.set()
        expect_nothing_left(project)


class Busy(Machine):
    """Is at work itself, and not waiting, when its gate is reached; then it asks for more."""

    gate: str

    async def run(self, job: Job) -> Model:
        place = gate(self.gate)
        place.reached.set()
        assert place.opened.wait(PATIENCE)
        with suppress(MachineError):
            job.request(Number(1))
        job.request(Number(2))
        return Model()


def test_a_composite_that_is_aborted_while_it_works_gets_no_more_children(project: Project, name: str) -> None:
    busy = project.request(Busy(name))
    assert gate(name).reached.wait(PATIENCE)
    busy.abort()
    expect_abort(busy)
    gate(name).opened.set()
    expect_nothing_left(project)
    assert project.counts().logical["Number"] == 1, "the one that was asked for afterwards"


class Impatient(Machine):
    """Looks again and again whether something is done."""

    gate: str
    seconds: float = 0.02

    async def run(self, job: Job) -> Model:
        patience = job.any(job.request(Pass(self.gate)), timeout=self.seconds)
        looks = 1
        while not await patience:
            looks += 1
            if looks == 3:
                gate(self.gate).opened.set()
        return Model(results={"Enough": looks >= 3})


def test_a_wait_can_be_awaited_again_when_its_time_was_up(project: Project, name: str) -> None:
    assert project.request(Impatient(name)).wait(PATIENCE).results == {"Enough": True}


# The store


def test_an_aborted_machine_is_free_for_other_processes(tmp_path: Path, name: str) -> None:
    with Project(tmp_path, workers=1) as one, Project(tmp_path, workers=1) as other:
        composite = one.request(Gated(name), number=one.given(5))
        assert gate(name).reached.wait(PATIENCE)
        there = other.request(Gated(name), number=other.given(5))
        wait_until(lambda: there.state is State.ELSEWHERE)
        composite.abort()
        gate(name).opened.set()
        assert there.wait(PATIENCE).outputs["result"] == 18


def test_what_had_finished_before_the_abort_is_kept_and_the_rest_is_not(tmp_path: Path, name: str) -> None:
    with Project(tmp_path, workers=1) as project:
        composite = project.request(Gated(name), number=project.given(5))
        assert gate(name).reached.wait(PATIENCE)
        composite.abort()
        gate(name).opened.set()
        expect_nothing_left(project)
        project.run(Number(7))
    with Project(tmp_path, workers=1) as project:
        log = Log(project)
        assert project.run(Gated(name), number=project.given(5)).outputs["result"] == 18
        assert "Gated" in log.started
        assert "Gated/quick" not in log.started


# Limits


def test_wall_time_counts_from_the_start_and_not_while_waiting_or_queued(name: str) -> None:
    with Project(workers=1) as project:
        first = running(project, name)
        limits = Limits(wall=5.0)
        waiting = project.request(Scale(), number=first.result, limits=limits)
        queued = project.request(Number(5), limits=limits)
        assert not project._engine.scheduler.sizes()["timers"], "no clock is running"
        gate(name).opened.set()
        project.wait(waiting, queued)


def test_a_limit_that_was_kept_has_no_effect_afterwards(project: Project) -> None:
    capsule = project.request(Sleep(0.0, 1), limits=Limits(wall=0.1)).wait(PATIENCE)
    time.sleep(0.2)
    assert capsule.state is State.FINISHED


def test_who_joins_late_has_what_is_left(project: Project, name: str) -> None:
    running(project, name)
    time.sleep(0.2)
    late = project.request(Pass(name), limits=Limits(wall=0.1))
    with pytest.raises(LimitExceeded, match="s of wall time"):
        late.wait(PATIENCE)


def test_usage_counts_for_everything_above_once(project: Project, name: str) -> None:
    class Both(Machine):
        """Asks for the same composite twice, and for what is in it."""

        gate: str

        async def run(self, job: Job) -> Model:
            for _ in range(2):
                job.request(Nest(1, self.gate))
            job.request(Pass(self.gate, 4))
            return Model()

    both = project.request(Both(name))
    alone = project.request(Pass(name, 4))
    assert gate(name).reached.wait(PATIENCE)
    wait_until(lambda: len(both.children) == 3)
    task = alone.context.task
    assert task is not None
    assert len(task.contexts) == 3
    above = tasks_above(task)
    assert sorted(each.config.kind for each in above) == ["Both", "Nest", "Nest"]
    for seconds in (1.0, 1.5):
        assert not project._engine.scheduler.usage(task, seconds, 0)
    assert [each.cpu for each in above] == [1.5, 1.5, 1.5]
    gate(name).opened.set()
    both.wait(PATIENCE)


@pytest.mark.parametrize(("limits", "what"), [(Limits(wall=9.0, cpu=None), None), (Limits(wall=0.1), "0.1 s")])
def test_a_limit_on_a_composite_ends_what_is_under_it(
    project: Project, name: str, limits: Limits, what: str | None
) -> None:
    capsule = project.request(Nest(3, name), limits=limits, name="outer")
    assert gate(name).reached.wait(PATIENCE)
    if what is None:
        gate(name).opened.set()
        assert capsule.wait(PATIENCE).outputs["result"] == 4
    else:
        with pytest.raises(LimitExceeded, match=f"outer exceeded its limit of {what}"):
            capsule.wait(PATIENCE)
        gate(name).opened.set()
        expect_nothing_left(project)


# Everything at once


class Tangle(Machine):
    """Some machines that depend on each other, as a seed has it; many tangles have some in common."""

    random = True
    result = Output(int)
    pattern: int
    depth: int = parameter(default=2, at_least=0)

    async def run(self, job: Job) -> Model:
        chance = random.Random(self.pattern)
        outputs = [job.request(Number(chance.randrange(4))).result, job.request(Draw(5)).result]
        capsules = []
        for _ in range(chance.randrange(2, 7)):
            kind = chance.randrange(5)
            if kind == 0 and self.depth:
                capsule = job.request(Tangle(chance.randrange(6), self.depth - 1))
            elif kind == 1:
                capsule = job.request(Sleep(chance.choice([0.0, 0.001, 0.003]), chance.randrange(3)))
            else:
                capsule = job.request(Add(), left=chance.choice(outputs), right=chance.choice(outputs))
            capsules.append(capsule)
            outputs.append(capsule.result)
            if chance.random() < 0.3:
                await job.any(*capsules, timeout=chance.choice([None, 0.001]))
        await job.all(*capsules)
        return Model(result=outputs[-1])


PATTERNS = 60


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("durable", [False, True])
def test_many_threads_request_and_abort_at_once_and_nothing_hangs(tmp_path: Path, seed: int, durable: bool) -> None:
    with Project(workers=1) as project:
        expected = {pattern: project.run(Tangle(pattern)).outputs["result"] for pattern in range(PATTERNS)}
    errors: list[BaseException] = []

    def disturb(project: Project, thread: int) -> None:
        chance = random.Random(100 * seed + thread)
        try:
            capsules: dict[int, Capsule] = {}
            for step in range(30):
                pattern = chance.randrange(PATTERNS)
                limits = Limits(wall=chance.choice([0.002, 0.01])) if chance.random() < 0.2 else None
                capsules[step] = project.request(Tangle(pattern), limits=limits, priority=chance.randrange(3))
                if chance.random() < 0.6:
                    time.sleep(chance.random() * 0.004)
                    victim = capsules[chance.choice(list(capsules))]
                    inside = victim.children
                    (chance.choice(inside) if inside and chance.random() < 0.5 else victim).abort()
            for capsule in capsules.values():
                with suppress(MachineAborted):
                    capsule.wait(PATIENCE)
                    assert capsule.outputs["result"] == expected[capsule.config.pattern]  # type: ignore[attr-defined]
        except BaseException as error:
            errors.append(error)

    with Project(tmp_path / "folder" if durable else None, workers=4) as project:
        threads = [threading.Thread(target=disturb, args=(project, index), daemon=True) for index in range(5)]
        for thread in threads:
            thread.start()
        if seed % 2:
            time.sleep(0.05)
            project.abort()
        for thread in threads:
            thread.join(2 * PATIENCE)
            assert not thread.is_alive(), "it hangs"
        assert not errors, errors
        expect_nothing_left(project)
        again = {pattern: project.run(Tangle(pattern)).outputs["result"] for pattern in range(PATTERNS)}
        assert again == expected
        assert all(slot.thread.is_alive() for manager in project.managers for slot in manager._slots.values())


@pytest.mark.parametrize("seed", range(8))
def test_a_project_can_be_closed_at_any_moment(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    project = Project(tmp_path if seed % 2 else None, workers=3)
    capsules = [project.request(Tangle(chance.randrange(100))) for _ in range(20)]
    time.sleep(chance.random() * 0.03)
    closing = threading.Thread(target=project.close, daemon=True)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive(), "it hangs"
    assert all(capsule.done for capsule in capsules)
