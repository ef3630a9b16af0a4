"""Time as a part of requests: machines that look at the clock, deadlines, and what a request has cost."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from intemi import LimitExceeded, Limits, Machine, Model, Output, Project, Threads
from intemi.kernel import Input, Job, State
from tests.machines import Number, Sleep


class Stopwatch(Machine):
    """Says when it was run."""

    looks_at_clock = True
    result = Output(float)

    def run(self) -> Model:
        return Model(result=time.perf_counter())


class Twice(Machine):
    """A value and its double; a leaf that comes after another."""

    value = Input(float)
    result = Output(float)

    def run(self, value: float) -> Model:
        return Model(result=2 * value)


class Around(Machine):
    """Runs another machine."""

    result = Output(float)
    inner: Machine

    async def run(self, job: Job) -> Model:
        child = job.request(self.inner)
        await child
        return Model(result=child.result)


class Busy(Machine):
    """Takes CPU time."""

    result = Output(int)
    number: int
    seconds: float = 0.05

    def run(self) -> Model:
        until = time.thread_time() + self.seconds
        while time.thread_time() < until:
            pass
        return Model(result=self.number)


class All(Machine):
    """Runs machines at the same time."""

    parts: tuple[Machine, ...]

    async def run(self, job: Job) -> Model:
        await job.all(*(job.request(part) for part in self.parts))
        return Model()


def test_what_looks_at_the_clock_is_run_each_time(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with Project(tmp_path / "p") as project:
            seen += [project.run(Stopwatch()).outputs["result"] for _ in range(2)]
    assert len(set(seen)) == 4


def test_so_is_everything_that_has_it_inside_or_comes_after_it() -> None:
    with Project() as project:
        first, second = (project.run(Around(Stopwatch())) for _ in range(2))
        assert first.outputs["result"] != second.outputs["result"]
        doubled = [project.run(Twice(), value=each.result).outputs["result"] for each in (first, second)]
        assert doubled == [2 * each.outputs["result"] for each in (first, second)]


def test_what_it_requests_is_shared_as_ever() -> None:
    class Timed(Machine):
        looks_at_clock = True
        result = Output(int)

        async def run(self, job: Job) -> Model:
            child = job.request(Number(7))
            await child
            return Model(result=child.result)

    with Project() as project:
        project.run(Timed())
        project.run(Timed())
        counts = project.counts()
        assert counts.physical["Timed"] == 2
        assert counts.physical["Number"] == 1


def test_equal_contents_of_it_are_one_for_what_comes_after() -> None:
    class Constant(Machine):
        looks_at_clock = True
        result = Output(float)

        def run(self) -> Model:
            return Model(result=1.5)

    with Project() as project:
        for _ in range(2):
            project.run(Twice(), value=project.request(Constant()).result)
        assert project.counts().physical["Twice"] == 1


def test_a_deadline_ends_what_waits_and_what_runs() -> None:
    with Project(workers=1) as project:
        running = project.request(Sleep(5.0, 1), limits=Limits(deadline=time.time() + 0.3))
        waiting = project.request(Sleep(5.0, 2), limits=Limits(deadline=time.time() + 0.2))
        for capsule in (waiting, running):
            with pytest.raises(LimitExceeded, match="was not done by its deadline"):
                capsule.wait(4)


def test_a_deadline_that_has_passed_ends_at_once_and_one_that_is_met_does_nothing() -> None:
    with Project(workers=1) as project:
        with pytest.raises(LimitExceeded):
            project.run(Sleep(5.0, 1), limits=Limits(deadline=time.time() - 1))
        done = project.run(Number(1), limits=Limits(deadline=time.time() + 60))
        assert done.outputs["result"] == 1


def test_a_request_knows_what_it_has_cost() -> None:
    with Project(workers=2) as project:
        both = project.run(All((Busy(1), Busy(2))))
        assert 0.1 <= both.cpu < 1
        again = project.run(All((Busy(1), Busy(2))))
        assert again.cpu == 0, "it was on record"
        more = project.run(All((Busy(1), Busy(3))))
        assert 0.05 <= more.cpu < 0.1 + 0.05, "one of the two was on record"


def test_what_is_aborted_has_cost_what_was_spent() -> None:
    with Project(workers=1) as project:
        capsule = project.request(All(tuple(Busy(number) for number in range(50))), limits=Limits(wall=0.4))
        with pytest.raises(LimitExceeded):
            capsule.wait(10)
        assert 0.05 <= capsule.cpu < 0.8


class Endless(Machine):
    """Computes until the test is over."""

    result = Output(int)

    def run(self) -> Model:
        while not IS_OVER.is_set():
            sum(range(1000))
        return Model(result=1)


IS_OVER = threading.Event()


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="needs clocks of threads, as on Linux")
def test_a_thread_that_computes_for_too_long_is_left_behind_and_may_be_joined_again() -> None:
    with Project(workers=Threads(1)) as project:
        with pytest.raises(LimitExceeded, match=r"limit of 0.2 s of CPU time"):
            project.request(All((Endless(),)), limits=Limits(cpu=0.2)).wait(10)
        assert project.request(Number(1)).wait(10).outputs["result"] == 1, "another thread has taken its place"
        again = project.request(All((Endless(),)), limits=Limits(cpu=30.0))
        while [child.state for child in again.children] != [State.RUNNING]:
            time.sleep(0.01)
        IS_OVER.set()
        assert again.wait(10).children[0].outputs["result"] == 1
        assert project.counts().physical["Endless"] == 1


def test_sleep_is_no_cost() -> None:
    with Project(workers=2) as project:
        done = project.run(All((Sleep(0.2, 1), Sleep(0.2, 2))), limits=Limits(cpu=0.15))
        assert done.cpu < 0.1
