"""Ctrl-C at any moment: the run ends within two seconds, its folder is usable, and the next run goes on."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from intemi.kernel import Machine, Model, Output, Project
from intemi.kernel.repository import Run
from tests.machines import Chain, cross_validation
from tests.profiles import by_profile

INTERRUPTS = by_profile(quick=12, full=300)
END_SECONDS = 2.0
PATIENCE = 120.0

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__, "intemi.kernel.disk"])


class Busy(Machine):
    """Computes in pure Python, for longer than a run that is interrupted may last."""

    version = 1
    number: int
    seconds: float
    result = Output(int)

    def run(self) -> Model:
        until = time.thread_time() + self.seconds
        while time.thread_time() < until:
            pass
        return Model(result=self.number)


def request_all(project: Project, seconds: float) -> None:
    """Everything that the experiment consists of."""
    given = project.given(7)
    capsules = [project.request(cross_validation(4, 5, seed=seed), data=given) for seed in range(6)]
    capsules += [project.request(Busy(number, seconds)) for number in range(24)]
    capsules += [project.request(Chain(20), number=project.given(number)) for number in range(5)]
    project.wait(*capsules)


def work(folder: str, ready: str, seconds: float) -> None:
    """A run; Ctrl-C ends it, as it ends a program that does not handle it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Path(ready).touch()
        with Project(folder, workers=2) as project:
            request_all(project, seconds)
    except KeyboardInterrupt:
        os._exit(130)


def results_in(folder: Path, seconds: float) -> tuple[list[object], int]:
    """What a whole run comes to, and how many machines it had to run."""
    with Project(folder, workers=2) as project:
        request_all(project, seconds)
        table = project.query(labels=["path", "kind"], run="all")
        return sorted(set(zip(table["path"], table["kind"], strict=True))), project.counts().physical.total()


def test_a_run_that_is_interrupted_again_and_again_comes_to_the_same_end(tmp_path: Path) -> None:
    rng = random.Random(5)
    seconds = 0.15
    interrupted = tmp_path / "interrupted"
    slowest, ended = 0.0, 0
    for number in range(INTERRUPTS):
        ready = tmp_path / f"ready {number}"
        process = processes.Process(target=work, args=(str(interrupted), str(ready), seconds), daemon=False)
        process.start()
        begun = time.monotonic()
        while not ready.exists():
            assert time.monotonic() - begun < PATIENCE
            time.sleep(0.002)
        time.sleep(rng.random() * 0.6)
        assert process.pid is not None
        sent = time.monotonic()
        if process.is_alive():
            os.kill(process.pid, signal.SIGINT)
        process.join(PATIENCE)
        assert not process.is_alive(), "it does not end"
        slowest = max(slowest, time.monotonic() - sent)
        assert process.exitcode in (0, 130), process.exitcode
        ended += process.exitcode == 130
        with Project(interrupted, workers=1) as project:
            assert isinstance(project.runs(), list)
            assert all(isinstance(run, Run) for run in project.runs())
    assert ended >= INTERRUPTS // 3, "most runs were done before they could be interrupted"
    assert slowest < END_SECONDS, f"the slowest took {slowest:.1f} s"
    whole, all_that_runs = results_in(tmp_path / "undisturbed", seconds)
    found, again = results_in(interrupted, seconds)
    assert found == whole
    assert again < all_that_runs, "nothing of the interrupted runs was kept"
    assert results_in(interrupted, seconds)[1] == 0


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_a_leaf_in_a_worker_process_is_ended_with_its_run(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    process = processes.Process(target=work, args=(str(tmp_path / "folder"), str(ready), 20.0), daemon=False)
    process.start()
    begun = time.monotonic()
    while not ready.exists():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.002)
    time.sleep(2.0)
    assert process.pid is not None
    sent = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    process.join(PATIENCE)
    assert process.exitcode == 130
    assert time.monotonic() - sent < END_SECONDS
