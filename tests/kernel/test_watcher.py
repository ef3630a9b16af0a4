from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import (
    Capsule,
    EventKind,
    Job,
    LimitExceeded,
    Limits,
    Machine,
    MachineAborted,
    MachineFailed,
    Model,
    Output,
    Project,
    State,
    StoreWarning,
)
from tests.machines import Chain, Log, Number, Pass, Sleep, cross_validation, gate

PATIENCE = 60.0


@pytest.fixture
def projects(tmp_path: Path) -> Iterator[tuple[Project, Project]]:
    """Two projects on one folder; to the store, it makes no difference that they share a process."""
    with Project(tmp_path / "folder", workers=1) as one, Project(tmp_path / "folder", workers=1) as other:
        yield one, other


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a gate of this test's own, which is open when the test is over."""
    name = request.node.nodeid
    yield name
    gate(name).opened.set()


def wait_until(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never happens"
        time.sleep(0.002)


def elsewhere(here: Project, there: Project, gate_name: str, value: int = 1, **options: Any) -> tuple[Capsule, Capsule]:
    """A machine that runs there, and is asked for here."""
    running = there.request(Pass(gate_name, value))
    assert gate(gate_name).reached.wait(PATIENCE)
    waiting = here.request(Pass(gate_name, value), **options)
    wait_until(lambda: waiting.state is State.ELSEWHERE)
    return waiting, running


def test_what_another_process_runs_is_not_run_here(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    waiting, running = elsewhere(here, there, name, 5)
    gate(name).opened.set()
    assert waiting.wait(PATIENCE).outputs["result"] == running.wait(PATIENCE).outputs["result"] == 5
    assert not here.counts().physical


def test_who_waits_for_another_process_occupies_no_worker(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    elsewhere(here, there, name)
    assert here.request(Number(2)).wait(PATIENCE).outputs["result"] == 2


def test_a_composite_that_another_process_runs_is_not_opened_here(projects: tuple[Project, Project], name: str) -> None:
    class Outer(Machine):
        """Has one child."""

        result = Output(int)
        gate: str

        async def run(self, job: Job) -> Model:
            passed = job.request(Pass(self.gate, 6), name="inner")
            await passed
            return Model(result=passed.result)

    here, there = projects
    there.request(Outer(name))
    assert gate(name).reached.wait(PATIENCE)
    waiting = here.request(Outer(name))
    wait_until(lambda: waiting.state is State.ELSEWHERE)
    gate(name).opened.set()
    assert waiting.wait(PATIENCE).outputs["result"] == 6
    assert [child.name for child in waiting.children] == ["inner"]
    assert here.counts().logical["Pass"] == 1, "it exists here as well"
    assert not here.counts().physical


def test_the_dependants_of_what_runs_elsewhere_go_on(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    waiting, _ = elsewhere(here, there, name, 5)
    chain = here.request(Chain(3), number=waiting.result)
    gate(name).opened.set()
    assert chain.wait(PATIENCE).outputs["result"] == 8


def test_the_machine_of_a_process_that_goes_is_run_here(tmp_path: Path, name: str) -> None:
    there = Project(tmp_path, workers=1)
    with Project(tmp_path, workers=1) as here:
        waiting, running = elsewhere(here, there, name, 5)
        there.close()
        assert running.state is State.ABORTED
        gate(name).opened.set()
        assert waiting.wait(PATIENCE).outputs["result"] == 5
        assert here.counts().physical["Pass"] == 1


def test_the_machine_that_another_process_aborts_is_run_here(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    waiting, running = elsewhere(here, there, name, 5)
    running.abort()
    gate(name).opened.set()
    assert waiting.wait(PATIENCE).outputs["result"] == 5


def test_what_fails_elsewhere_is_tried_here_once_more(projects: tuple[Project, Project], name: str) -> None:
    class Through(Machine):
        """Fails when it is through a gate."""

        version = 1
        gate: str

        def run(self) -> Model:
            place = gate(self.gate)
            place.reached.set()
            place.opened.wait(PATIENCE)
            raise ValueError("no")

    here, there = projects
    log = Log(here)
    failing = there.request(Through(name))
    assert gate(name).reached.wait(PATIENCE)
    waiting = here.request(Through(name))
    wait_until(lambda: waiting.state is State.ELSEWHERE)
    gate(name).opened.set()
    for capsule in (failing, waiting):
        with pytest.raises(MachineFailed, match="ValueError: no"):
            capsule.wait(PATIENCE)
    assert log.started == ["Through"]


def test_a_request_for_what_runs_elsewhere_can_be_aborted(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    waiting, running = elsewhere(here, there, name)
    second = here.request(Pass(name, 1))
    waiting.abort()
    with pytest.raises(MachineAborted):
        waiting.wait(PATIENCE)
    assert second.state is State.ELSEWHERE, "the other one still waits"
    second.abort()
    gate(name).opened.set()
    assert running.wait(PATIENCE).outputs["result"] == 1


def test_a_limit_on_wall_time_counts_while_it_runs_elsewhere(projects: tuple[Project, Project], name: str) -> None:
    here, there = projects
    waiting, _ = elsewhere(here, there, name, limits=Limits(wall=0.2))
    late = here.request(Pass(name, 1), limits=Limits(wall=0.3))
    patient = here.request(Pass(name, 1))
    for capsule in (waiting, late):
        with pytest.raises(LimitExceeded, match="s of wall time"):
            capsule.wait(PATIENCE)
    gate(name).opened.set()
    assert patient.wait(PATIENCE).outputs["result"] == 1


def test_a_claim_that_was_taken_over_and_not_used_is_given_back(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    with Project(folder, workers=1) as here, Project(folder, workers=1) as third:
        there = Project(folder, workers=1)
        waiting, _ = elsewhere(here, there, name, 5)
        blocker = here.request(Pass(f"{name}, blocker"))
        assert gate(f"{name}, blocker").reached.wait(PATIENCE)
        there.close()
        wait_until(lambda: waiting.state is State.QUEUED)
        waiting.abort()
        gate(name).opened.set()
        assert third.request(Pass(name, 5)).wait(PATIENCE).outputs["result"] == 5
        gate(f"{name}, blocker").opened.set()
        blocker.wait(PATIENCE)


def test_a_project_closes_while_it_waits_for_another_process(tmp_path: Path, name: str) -> None:
    with Project(tmp_path, workers=1) as there:
        for _ in range(10):
            here = Project(tmp_path, workers=1)
            waiting, _ = elsewhere(here, there, name)
            closing = threading.Thread(target=here.close, daemon=True)
            closing.start()
            closing.join(PATIENCE)
            assert not closing.is_alive()
            assert waiting.state is State.ABORTED
        gate(name).opened.set()


def test_nobody_waits_for_ever_if_the_store_is_lost(tmp_path: Path, name: str) -> None:
    with Project(tmp_path, workers=1) as here, Project(tmp_path, workers=1) as there:
        waiting, _ = elsewhere(here, there, name)
        here._engine.store.close()
        with pytest.raises(MachineFailed):
            waiting.wait(PATIENCE)
        with pytest.warns(StoreWarning, match="the index could not be updated"):
            here.close()


def test_there_is_a_watching_thread_only_while_there_is_something_to_watch(
    projects: tuple[Project, Project], name: str
) -> None:
    here, there = projects
    assert here._engine.execution._watcher._thread is None
    waiting, _ = elsewhere(here, there, name)
    assert here._engine.execution._watcher._thread is not None
    gate(name).opened.set()
    waiting.wait(PATIENCE)
    wait_until(lambda: here._engine.execution._watcher._thread is None)


def test_two_projects_share_a_cross_validation(projects: tuple[Project, Project]) -> None:
    logs = [Log(project) for project in projects]
    study = cross_validation(repetitions=3, folds=4)
    requested = [
        [project.request(study.replace("seed", seed), data=project.given(3)) for seed in order]
        for project, order in zip(projects, ((1, 2, 3, 4), (4, 3, 2, 1)), strict=True)
    ]
    for capsules in requested:
        for capsule in capsules:
            capsule.wait(PATIENCE)
    runs = Counter(event.machine for log in logs for event in log.of(EventKind.FINISHED))
    assert set(runs.values()) == {1}, "each machine ran once, here or there"
    assert [c.results for c in requested[0]] == [c.results for c in reversed(requested[1])]


@pytest.mark.parametrize("seed", range(4))
def test_aborts_and_requests_from_two_sides_leave_no_claim_behind(tmp_path: Path, seed: int) -> None:
    errors: list[BaseException] = []

    def disturb(project: Project, side: int) -> None:
        chance = random.Random(10 * seed + side)
        try:
            for value in range(120):
                sleep = Sleep(0.0005, 1000 * seed + value // 2)
                for _ in range(chance.randrange(3)):
                    capsule = project.request(sleep)
                    if chance.random() < 0.5:
                        time.sleep(chance.random() * 0.002)
                    capsule.abort()
                capsule = project.request(sleep)
                with suppress(LimitExceeded):
                    capsule.wait(PATIENCE)
                    assert capsule.outputs["result"] == sleep.value
        except BaseException as error:
            errors.append(error)

    with Project(tmp_path, workers=2) as one, Project(tmp_path, workers=1) as other:
        threads = [
            threading.Thread(target=disturb, args=(project, side), daemon=True)
            for side, project in enumerate((one, one, other, other))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * PATIENCE)
            assert not thread.is_alive(), "it hangs"
        assert not errors, errors
