from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from intemi import Threads
from intemi.kernel import (
    Input,
    Job,
    Machine,
    MachineAborted,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    State,
)
from tests.machines import Add, Chain, Draw, Fail, Fan, Gate, Log, Number, Pass, Scale, Sleep, Split, Total, gate


def failure_of(machine: Machine, workers: int = 2, **bindings: Any) -> MachineFailed:
    with Project(workers=workers) as project, pytest.raises(MachineFailed) as caught:
        project.request(machine, **bindings).wait(30)
    return caught.value


# Waiting for all


class Sum(Machine):
    """The sum of numbers that it requests itself."""

    result = Output(int)
    count: int = 3

    async def run(self, job: Job) -> Model:
        numbers = [job.request(Number(value)) for value in range(self.count)]
        done = await job.all(*numbers)
        total = await job.request(Total(), numbers=[number.result for number in done])
        return Model(result=total.result, results={"Count": len(done)})


def test_all_waits_for_all_and_answers_with_them_in_the_order_given() -> None:
    with Project(workers=2) as project:
        total = project.run(Sum(4))
        assert total.outputs["result"] == 0 + 1 + 2 + 3
        assert total.results == {"Count": 4}


class Nothing(Machine):
    """Waits for nothing."""

    async def run(self, job: Job) -> Model:
        return Model(results={"All": len(await job.all()), "Any": len(await job.any())})


def test_waiting_for_nothing_ends_at_once() -> None:
    with Project(workers=1) as project:
        assert project.run(Nothing()).results == {"All": 0, "Any": 0}


class Awaits(Machine):
    """Awaits a capsule, and awaits it again."""

    result = Output(int)

    async def run(self, job: Job) -> Model:
        requested = job.request(Number(7))
        first = await requested
        second = await requested
        same = first is requested and second is requested
        return Model(result=first.result, results={"Same": same, "Value": job.load(first.result)})


def test_awaiting_a_capsule_answers_with_the_capsule_when_it_is_done() -> None:
    with Project(workers=1) as project:
        done = project.run(Awaits())
        assert done.results == {"Same": True, "Value": 7}
        assert done.outputs["result"] == 7


class Deep(Machine):
    """A composite in a composite in a composite."""

    result = Output(int)
    depth: int = 100

    async def run(self, job: Job) -> Model:
        below = await job.request(Deep(self.depth - 1) if self.depth else Number(5))
        return Model(result=below.result)


def test_a_hundred_waiting_composites_need_one_thread() -> None:
    with Project(workers=1) as project:
        assert project.run(Deep(100)).outputs["result"] == 5


# Waiting for any


class Race(Machine):
    """Two gates, of which one has to be open; the other may be open too."""

    result = Output(int)
    name: str = "race"

    async def run(self, job: Job) -> Model:
        left = job.request(Pass(f"{self.name}, left", 1), name="left")
        right = job.request(Pass(f"{self.name}, right", 2), name="right")
        done = await job.any(left, right)
        gate(f"{self.name}, decided").opened.set()
        return Model(result=done[0].result, results={"Done": [capsule.name for capsule in done]})


def test_any_goes_on_with_the_first_that_is_done() -> None:
    with Project(workers=2) as project:
        race = project.request(Race("goes on"))
        gate("goes on, right").opened.set()
        assert gate("goes on, decided").opened.wait(30)
        gate("goes on, left").opened.set()
        assert race.wait(30).outputs["result"] == 2
        assert race.results == {"Done": ["right"]}


def test_a_composite_is_not_finished_before_the_one_that_lost_the_race_is() -> None:
    with Project(workers=2) as project:
        race = project.request(Race("not finished"))
        gate("not finished, right").opened.set()
        assert gate("not finished, decided").opened.wait(30)
        with pytest.raises(TimeoutError):
            race.wait(0.05)
        gate("not finished, left").opened.set()
        race.wait(30)
        assert [child.state for child in race.children] == [State.FINISHED, State.FINISHED]


class AnyOfTheDone(Machine):
    """Asks for any of what is done already."""

    async def run(self, job: Job) -> Model:
        capsules = [job.request(Number(value)) for value in range(3)]
        await job.all(*capsules)
        return Model(results={"Done": len(await job.any(*capsules))})


def test_any_of_what_is_done_answers_at_once_with_all_of_it() -> None:
    with Project(workers=1) as project:
        assert project.run(AnyOfTheDone()).results == {"Done": 3}


class Impatient(Machine):
    """Waits for a gate, but not for long."""

    name: str = "impatient"

    async def run(self, job: Job) -> Model:
        slow = job.request(Pass(self.name))
        in_time = await job.any(slow, timeout=0.01)
        gate(self.name).opened.set()
        at_last = await job.any(slow, timeout=30)
        return Model(results={"In time": len(in_time), "At last": len(at_last)})


def test_any_gives_up_when_the_time_is_over() -> None:
    with Project(workers=2) as project:
        assert project.request(Impatient("gives up")).wait(30).results == {"In time": 0, "At last": 1}


class AnyFailure(Machine):
    """Looks at a failure instead of being hit by it."""

    async def run(self, job: Job) -> Model:
        (failed,) = await job.any(job.request(Fail("no")))
        return Model(results={"State": failed.state.value, "Error": str(failed.error)})


def test_any_answers_with_failures_instead_of_raising_them() -> None:
    with Project(workers=1) as project:
        assert project.run(AnyFailure()).results == {
            "State": "failed",
            "Error": "AnyFailure/Fail failed: ValueError: no",
        }


# Failures of children


class Failing(Machine):
    """Waits for failing machines, of which the last is the first to fail by the clock."""

    async def run(self, job: Job) -> Model:
        slow = job.request(
            Total(), name="slow", numbers=[job.request(Sleep(0.05)).result, job.request(Fail("slow")).result]
        )
        fast = job.request(Fail("fast"), name="fast")
        await job.all(slow, fast)
        return Model()


def test_all_raises_the_first_failure_in_the_order_given() -> None:
    error = failure_of(Failing())
    assert str(error) == "Failing/Fail failed: ValueError: slow"
    assert error.path == "Failing/Fail"
    assert "raise ValueError(self.message)" in error.traceback


class Recovers(Machine):
    """Does something else if a machine fails."""

    result = Output(int)

    async def run(self, job: Job) -> Model:
        try:
            chosen = await job.request(Fail("no"))
        except MachineFailed:
            chosen = await job.request(Number(1))
        return Model(result=chosen.result)


def test_a_composite_can_go_on_after_a_failure() -> None:
    with Project(workers=1) as project:
        recovered = project.run(Recovers())
        assert recovered.outputs["result"] == 1
        assert [child.state for child in recovered.children] == [State.FAILED, State.FINISHED]


class Raises(Machine):
    """Requests children and fails by itself."""

    name: str = "raises"

    async def run(self, job: Job) -> Model:
        job.request(Pass(self.name), name="child")
        raise ValueError("by itself")


def test_a_composite_that_raises_fails_when_its_children_are_done() -> None:
    with Project(workers=1) as project:
        capsule = project.request(Raises("when its children are done"))
        assert gate("when its children are done").reached.wait(30)
        assert capsule.state is State.RUNNING
        gate("when its children are done").opened.set()
        with pytest.raises(MachineFailed, match="Raises failed: ValueError: by itself"):
            capsule.wait(30)
        assert [child.state for child in capsule.children] == [State.FINISHED]


class Nested(Machine):
    """A composite with a composite that fails."""

    machine: Machine

    async def run(self, job: Job) -> Model:
        await job.request(self.machine, name="inner")
        return Model()


def test_a_failure_keeps_its_first_cause_on_the_way_up() -> None:
    error = failure_of(Nested(Nested(Nested(Fail("deep down")))))
    assert error.path == "Nested/inner/inner/inner"
    assert str(error) == "Nested/inner/inner/inner failed: ValueError: deep down"


def test_what_depends_on_a_failed_composite_names_the_first_cause() -> None:
    with Project(workers=1) as project:
        chain = project.request(Chain(2), number=project.request(Fail("at first"), name="first").result)
        scaled = project.request(Scale(), number=chain.result)
        with pytest.raises(MachineFailed, match="first failed: ValueError: at first"):
            scaled.wait(30)


# Children nobody waited for


class Careless(Machine):
    """Requests without waiting."""

    machine: Machine
    name: str = ""

    async def run(self, job: Job) -> Model:
        if self.name:
            job.request(Pass(self.name))
        job.request(self.machine)
        return Model()


def test_children_that_nobody_waits_for_are_waited_for_in_the_end() -> None:
    with Project(workers=2) as project:
        capsule = project.request(Careless(Number(1), "in the end"))
        assert gate("in the end").reached.wait(30)
        with pytest.raises(TimeoutError):
            capsule.wait(0.05)
        gate("in the end").opened.set()
        capsule.wait(30)
        assert [child.state for child in capsule.children] == [State.FINISHED, State.FINISHED]


def test_the_failure_of_a_child_that_nobody_waited_for_is_not_lost() -> None:
    error = failure_of(Careless(Fail("overlooked")))
    assert error.path == "Careless/Fail"


# Mistakes


class AwaitsForeign(Machine):
    """Awaits what belongs to asyncio."""

    async def run(self, job: Job) -> Model:
        job.request(Sleep(0.01))
        await asyncio.sleep(0)
        return Model()


def test_awaiting_something_foreign_is_an_error_that_shows_where() -> None:
    with Project(workers=1) as project:
        capsule = project.request(AwaitsForeign())
        with pytest.raises(MachineFailed, match=r"AwaitsForeign.run can await job.all, job.any and capsules") as caught:
            capsule.wait(30)
        assert "await asyncio.sleep(0)" in caught.value.traceback
        assert [child.state for child in capsule.children] == [State.FINISHED]


class GivesValue(Machine):
    """Exhibits a value of its own."""

    result = Output(int)
    value: int = 3

    async def run(self, job: Job) -> Model:
        await job.request(Number(1))
        return Model(result=self.value)


def test_a_composite_that_gives_out_a_value_is_told_to_give_out_an_output() -> None:
    assert "GivesValue.result: a composite exhibits outputs of other machines" in str(failure_of(GivesValue()))


class GivesMany(Machine):
    """Exhibits two outputs where there is one."""

    result = Output(int)

    async def run(self, job: Job) -> Model:
        return Model(result=[job.request(Number(1)).result, job.request(Number(2)).result])


def test_a_composite_cannot_exhibit_many_outputs_as_one() -> None:
    assert "GivesMany.result" in str(failure_of(GivesMany()))


class GivesWrongType(Machine):
    """Exhibits an output of another type than it declares."""

    result = Output(str)

    async def run(self, job: Job) -> Model:
        return Model(result=(await job.request(Number(1))).result)


def test_a_composite_cannot_exhibit_an_output_of_another_type() -> None:
    error = str(failure_of(GivesWrongType()))
    assert "GivesWrongType" in error
    assert "str" in error
    assert "int" in error


class GivesCollection(Machine):
    """Exhibits a collection as one value."""

    result = Output(int)
    number = Input(int)

    async def run(self, job: Job, number: Any) -> Model:
        return Model(result=(await job.request(Split(2), number=number)).parts)


def test_a_composite_cannot_exhibit_a_collection_as_one_value() -> None:
    with Project(workers=1) as project, pytest.raises(MachineFailed, match="GivesCollection"):
        project.run(GivesCollection(), number=project.given(5))


class GivesTooLittle(Machine):
    """Forgets an output."""

    result = Output(int)

    async def run(self, job: Job) -> Model:
        return Model()


def test_a_composite_that_forgets_an_output_is_told_which() -> None:
    assert "GivesTooLittle.run must deliver the outputs (result), got ()" in str(failure_of(GivesTooLittle()))


class GivesNoModel(Machine):
    """Returns nothing."""

    async def run(self, job: Job) -> None:
        return None


def test_a_composite_must_return_a_model() -> None:
    assert "GivesNoModel.run must return a Model, got None" in str(failure_of(GivesNoModel()))


class Selfish(Machine):
    """Requests itself."""

    async def run(self, job: Job) -> Model:
        await job.request(Selfish())
        return Model()


def test_a_composite_that_waits_for_itself_fails_instead_of_waiting_for_ever() -> None:
    assert "Selfish/Selfish would wait for itself" in str(failure_of(Selfish()))


class Forgets(Machine):
    """Requests a random machine without saying that it is random itself."""

    async def run(self, job: Job) -> Model:
        await job.request(Draw())
        return Model()


def test_a_composite_that_requests_random_machines_must_say_so() -> None:
    assert "Forgets: requests the random machine Draw, so it must declare `random = True`" in str(failure_of(Forgets()))


# What a composite exhibits, and what it is handed


class Relay(Machine):
    """Hands its inputs on, in other groups."""

    first = Input(int)
    others = MultiInput(int)
    everything = MultiOutput(int)
    again = Output(int)

    async def run(self, job: Job, first: Any, others: Any) -> Model:
        return Model(everything=[first, *others], again=first)


def test_a_composite_can_exhibit_its_inputs() -> None:
    with Project(workers=1) as project:
        parts = project.request(Split(2), number=project.given(5))
        relay = project.run(Relay(), first=project.given(1), others=[parts.parts, project.given(9)])
        assert relay.outputs["everything"] == (1, 2, 3, 9)
        assert relay.outputs["again"] == 1


def test_outputs_of_children_can_be_bound_one_by_one() -> None:
    with Project(workers=1) as project:
        fan = project.run(Fan(3), number=project.given(10))
        total = project.run(Add(), left=fan.results_of[1], right=fan.results_of[2])
        assert total.outputs["result"] == 30


class Loads(Machine):
    """Decides by the value of an input how much to request."""

    count = Input(int)

    async def run(self, job: Job, count: Any) -> Model:
        for value in range(job.load(count)):
            job.request(Number(value), name=f"number {value}", comments={"Value": value})
        return Model(results={"Names": [child.name for child in job.children()]})


def test_a_composite_can_look_at_values_and_at_its_children() -> None:
    with Project(workers=1) as project:
        loads = project.run(Loads(), count=project.given(3))
        assert loads.results == {"Names": ["number 0", "number 1", "number 2"]}
        assert [child.comments for child in loads.children] == [{"Value": 0}, {"Value": 1}, {"Value": 2}]
        assert loads.child("number 2").outputs["result"] == 2


class Aborts(Machine):
    """Takes the first of two and ends the other."""

    result = Output(int)
    name: str = "aborts"

    async def run(self, job: Job) -> Model:
        slow = job.request(Pass(self.name), name="slow")
        fast = job.request(Number(1), name="fast")
        (first,) = await job.any(slow, fast)
        slow.abort()
        return Model(result=first.result)


def test_a_composite_can_end_the_one_that_lost_the_race() -> None:
    with Project(workers=Threads(2)) as project:
        assert project.request(Aborts("ended")).wait(30).outputs["result"] == 1
        gate("ended").opened.set()


def test_aborting_a_composite_aborts_what_it_waits_for_and_keeps_what_has_finished() -> None:
    with Project(workers=2) as project:
        log = Log(project)
        race = project.request(Race("keeps"), name="race")
        assert gate("keeps, left").reached.wait(30)
        assert gate("keeps, right").reached.wait(30)
        race.abort()
        with pytest.raises(MachineAborted, match="race was aborted"):
            race.wait(30)
        gate("keeps, left").opened.set()
        gate("keeps, right").opened.set()
        assert {str(event) for event in log.events if event.kind.value == "aborted"} == {
            "aborted race",
            "aborted race/left",
            "aborted race/right",
        }


# Ending early, and progress


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[Gate]:
    """A gate for the test, opened in the end."""
    place = gate(request.node.nodeid)
    yield place
    place.opened.set()


class Patient(Machine):
    """Reports what it does, and waits for a machine that passes a gate, until its time is up or it is to end early."""

    looks_at_clock = True
    result = Output(int)
    gate: str
    seconds: float = 30.0

    async def run(self, job: Job) -> Model:
        waiting = job.request(Pass(self.gate, 1), name="waiting")
        job.report("it waits")
        done = await job.any(waiting, timeout=self.seconds, ends_early=True)
        if not done:
            waiting.abort()
        number = job.request(Number(7))
        return Model(result=number.result, results={"Done": len(done), "Early": job.ends_early})


def test_a_composite_goes_on_in_time_although_all_workers_are_busy(opened: Gate) -> None:
    with Project(workers=1) as project:
        done = project.request(Patient(opened.name, 0.2)).wait(5)
        assert done.results == {"Done": 0, "Early": False}
        assert done.outputs["result"] == 7


def test_a_composite_that_is_asked_to_ends_early(opened: Gate) -> None:
    with Project(workers=1) as project:
        capsule = project.request(Patient(opened.name))
        assert opened.reached.wait(10)
        assert capsule.progress == "it waits"
        capsule.end_early()
        assert capsule.wait(5).results == {"Done": 0, "Early": True}
        assert capsule.progress is None, "it is done"
        capsule.end_early()


class AskedBefore(Patient):
    """Is asked to end before it waits."""

    async def run(self, job: Job) -> Model:
        while not job.ends_early:
            await job.any(job.request(Pass(self.gate, 2)), timeout=0.01)
        return await super().run(job)


def test_a_wait_that_begins_after_the_early_end_is_over_at_once(opened: Gate) -> None:
    with Project(workers=1) as project:
        capsule = project.request(AskedBefore(opened.name))
        assert opened.reached.wait(10)
        capsule.end_early()
        opened.opened.set()
        assert capsule.wait(5).results["Early"]


class Asking(Machine):
    """Asks whether a number is on record."""

    value: int

    async def run(self, job: Job) -> Model:
        return Model(results={"Known": job.is_on_record(Number(self.value))})


def test_a_composite_can_ask_what_is_on_record() -> None:
    with Project(workers=1) as project:
        project.run(Number(1))
        assert [project.run(Asking(value)).results["Known"] for value in (1, 2)] == [True, False]
        assert project.counts().physical["Number"] == 1
