from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from intemi import Processes
from intemi.kernel import (
    ConfigurationError,
    IntemiError,
    Job,
    Limits,
    Machine,
    MachineFailed,
    Model,
    Output,
    Project,
    State,
    Threads,
)
from intemi.kernel.workers.base import Call
from intemi.kernel.workers.slots import Slots
from intemi.kernel.workers.threads import SHORT_LEAF_SECONDS, TURN_TIMEOUT_SECONDS, LeafStats
from tests.machines import Chain, Fail, Gate, Log, Number, Pass, Sleep, cross_validation, gate

_meetings: dict[str, threading.Barrier] = {}


class Meet(Machine):
    """Goes on when as many machines as expected are running at the same time."""

    result = Output(int)
    version = 1
    place: str
    expected: int
    number: int

    def run(self) -> Model:
        _meetings.setdefault(self.place, threading.Barrier(self.expected)).wait(30)
        return Model(result=self.number)


class Counting(Slots):
    """Runs leaves on its threads and counts them."""

    def __init__(self, workers: int = 1) -> None:
        super().__init__(workers)
        self.executed: list[Machine] = []

    def execute(self, call: Call) -> tuple[Model, float]:
        self.executed.append(call.config)
        return call.run(), 0.0

    def stop(self, call: Call) -> None:
        pass


def own_threads() -> list[threading.Thread]:
    """Those of task managers; the one that measures the interpreter lock comes and goes."""
    own = [thread for thread in threading.enumerate() if thread.name.startswith("intemi ")]
    return [thread for thread in own if thread.name != "intemi gil probe"]


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[Gate]:
    """A gate for the test, opened in the end."""
    place = gate(request.node.nodeid)
    yield place
    place.opened.set()


# How many at once


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_as_many_machines_run_at_once_as_there_are_workers(workers: int) -> None:
    with Project(workers=workers) as project:
        met = [project.request(Meet(f"{workers} at once", workers, number)) for number in range(workers)]
        project.wait(*met)
        assert [each.outputs["result"] for each in met] == list(range(workers))


def test_a_project_has_as_many_threads_as_workers_and_none_when_it_is_closed() -> None:
    before = len(own_threads())
    with Project(workers=3) as project:
        project.run(Number(1))
        assert len(own_threads()) == before + 3
    assert len(own_threads()) == before


def test_without_a_number_there_is_a_worker_for_every_core() -> None:
    assert Threads().workers >= 1
    with Project() as project:
        assert [manager.workers for manager in project.managers] == [Threads().workers]


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_the_number_of_workers_is_checked(workers: Any) -> None:
    with pytest.raises(ConfigurationError, match="Threads: workers must be an int of at least 1"):
        Threads(workers)


# Coming and going


def test_a_manager_that_is_subscribed_while_a_project_runs_takes_its_share(opened: Gate) -> None:
    with Project(workers=1) as project:
        busy = project.request(Pass(opened.name))
        assert opened.reached.wait(30)
        waiting = project.request(Number(1))
        assert waiting.state is State.QUEUED
        project.subscribe(Threads(1))
        assert waiting.wait(30).outputs["result"] == 1
        assert busy.state is State.RUNNING


def test_a_manager_that_is_unsubscribed_finishes_what_it_is_doing(opened: Gate) -> None:
    with Project(workers=1) as project:
        (manager,) = project.managers
        capsule = project.request(Pass(opened.name, 7))
        assert opened.reached.wait(30)
        leaving = threading.Thread(target=project.unsubscribe, args=(manager,))
        leaving.start()
        opened.opened.set()
        leaving.join(30)
        assert capsule.wait(30).outputs["result"] == 7
        assert project.managers == ()


def test_a_project_without_managers_waits_for_the_next_one() -> None:
    with Project(workers=1) as project:
        project.unsubscribe(project.managers[0])
        chain = project.request(Chain(3), number=project.given(1))
        assert chain.state is State.QUEUED
        project.subscribe(Threads(1))
        assert chain.wait(30).outputs["result"] == 4


class TwoSteps(Machine):
    """Requests one machine after the other."""

    result = Output(int)
    place: str

    async def run(self, job: Job) -> Model:
        first = await job.request(Pass(self.place, 1))
        second = await job.request(Number(job.load(first.result) + 1))
        return Model(result=second.result)


def test_a_composite_goes_on_with_another_manager(opened: Gate) -> None:
    with Project(workers=1) as project:
        (manager,) = project.managers
        composite = project.request(TwoSteps(opened.name))
        assert opened.reached.wait(30)
        leaving = threading.Thread(target=project.unsubscribe, args=(manager,))
        leaving.start()
        opened.opened.set()
        leaving.join(30)
        other = Counting()
        project.subscribe(other)
        assert composite.wait(30).outputs["result"] == 2
        assert other.executed == [Number(2)]


def test_managers_come_and_go_while_a_project_runs() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        repeater = project.request(cross_validation(5, 5), data=project.given(3))
        while not repeater.done:
            manager = Threads(2)
            project.subscribe(manager)
            project.unsubscribe(project.managers[0])
        repeater.wait()
        assert project.managers == (manager,)
        assert set(log.runs.values()) == {1}
        assert log.runs.total() == 1 + 5 * 2 + 25 * 5


def test_a_manager_can_change_the_project() -> None:
    manager = Threads(2)
    with Project(workers=manager) as project:
        assert project.run(Number(1)).outputs["result"] == 1
    with Project(workers=manager) as project:
        assert project.run(Number(2)).outputs["result"] == 2


@pytest.mark.parametrize("make", [Threads, Processes])
def test_a_manager_serves_several_projects_at_once(make: type[Slots]) -> None:
    manager, before = make(2), own_threads()
    with Project(workers=manager) as first, Project(workers=manager) as second, Project(workers=manager) as third:
        asked = [p.request(cross_validation(2, 3), data=p.given(3)) for p in (first, second, third)]
        assert len({capsule.wait(60).key for capsule in asked}) == 1
        third.close()
        second.unsubscribe(manager)
        assert first.run(Number(7)).outputs["result"] == 7
        assert second.managers == ()
    assert set(own_threads()) <= set(before)


def test_projects_of_one_manager_share_its_workers(opened: Gate) -> None:
    manager = Counting(1)
    with Project(workers=manager) as first, Project(workers=manager) as second:
        blocking = first.request(Pass(opened.name))
        assert opened.reached.wait(30)
        queued = [second.request(Number(number)) for number in range(5)]
        further = [first.request(Number(number)) for number in range(10, 15)]
        time.sleep(0.05)
        assert manager.executed == [blocking.config]
        opened.opened.set()
        second.wait(*queued)
        first.wait(*further)
    turns = [config.value >= 10 for config in manager.executed[1:]]
    assert turns == [False, True] * 5, "each project gets its turn"


def test_a_project_leaves_a_manager_that_is_busy_with_another_one(opened: Gate) -> None:
    manager, before = Threads(1), own_threads()
    with Project(workers=manager) as busy:
        busy.request(Pass(opened.name))
        assert opened.reached.wait(30)
        with Project(workers=manager) as other:
            waiting = other.request(Number(1))
        assert waiting.state is State.ABORTED
        opened.opened.set()
        assert busy.request(Number(2)).wait(30).outputs["result"] == 2
    assert set(own_threads()) <= set(before)


def test_a_manager_is_subscribed_once_to_a_project() -> None:
    manager = Threads(2)
    with Project(workers=manager) as project:
        with pytest.raises(ConfigurationError, match=r"Threads\(2\) serves this project already"):
            project.subscribe(manager)
        assert project.managers == (manager,)


def open_files() -> list[tuple[str, int]]:
    return [(each.path, each.fd) for each in psutil.Process().open_files()]


class Refusing(Threads):
    """Serves no project."""

    def open(self, line: Any) -> None:
        raise ConfigurationError("Refusing: serves no project")


def test_a_project_that_cannot_have_its_manager_leaves_nothing_open(tmp_path: Path) -> None:
    threads, files = len(own_threads()), open_files()
    with pytest.raises(ConfigurationError, match="serves no project") as caught:
        Project(tmp_path, workers=Refusing(1))
    assert caught.traceback  # whatever the project held is still referred to from here
    assert len(own_threads()) == threads
    assert open_files() == files


def test_a_manager_that_is_not_subscribed_cannot_be_unsubscribed() -> None:
    with Project(workers=1) as project, pytest.raises(ConfigurationError, match=r"Threads\(2\) is not subscribed here"):
        project.unsubscribe(Threads(2))


def test_a_closed_project_takes_no_manager() -> None:
    project = Project(workers=1)
    project.close()
    with pytest.raises(IntemiError, match="the project is closed"):
        project.subscribe(Threads(1))


# Several at once


def test_two_managers_work_at_once() -> None:
    first, second = Counting(), Counting()
    with Project(workers=first) as project:
        project.subscribe(second)
        project.wait(*(project.request(Meet("two managers", 2, number)) for number in range(2)))
    assert len(first.executed) == len(second.executed) == 1


def test_threads_and_processes_work_at_once_and_limits_choose_the_process() -> None:
    threads = Counting()
    with Project(workers=threads) as project:
        project.subscribe(Processes(1))
        limited = project.request(Sleep(0.01, 1), name="limited", limits=Limits(memory=2**33))
        free = [project.request(Sleep(0.001, number)) for number in range(20)]
        project.wait(limited, *free)
        assert [each.outputs["result"] for each in free] == list(range(20))
        assert Sleep(0.01, 1) not in threads.executed


def test_limits_that_only_a_process_can_enforce_are_refused_without_one() -> None:
    with Project(workers=Threads(1)) as project, pytest.raises(ConfigurationError, match="need a process manager"):
        project.request(Number(1), limits=Limits(memory=2**30))


# What a manager is not told


def test_a_manager_of_ones_own_runs_leaves_and_only_these() -> None:
    manager = Counting(2)
    with Project(workers=manager) as project:
        assert project.run(Chain(2), number=project.given(1)).outputs["result"] == 3
    assert [type(config).__name__ for config in manager.executed] == ["Number", "Add", "Add"]


def test_a_failure_costs_no_worker() -> None:
    with Project(workers=1) as project:
        for number in range(5):
            with pytest.raises(MachineFailed):
                project.request(Fail(f"{number}")).wait(30)
        assert project.request(Number(1)).wait(30).outputs["result"] == 1


class Exits(Machine):
    """Leaves the program, or would."""

    def run(self) -> Model:
        raise SystemExit(3)


def test_a_machine_that_exits_fails_and_costs_no_worker() -> None:
    with Project(workers=1) as project:
        with pytest.raises(MachineFailed, match="Exits failed: SystemExit: 3"):
            project.request(Exits()).wait(30)
        assert project.request(Number(1)).wait(30).outputs["result"] == 1


def test_a_machine_that_is_aborted_leaves_its_worker_to_others(opened: Gate) -> None:
    with Project(workers=1) as project:
        stuck = project.request(Pass(opened.name))
        assert opened.reached.wait(30)
        stuck.abort()
        assert project.request(Number(1)).wait(30).outputs["result"] == 1


def test_a_project_closes_although_a_machine_does_not_return(opened: Gate) -> None:
    with Project(workers=1) as project:
        stuck = project.request(Pass(opened.name))
        assert opened.reached.wait(30)
    assert stuck.state is State.ABORTED


class Unkeepable(Machine):
    """Has a result that no store can keep."""

    def run(self) -> Model:
        return Model(results={"Lock": threading.Lock()})


def test_nobody_waits_for_ever_where_warnings_are_errors(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            MachineFailed,
            match=r"StoreWarning: the result of Unkeepable could not be written to .* is kept in memory only",
        ):
            project.request(Unkeepable()).wait(30)
        assert project.request(Number(1)).wait(30).outputs["result"] == 1


def test_a_short_leaf_is_not_worth_a_thread() -> None:
    stats = LeafStats()
    assert not stats.is_short  # nothing is known of it yet
    for _ in range(5):
        stats.note(cpu=SHORT_LEAF_SECONDS / 10, wall=SHORT_LEAF_SECONDS / 10)
    assert stats.is_short


def test_a_leaf_that_holds_the_interpreter_lock_is_noticed_once_that_was_measured() -> None:
    stats = LeafStats()
    stats.note(cpu=2 * SHORT_LEAF_SECONDS, wall=2 * SHORT_LEAF_SECONDS)
    stats.note_probe(seconds=0.005, late=0.004)
    assert not stats.is_known
    assert not stats.holds_gil
    for _ in range(5):
        stats.note_probe(seconds=0.005, late=0.004)
    assert stats.holds_gil
    assert stats.is_short, "another thread would not help"


def test_a_leaf_that_releases_the_interpreter_lock_runs_beside_others() -> None:
    stats = LeafStats()
    stats.note(cpu=2 * SHORT_LEAF_SECONDS, wall=2 * SHORT_LEAF_SECONDS)
    for number in range(200):
        stats.note_probe(seconds=0.002, late=0.002 if number % 5 == 0 else 0.0001)
    assert not stats.holds_gil
    assert not stats.is_short


def test_what_was_measured_long_ago_counts_less() -> None:
    stats = LeafStats()
    for late in (0.004, 0.0):
        for _ in range(2000):
            stats.note_probe(seconds=0.005, late=late)
    assert not stats.holds_gil


def test_a_leaf_that_waits_for_something_lets_others_work() -> None:
    stats = LeafStats()
    for _ in range(3):
        stats.note(cpu=SHORT_LEAF_SECONDS / 10, wall=2 * TURN_TIMEOUT_SECONDS)
    assert not stats.is_short
