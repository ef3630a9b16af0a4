"""Faults that a scheduler around one lock once had, each with the public interface only: none hangs, none leaks."""

from __future__ import annotations

import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from intemi import Threads
from intemi.kernel import (
    Event,
    EventKind,
    Input,
    Job,
    LimitExceeded,
    Limits,
    Machine,
    MachineFailed,
    Model,
    Output,
    Project,
)
from intemi.workers import Call, Dispatcher

PATIENCE = 60.0


class Big(Machine):
    """A thousand bytes, after a while."""

    value = Output(bytes)
    number: int = 0
    seconds: float = 0.0

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model(value=bytes(1000) + self.number.to_bytes(4, "big"))


class Number(Machine):
    """A number, after a while."""

    value = Output(int)
    number: int = 0
    seconds: float = 0.0

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model(value=self.number)


class Length(Machine):
    """The length of some bytes."""

    value = Input(bytes)
    length = Output(int)

    def run(self, value: bytes) -> Model:
        return Model(length=len(value))


class Examines(Machine):
    """Loads one of its inputs when its lineage is examined, as the rules of fairness do."""

    first = Input(bytes)
    second = Input(int)
    length = Output(int)

    def examine(self, examination: Any) -> dict[str, str]:
        (source,) = examination.sources["first"]
        examination.lineage.value((source.context.key, source.port.name, source.index))
        return {}

    def run(self, first: bytes, second: int) -> Model:
        return Model(length=len(first) + second)


class Race(Machine):
    """Waits for its children one after another, in the order in which they are done."""

    number: int

    async def run(self, job: Job) -> Model:
        pending = [job.request(Number(10_000 + index)) for index in range(self.number)]
        most = 0
        while pending:
            done = await job.any(*pending, timeout=3600)
            pending = [each for each in pending if each not in done]
            most = max([most, *(len(each.context.observers or ()) for each in pending)])
        return Model(results={"Most observers": most})


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=Threads(2)) as opened:
        yield opened


def within(seconds: float, action: Callable[[], object]) -> None:
    """Run an action on a thread; it must not take longer."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it hangs"


def test_a_value_is_made_again_while_another_machine_examines_its_lineage() -> None:
    project = Project(workers=Threads(4), memory=1500)
    slow, quick = project.run(Big(1, 1.0)), project.run(Big(2))
    for number in range(10, 14):  # drives both out of memory
        project.run(Big(number))
    examines = project.request(Examines(), first=quick.value, second=project.request(Number(3, 0.5)).value)
    project.run(Big(20))
    project.run(Big(21))
    length = project.request(Length(), value=slow.value)
    assert length.wait(PATIENCE).outputs["length"] == 1004
    assert examines.wait(PATIENCE).outputs["length"] == 1007
    within(PATIENCE, project.close)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
@pytest.mark.parametrize("is_warm", [False, True])
def test_interrupts_leave_no_lock_held(is_warm: bool) -> None:
    is_armed = False

    def interrupt(number: int, frame: object) -> None:
        if is_armed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    project = Project(workers=Threads(1))
    serial = 0
    try:
        for number in range(300):
            try:
                is_armed = True
                signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.00001 * number)
                while True:
                    serial += not is_warm
                    project.request(Number(serial))
            except KeyboardInterrupt:
                is_armed = False
        assert project.request(Number(-1)).wait(PATIENCE).outputs["value"] == -1
        until = time.monotonic() + PATIENCE
        while any(number for place, number in project._engine.scheduler.sizes().items() if place != "idle"):
            assert time.monotonic() < until, project._engine.scheduler.sizes()
            time.sleep(0.01)
    finally:
        is_armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        within(PATIENCE, project.close)


def test_a_task_manager_that_cannot_submit_fails_the_request_and_goes_on() -> None:
    class Broken(Dispatcher):
        """Its queue is full."""

        @property
        def has_room(self) -> bool:
            return True

        def submit(self, call: Call) -> None:
            raise ConnectionError("the queue is full")

        def flush(self) -> None:
            pass

        def stop(self, call: Call) -> None:
            pass

    project = Project(workers=Broken())
    for number in range(3):
        with pytest.raises(MachineFailed, match="the queue is full"):
            project.request(Number(number)).wait(PATIENCE)
    within(PATIENCE, project.close)


def test_limits_do_not_wait_for_the_disk(tmp_path: Path) -> None:
    with Project(tmp_path, workers=Threads(1)) as project:
        project.run(Number(1))
        with closing(sqlite3.connect(tmp_path / "machines.sqlite", isolation_level=None)) as other:
            project.request(Number(2))
            limited = project.request(Number(3, 30.0), limits=Limits(wall=1.0))
            other.execute("BEGIN IMMEDIATE")  # another process that writes for a long time
            begun = time.monotonic()
            while not limited.context.is_done:
                assert time.monotonic() - begun < 3.0, "the limit waits for the disk"
                time.sleep(0.01)
            other.execute("ROLLBACK")
        with pytest.raises(LimitExceeded):
            limited.wait(PATIENCE)


def test_timers_and_waits_end_with_what_they_are_for(project: Project) -> None:
    slow = project.request(Number(1, 0.5))
    for _ in range(200):
        with pytest.raises(TimeoutError):
            slow.wait(0.0005)
    assert len(slow.context.observers or ()) <= 1
    slow.wait(PATIENCE)
    for number in range(500):
        project.run(Number(number + 2), limits=Limits(wall=3600))
    assert project._engine.scheduler.sizes()["timers"] == 0
    assert project.run(Race(100)).results["Most observers"] <= 1
    assert project._engine.scheduler.sizes()["timers"] == 0


def test_a_project_is_closed_whatever_goes_wrong(tmp_path: Path) -> None:
    class Bad(Threads):
        """Cannot release its resources."""

        def rest(self) -> None:
            super().rest()
            raise OSError("the pool cannot be released")

    project = Project(tmp_path, workers=Bad(1))
    project.run(Number(1))
    with pytest.raises(OSError, match="the pool cannot be released"):
        project.close()
    project.close()
    with Project(tmp_path, workers=Threads(1)) as again:
        assert again.run(Number(1)).outputs["value"] == 1
        assert not again.counts().physical


def test_memory_does_not_grow_with_every_content(tmp_path: Path) -> None:
    with Project(tmp_path, workers=Threads(1), memory=10_000) as project:
        for number in range(300):
            project.run(Big(number))
        project.query(labels="path")
        held = [value for value in vars(project._engine.values).values() if hasattr(value, "__len__")]
        assert all(len(each) < 50 for each in held), "no container of the values has an entry for every content"


def test_a_listener_that_sleeps_delays_nothing(project: Project) -> None:
    entered = threading.Event()

    def sleep(event: Event) -> None:
        if event.kind is EventKind.REQUESTED and event.config == Number(1):
            entered.set()
            time.sleep(1.0)

    project.listen(sleep)
    project.request(Number(1))
    assert entered.wait(PATIENCE)
    begun = time.perf_counter()
    project.request(Number(2))
    assert time.perf_counter() - begun < 0.5
