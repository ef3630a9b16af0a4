"""Limits and aborts: whatever a leaf does, it is ended; its siblings and the store are unharmed, others are served.

How long it takes from the moment at which a limit is exceeded to the end of the request is printed, and bounded
generously: the computer may be busy with other things.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import Processes
from intemi.kernel import (
    Capsule,
    Event,
    EventKind,
    Job,
    LimitExceeded,
    Limits,
    Machine,
    MachineAborted,
    Model,
    Output,
    Project,
    State,
    Threads,
)
from intemi.kernel.explain import Verdict
from intemi.workers import TaskManager
from tests.machines import Chain, Draw, Log, Number, Pass, Sleep, gate

MEGABYTE = 2**20
PROMISED = 1.0
"""Seconds after which a request must be over once a limit is exceeded; on a quiet computer a tenth of one is usual."""
LONG = 60.0


class Lateness:
    """How late the computer itself is meanwhile: what many short sleeps take longer than they should, all together.

    It is nothing on a quiet computer. On one with more to do than processors, it is what nobody can promise.
    """

    def __init__(self) -> None:
        self._late, self._stop = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True)
        self._thread.start()

    def _measure(self) -> None:
        while not self._stop.is_set():
            begun = time.perf_counter()
            time.sleep(0.01)
            late = time.perf_counter() - begun - 0.01
            self._late += late if late > 0.005 else 0.0

    def stopped(self) -> float:
        """The seconds until now."""
        self._stop.set()
        self._thread.join()
        return self._late


class Stubborn(Machine):
    """Never returns, in one of several ways, and leaves a note when it exceeds what it was told is its limit."""

    result = Output(int)
    how: str
    folder: str
    limit: float = 0.0

    def run(self) -> Model:
        note(self.folder, "pid", os.getpid())
        getattr(self, f"_{self.how}")()
        return Model(result=0)

    def _sleep(self) -> None:
        time.sleep(10 * LONG)

    def _compute(self) -> None:
        began = time.process_time()
        is_over = False
        while time.process_time() < began + LONG:
            if not is_over and time.process_time() > began + self.limit:
                is_over = True
                note(self.folder, "over", time.time())

    def _hold_the_interpreter(self) -> None:
        re.match("(a|aa)+b", 200 * "a")  # not finished in this universe, and in one call

    def _ignore_signals(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        while True:
            try:
                time.sleep(LONG)
            except BaseException:
                continue

    def _eat_memory(self) -> None:
        note(self.folder, "over", time.time())  # very soon
        eaten = [np.ones(10 * MEGABYTE // 8) for _ in range(200)]  # at most 2 GB, should nobody stop it
        assert eaten


class Compute(Machine):
    """Takes some CPU time."""

    result = Output(int)
    number: int
    seconds: float = 0.1

    def run(self) -> Model:
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass
        return Model(result=self.number)


class Allocate(Machine):
    """Takes some memory, and some time."""

    result = Output(int)
    megabytes: int
    seconds: float = 1.0

    def run(self) -> Model:
        taken = np.ones(self.megabytes * MEGABYTE // 8)
        time.sleep(self.seconds)
        return Model(result=len(taken))


class Twice(Machine):
    """Does not return from the first run, and does from the second."""

    result = Output(int)
    folder: str

    def run(self) -> Model:
        try:
            note(self.folder, "first", os.getpid())
        except FileExistsError:
            return Model(result=2)
        time.sleep(10 * LONG)
        return Model(result=1)


class Group(Machine):
    """Machines side by side."""

    members: tuple[Machine, ...]

    async def run(self, job: Job) -> Model:
        for index, member in enumerate(self.members):
            job.request(member, name=f"{index}")
        return Model()


class Sequence(Machine):
    """Machines one after the other."""

    members: tuple[Machine, ...]

    async def run(self, job: Job) -> Model:
        for index, member in enumerate(self.members):
            await job.request(member, name=f"{index}")
        return Model()


def note(folder: str, name: str, value: float) -> None:
    """Leave a number in a new file, for another process."""
    with open(Path(folder) / f"{name}.part", "x") as file:
        file.write(repr(value))
    os.rename(Path(folder) / f"{name}.part", Path(folder) / name)
    if name == "first":
        (Path(folder) / "first.part").touch()


def noted(folder: Path, name: str) -> float:
    return float(wait_until(lambda: (folder / name).exists() and (folder / name).read_text()))


def wait_until(condition: Callable[[], Any]) -> Any:
    until = time.monotonic() + LONG
    while not (answer := condition()):
        assert time.monotonic() < until, "it never happens"
        time.sleep(0.005)
    return answer


def is_gone(pid: float) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    return False


def moment(log: Log, kind: EventKind, capsule: Capsule) -> float:
    (found,) = (event.time for event in log.events if event.kind is kind and event.number == capsule.context.number)
    return found


def expect_abort(capsule: Capsule) -> None:
    with pytest.raises(MachineAborted, match="was aborted"):
        capsule.wait(LONG)
    assert capsule.state is State.ABORTED


def expect_limit(capsule: Capsule, what: str) -> None:
    with pytest.raises(LimitExceeded, match=re.escape(what)):
        capsule.wait(2 * LONG)
    assert capsule.state is State.ABORTED


def is_reused(project: Project, config: Machine, **bindings: Any) -> bool:
    return project.explain(config, **bindings).verdict is Verdict.REUSE


def warm_up(project: Project) -> None:
    """Have both worker processes started, with this module imported there."""
    project.run(Group((Compute(-1, 0.3), Compute(-2, 0.3))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "folder"


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with Project(folder, workers=Processes(2)) as project:
        yield project


# A leaf over its limit

LIMITS = {
    "sleep": (Limits(wall=1.5), 1.5, "1.5 s of wall time"),
    "hold_the_interpreter": (Limits(wall=1.5), 1.5, "1.5 s of wall time"),
    "ignore_signals": (Limits(wall=1.5), 1.5, "1.5 s of wall time"),
    "compute": (Limits(cpu=0.5), 0.5, "0.5 s of CPU time"),
    "eat_memory": (Limits(memory=300 * MEGABYTE), 300 * MEGABYTE, f"{300 * MEGABYTE:,} bytes of memory"),
}


@pytest.mark.parametrize("how", LIMITS)
def test_a_leaf_over_its_limit_is_ended_and_everything_else_is_unharmed(
    project: Project, folder: Path, tmp_path: Path, how: str
) -> None:
    limits, limit, what = LIMITS[how]
    log, lateness = Log(project), Lateness()
    stubborn = Stubborn(how, str(tmp_path), float(limit))
    started = project.request(Sleep(0.2, 5), name="before")
    capsule = project.request(stubborn, limits=limits, name="stubborn")
    siblings = [project.request(Chain(5), number=project.given(1), name="chain"), project.request(Draw(), name="draw")]
    expect_limit(capsule, f"stubborn exceeded its limit of {what}")
    told = moment(log, EventKind.ABORTED, capsule)
    if limits.wall is not None:
        delay = told - moment(log, EventKind.STARTED, capsule) - limits.wall
    else:  # it was ended before it thought so itself, if it had a lot to import
        delay = told - noted(tmp_path, "over") if (tmp_path / "over").exists() else 0.0
    late = lateness.stopped()
    print(f"{how}: told {delay:.3f} s after the limit, by a computer that was {late:.3f} s late")
    assert delay < PROMISED + late
    if (tmp_path / "pid").exists():  # unless its process was not even up by then
        wait_until(lambda: is_gone(noted(tmp_path, "pid")))
    project.wait(started, *siblings)
    assert siblings[0].outputs["result"] == 6
    assert project.run(Sleep(0.0, 7), name="after").outputs["result"] == 7
    project.close()
    with Project(folder) as again:
        assert again.run(Chain(5), number=again.given(1)).outputs["result"] == 6
        again.run(Draw())
        again.run(Sleep(0.2, 5))
        assert not again.counts().physical, "what was finished is on record"
        assert not is_reused(again, stubborn), "what was stopped is not"


def test_a_machine_that_finished_under_a_limit_is_the_same_as_without(project: Project) -> None:
    limits = Limits(wall=LONG, cpu=LONG, memory=2**32)
    assert project.run(Compute(1), limits=limits).outputs["result"] == 1
    assert project.run(Compute(1)).outputs["result"] == 1
    assert project.counts().physical.total() == 1


def test_what_was_stopped_can_be_asked_for_again_with_a_higher_limit(project: Project) -> None:
    expect_limit(project.request(Allocate(200), limits=Limits(memory=150 * MEGABYTE)), "bytes of memory")
    assert project.run(Allocate(200), limits=Limits(memory=500 * MEGABYTE)).outputs["result"] == 200 * MEGABYTE // 8


def test_without_a_process_manager_such_limits_are_refused() -> None:
    with Project(workers=Threads(1)) as project, pytest.raises(ValueError, match="need a process manager"):
        project.request(Number(1), limits=Limits(memory=MEGABYTE))


def test_threads_look_at_cpu_time_whenever_a_leaf_has_ended() -> None:
    with Project(workers=Threads(1)) as project:
        sequence = Sequence(tuple(Compute(number, 0.05) for number in range(20)))
        capsule = project.request(sequence, limits=Limits(cpu=0.2), name="all")
        expect_limit(capsule, "all exceeded its limit of 0.2 s of CPU")
        finished = [number for number in range(20) if is_reused(project, Compute(number, 0.05))]
        assert 4 <= len(finished) <= 6
        assert capsule.cpu > 0.2


# A composite over its limit


def test_the_cpu_time_of_a_composite_is_the_sum_of_its_leaves(project: Project) -> None:
    warm_up(project)
    sequence = Sequence(tuple(Compute(number) for number in range(100)))
    expect_limit(project.request(sequence, limits=Limits(cpu=1.0), name="all"), "all exceeded its limit of 1 s of CPU")
    finished = [number for number in range(100) if is_reused(project, Compute(number))]
    assert finished == list(range(len(finished))), "they are finished one after the other"
    assert 5 <= len(finished) <= 10, "the sum of 0.1 s each reaches 1 s with the tenth"
    assert not is_reused(project, sequence)


def test_short_leaves_count_as_well(project: Project) -> None:
    sequence = Sequence(tuple(Compute(number, 0.005) for number in range(400)))
    expect_limit(project.request(sequence, limits=Limits(cpu=0.3)), "0.3 s of CPU time")


def test_leaves_that_run_at_the_same_time_count_while_they_run(project: Project, tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    group = Group(tuple(Stubborn("compute", str(folder), 0.7) for folder in folders))
    capsule = project.request(group, limits=Limits(cpu=1.5))
    expect_limit(capsule, "Group exceeded its limit of 1.5 s of CPU time")
    for folder in folders:
        wait_until(lambda folder=folder: is_gone(noted(folder, "pid")))


def test_a_leaf_that_is_asked_for_twice_counts_once(project: Project) -> None:
    warm_up(project)
    group = Group((Compute(1, 0.5), Compute(1, 0.5), Compute(1, 0.5)))
    assert project.run(group, limits=Limits(cpu=0.9)).done
    assert project.counts().physical["Compute"] == 3, "two of them to warm up"


def test_the_wall_time_of_a_composite_is_that_of_the_whole_branch(project: Project, folder: Path) -> None:
    warm_up(project)
    sequence = Sequence(tuple(Sleep(0.1, number) for number in range(200)))
    log, lateness = Log(project), Lateness()
    capsule = project.request(Sequence((sequence,)), limits=Limits(wall=1.5), name="all")
    expect_limit(capsule, "all exceeded its limit of 1.5 s of wall time")
    delay = moment(log, EventKind.ABORTED, capsule) - moment(log, EventKind.STARTED, capsule) - 1.5
    late = lateness.stopped()
    print(f"composite: told {delay:.3f} s after the limit, by a computer that was {late:.3f} s late")
    assert delay < PROMISED + late
    finished = len(log.of(EventKind.FINISHED))
    project.close()
    with Project(folder) as again:
        reused = [number for number in range(200) if is_reused(again, Sleep(0.1, number))]
        assert 0 < len(reused) < 200
        assert abs(len(reused) - finished) <= 1, "what had finished is on record"
        assert not is_reused(again, sequence)


def test_the_memory_limit_of_a_composite_holds_for_each_of_its_leaves(project: Project) -> None:
    limits = Limits(memory=400 * MEGABYTE)
    assert project.run(Group(tuple(Allocate(100, 0.3 + 0.01 * number) for number in range(6))), limits=limits).done
    expect_limit(project.request(Group((Allocate(600),)), limits=limits), "bytes of memory")


def test_a_limit_inside_of_a_composite_is_its_own_matter(project: Project, tmp_path: Path) -> None:
    class Careful(Machine):
        """Gives a machine some time, and goes on without it."""

        stubborn: Machine

        async def run(self, job: Job) -> Model:
            capsule = job.request(self.stubborn, limits=Limits(wall=0.3))
            other = job.request(Compute(3))
            await job.any(capsule)
            await other
            return Model(results={"Error": type(capsule.error).__name__, "Other": job.load(other.result)})

    done = project.run(Careful(Stubborn("sleep", str(tmp_path))))
    assert done.results == {"Error": "LimitExceeded", "Other": 3}


# Others who wait for the same machine


def test_who_asks_for_the_same_without_a_limit_is_served_by_the_same_run(project: Project) -> None:
    log = Log(project)
    limited = project.request(Sleep(2.0, 4), limits=Limits(wall=0.5), name="limited")
    patient = project.request(Sleep(2.0, 4), name="patient")
    expect_limit(limited, "limited exceeded its limit of 0.5 s")
    assert patient.wait(LONG).outputs["result"] == 4
    assert log.started == ["limited"]


def test_each_has_a_limit_of_its_own_and_the_last_one_ends_the_machine(project: Project, tmp_path: Path) -> None:
    stubborn = Stubborn("sleep", str(tmp_path))
    log = Log(project)
    first = project.request(stubborn)
    pid = noted(tmp_path, "pid")
    passed = time.time() - moment(log, EventKind.STARTED, first)
    limited = [project.request(stubborn, limits=Limits(wall=passed + more), name=f"{more}") for more in (1.2, 0.3, 0.7)]
    first.abort()
    for index in (1, 2, 0):
        assert not is_gone(pid)
        expect_limit(limited[index], "s of wall time")
    wait_until(lambda: is_gone(pid))
    times = [moment(log, EventKind.ABORTED, limited[index]) for index in (1, 2, 0)]
    assert times == sorted(times)
    assert len(log.started) == 1


def test_a_limit_is_for_who_has_it_also_if_another_asked_first(project: Project) -> None:
    sequence = Sequence(tuple(Compute(number, 0.1) for number in range(12)))
    patient = project.request(sequence, name="patient")
    limited = project.request(sequence, limits=Limits(cpu=0.5), name="limited")
    expect_limit(limited, "limited exceeded its limit of 0.5 s of CPU time")
    assert patient.wait(LONG).done


def test_who_asks_at_the_moment_of_the_end_gets_another_run(project: Project, tmp_path: Path) -> None:
    capsule = project.request(Twice(str(tmp_path)))
    noted(tmp_path, "first")
    capsule.abort()
    again = project.request(Twice(str(tmp_path)))
    expect_abort(capsule)
    assert again.wait(LONG).outputs["result"] == 2


def test_a_listener_that_requests_again_after_an_abort_is_answered(project: Project) -> None:
    asked: list[Capsule] = []

    def ask_again(event: Event) -> None:
        if event.kind is EventKind.ABORTED:
            asked.append(project.request(Sleep(1.5, 6)))

    project.listen(ask_again)
    expect_limit(project.request(Sleep(1.5, 6), limits=Limits(wall=0.5)), "0.5 s of wall time")
    wait_until(lambda: asked)
    assert asked[0].wait(LONG).outputs["result"] == 6


@pytest.mark.parametrize("manager", [Processes, Threads])
def test_who_waits_in_another_process_takes_over(
    folder: Path, tmp_path: Path, manager: Callable[[int], TaskManager]
) -> None:
    with Project(folder, workers=Processes(1)) as first, Project(folder, workers=manager(1)) as second:
        first.run(Number(1))  # its worker process is up
        limited = first.request(Twice(str(tmp_path)), limits=Limits(wall=1.0))
        noted(tmp_path, "first")
        patient = second.request(Twice(str(tmp_path)))
        wait_until(lambda: patient.state is State.ELSEWHERE)
        expect_limit(limited, "1 s of wall time")
        assert patient.wait(LONG).outputs["result"] == 2


def test_a_limit_holds_while_another_process_runs_the_machine(folder: Path) -> None:
    with Project(folder, workers=1) as first, Project(folder, workers=1) as second:
        running = first.request(Pass("elsewhere", 8))
        gate("elsewhere").reached.wait(LONG)
        expect_limit(second.request(Pass("elsewhere", 8), limits=Limits(wall=0.3)), "0.3 s of wall time")
        patient = second.request(Pass("elsewhere", 8))
        gate("elsewhere").opened.set()
        assert patient.wait(LONG).outputs["result"] == running.wait(LONG).outputs["result"] == 8


# Abort


@pytest.fixture(params=[Threads, Processes])
def any_project(request: pytest.FixtureRequest, folder: Path) -> Iterator[Project]:
    with Project(folder, workers=request.param(2)) as project:
        yield project


class Linger(Machine):
    """Stays until a file appears, which need not be ever."""

    result = Output(int)
    folder: str
    name: str

    def run(self) -> Model:
        note(self.folder, f"{self.name} runs", os.getpid())
        while not (Path(self.folder) / "end").exists():
            time.sleep(0.01)
        return Model(result=1)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where lingering machines leave notes; in the end they are let go."""
    place = tmp_path / "place"
    place.mkdir()
    yield place
    (place / "end").touch()


def test_a_capsule_is_aborted_and_the_rest_goes_on(any_project: Project, place: Path) -> None:
    capsules = [any_project.request(Linger(str(place), name), name=name) for name in ("a", "b")]
    dependant = any_project.request(Chain(2), number=capsules[0].result)
    queued = any_project.request(Number(3))
    for name in ("a", "b"):
        noted(place, f"{name} runs")
    capsules[0].abort()
    expect_abort(capsules[0])
    expect_abort(dependant)
    assert queued.wait(LONG).outputs["result"] == 3, "there is a free worker again"
    assert capsules[1].state is State.RUNNING
    (place / "end").touch()
    assert capsules[1].wait(LONG).outputs["result"] == 1


def test_a_branch_is_aborted_with_everything_that_nobody_else_asked_for(any_project: Project, place: Path) -> None:
    own, shared = Linger(str(place), "own"), Linger(str(place), "shared")
    branch = any_project.request(Group((Number(1), Group((own, shared)))), name="branch")
    other = any_project.request(shared, name="other")
    for name in ("own", "shared"):
        noted(place, f"{name} runs")
    inner = branch.child("1")
    branch.abort()
    for capsule in (branch, inner, *inner.children):
        expect_abort(capsule)
    (place / "end").touch()
    assert other.wait(LONG).outputs["result"] == 1
    assert is_reused(any_project, Number(1)), "what had finished is kept"
    assert any_project.counts().physical["Linger"] == 2, "the shared one ran on"


def test_a_project_is_aborted_and_can_be_used_again(any_project: Project, place: Path) -> None:
    names = [f"{index}" for index in range(6)]
    group = any_project.request(Group(tuple(Linger(str(place), name) for name in names)))
    waiting = any_project.request(Chain(3), number=any_project.request(Linger(str(place), "x"), priority=-1).result)
    wait_until(lambda: len(list(place.glob("* runs"))) == 2)
    any_project.abort()
    expect_abort(group)
    expect_abort(waiting)
    assert any_project.run(Chain(3), number=any_project.given(1)).outputs["result"] == 4
    assert len(list(place.glob("* runs"))) == 2, "what was queued was not started"


def test_a_stopped_process_is_gone(place: Path) -> None:
    with Project(workers=Processes(1)) as project:
        capsule = project.request(Linger(str(place), "x"))
        pid = noted(place, "x runs")
        capsule.abort()
        wait_until(lambda: is_gone(pid))


def test_a_leaf_that_never_returns_does_not_block_the_closing_of_a_project(folder: Path, place: Path) -> None:
    for manager in (Threads(2), Processes(2)):
        project = Project(folder, workers=manager)
        name = type(manager).__name__
        capsules = [project.request(Linger(str(place), f"{name} {index}")) for index in range(4)]
        wait_until(lambda name=name: len(list(place.glob(f"{name} * runs"))) == 2)
        closing = threading.Thread(target=project.close, daemon=True)
        closing.start()
        closing.join(LONG)
        assert not closing.is_alive()
        for capsule in capsules:
            expect_abort(capsule)


def test_a_leaf_that_never_returns_does_not_block_a_thread_manager_that_is_to_go(place: Path) -> None:
    with Project(workers=1) as project:
        (manager,) = project.managers
        capsule = project.request(Linger(str(place), "x"))
        noted(place, "x runs")
        going = threading.Thread(target=project.unsubscribe, args=(manager,), daemon=True)
        going.start()
        capsule.abort()
        going.join(LONG)
        assert not going.is_alive()
        project.subscribe(Threads(1))
        assert project.run(Number(2)).outputs["result"] == 2


def test_a_thread_that_is_over_its_wall_time_is_left_behind_and_another_takes_its_place(place: Path) -> None:
    with Project(workers=Threads(1)) as project:
        capsules = [
            project.request(Linger(str(place), f"{index}"), limits=Limits(wall=0.2), name=f"{index}")
            for index in range(3)
        ]
        for index, capsule in enumerate(capsules):
            expect_limit(capsule, f"{index} exceeded its limit of 0.2 s of wall time")
        assert project.run(Number(2)).outputs["result"] == 2
        assert len(list(place.glob("* runs"))) == 3


def test_what_a_thread_that_was_left_behind_makes_is_taken_if_somebody_asks_for_it_again(place: Path) -> None:
    with Project(workers=Threads(1)) as project:
        expect_limit(project.request(Linger(str(place), "x"), limits=Limits(wall=0.2)), "0.2 s")
        again = project.request(Linger(str(place), "x"))
        (place / "end").touch()
        assert again.wait(LONG).outputs["result"] == 1
        assert project.counts().physical["Linger"] == 1
