"""The default task manager: what runs on threads, what in worker processes, and that the results are the same."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import Processes, Threads
from intemi.kernel import Input, LimitExceeded, Limits, Machine, Model, Output, Project, shared_memory
from intemi.kernel.workers.local import LocalWorkers
from intemi.testing import check_task_manager

pytestmark = pytest.mark.skipif(os.name != "posix", reason="worker processes need a POSIX system")


class Where(Machine):
    """The process that it runs in, after a loop in pure Python."""

    number: int
    seconds: float = 0.03
    process = Output(int)

    def run(self) -> Model:
        until = time.thread_time() + self.seconds
        while time.thread_time() < until:
            pass
        return Model(process=os.getpid())


class Waits(Where):
    """The process that it runs in, after it has waited without the interpreter lock."""

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model(process=os.getpid())


class Unsendable(Machine):
    """A value that cannot be pickled, and the process that made it."""

    number: int
    lock = Output(object)
    process = Output(int)

    def run(self) -> Model:
        return Model(lock=threading.Lock(), process=os.getpid())


class Endless(Machine):
    """Computes, and writes the time into a file, until it is stopped."""

    path: str

    def run(self) -> Model:
        while True:
            Path(self.path).write_text(str(time.time()))


class Sum(Machine):
    """The sum of an array, after a loop in pure Python."""

    values = Input(np.ndarray)
    total = Output(float)
    number: int

    def run(self, values: np.ndarray) -> Model:
        total = 0.0
        for value in values[:20_000]:
            total += float(value) * self.number
        return Model(total=total)


def processes_of(project: Project, make: Callable[[int], Machine], number: int, **options: Any) -> set[int]:
    capsules = [project.request(make(index), **options) for index in range(number)]
    project.wait(*capsules)
    return {capsule.outputs["process"] for capsule in capsules}


def wait_for_processes(manager: LocalWorkers) -> None:
    until = time.monotonic() + 60
    while not manager._pool.is_ready:
        assert time.monotonic() < until, "the worker processes never start"
        time.sleep(0.01)


def test_it_is_the_default_of_a_project() -> None:
    with Project(workers=2) as project:
        (manager,) = project.managers
        assert isinstance(manager, LocalWorkers)
        assert manager.workers == 2


def test_it_is_a_task_manager() -> None:
    check_task_manager(lambda: LocalWorkers(2))


def test_leaves_that_hold_the_interpreter_lock_move_to_worker_processes() -> None:
    manager = LocalWorkers(2)
    with Project(workers=manager) as project:
        first = processes_of(project, Where, 10)
        wait_for_processes(manager)
        later = processes_of(project, lambda index: Where(100 + index), 10)
    assert os.getpid() in first, "nobody waits for the start of a process"
    assert os.getpid() not in later
    assert len(later) == 2


def test_leaves_that_wait_stay_on_threads() -> None:
    with Project(workers=2) as project:
        assert processes_of(project, Waits, 20) == {os.getpid()}


def test_one_worker_needs_no_processes() -> None:
    with Project(workers=1) as project:
        assert processes_of(project, Where, 10) == {os.getpid()}


def test_leaves_with_limits_run_in_worker_processes_and_end_there(tmp_path: Path) -> None:
    path = tmp_path / "time"
    with Project(workers=1) as project:
        endless = project.request(Endless(str(path)), limits=Limits(wall=8.0, memory=2**40))
        with pytest.raises(LimitExceeded, match=r"8 s of wall time"):
            endless.wait(60)
        time.sleep(0.3)
        stopped = path.stat().st_mtime_ns
        time.sleep(0.5)
        assert path.stat().st_mtime_ns == stopped, "it goes on computing"


def test_what_cannot_be_sent_runs_on_a_thread_whatever_its_limits() -> None:
    with Project(workers=2) as project:
        assert processes_of(project, Unsendable, 3, limits=Limits(wall=60.0)) == {os.getpid()}


@pytest.mark.parametrize("make", [lambda: LocalWorkers(2), lambda: Threads(2), lambda: Processes(2)])
def test_results_are_those_of_one_thread(make: Callable[[], Any]) -> None:
    values = np.arange(50_000.0)

    def totals(workers: Any) -> list[float]:
        with Project(workers=workers) as project:
            given = project.given(values)
            capsules = [project.request(Sum(number), values=given) for number in range(40)]
            project.wait(*capsules)
            return [capsule.outputs["total"] for capsule in capsules]

    assert totals(make()) == totals(Threads(1))


class Table(Machine):
    """A large array."""

    rows: int
    values = Output(np.ndarray)

    def run(self) -> Model:
        return Model(values=np.arange(float(self.rows)))


class Place(Machine):
    """Whether an array lies in memory that processes share, whether it can be written, and its sum."""

    values = Input(np.ndarray)
    number: int
    process = Output(int)

    def run(self, values: np.ndarray) -> Model:
        try:
            values.flags.writeable = True
            is_writeable = True
        except ValueError:
            is_writeable = False
        address = values.__array_interface__["data"][0]
        is_shared = shared_memory.region_of(address, values.nbytes) is not None
        results = {"Shared": is_shared, "Writeable": is_writeable, "Sum": float(values.sum())}
        return Model(results=results, process=os.getpid())


@pytest.mark.parametrize("made_by", ["a leaf on a thread", "a leaf in a process", "the user"])
def test_a_large_array_is_shared_with_worker_processes_and_cannot_be_written_there(made_by: str) -> None:
    rows = 2 * shared_memory.MIN_SHARED_BYTES // 8
    with Project(workers=2) as project:
        if made_by == "the user":
            values = project.given(np.arange(float(rows)))
        else:
            limits = Limits(wall=60.0, memory=2**40) if made_by == "a leaf in a process" else None
            values = project.request(Table(rows), limits=limits).values
        places = [
            project.request(Place(number), values=values, limits=Limits(wall=60.0, memory=2**40)) for number in range(4)
        ]
        project.wait(*places)
        assert os.getpid() not in {place.outputs["process"] for place in places}
        expected = {"Shared": True, "Writeable": False, "Sum": float(np.arange(float(rows)).sum())}
        assert all(place.results == expected for place in places)
