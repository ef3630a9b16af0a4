"""A search for a learning machine that is killed at random moments and started again ends with the same ranking, and
runs nothing again that had finished.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

from intemi.kernel import Event, EventKind, Project
from intemi.machines import (
    KNN,
    Majority,
    NaiveBayes,
    Normalization,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
)
from intemi.machines.meta_learning import ComplexitySearch, Filled, Flow, MetaLearner, Set, cross_validation

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__, "intemi.kernel.disk"])

LEARNERS = Set((Majority(), NaiveBayes(), *(KNN(k=k) for k in range(1, 16, 2))))
SCALED = Filled(
    TransformAndClassify(), {"transformation": Set((Standardization(), Normalization())), "learner": LEARNERS}
)
SEARCH = MetaLearner(Flow((LEARNERS, SCALED)), ComplexitySearch(), cross_validation(folds=3, repetitions=1))
KILLS = 6
PATIENCE = 60.0


def work(folder: str, log: str) -> None:
    """Search, and write a line for every machine that is started or has finished, at once."""
    written = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def report(event: Event) -> None:
        if event.machine is not None and event.kind in (EventKind.STARTED, EventKind.FINISHED):
            os.write(written, f"{event.kind.name[0]} {event.machine.hex()}\n".encode())

    with Project(folder, workers=2) as project:
        project.listen(report)
        project.run(SEARCH, data=project.request(SklearnDataset("wine")).data)


def run_and_kill(folder: Path, log: Path, lines: int) -> bool:
    """Start a search, and kill it when it has written so many lines; whether it was killed."""
    process = processes.Process(target=work, args=(str(folder), str(log)), daemon=True)
    log.touch()
    before = log.read_bytes().count(b"\n")
    process.start()
    until = time.monotonic() + PATIENCE
    while process.is_alive() and log.read_bytes().count(b"\n") - before < lines:
        assert time.monotonic() < until, "nothing happens any more"
        time.sleep(0.001)
    process.kill()
    process.join(PATIENCE)
    return process.exitcode == -signal.SIGKILL


def ranking_in(folder: Path) -> list[tuple[float, str, float]]:
    """What a search has found; nothing is left to be run."""
    with Project(folder, workers=1) as project:
        table = project.run(SEARCH, data=project.request(SklearnDataset("wine")).data).results["Ranking"]
        assert not project.counts().physical
        return list(zip(table["quality"], table["candidate"], table["p"], strict=True))


def test_the_ranking_is_the_same_and_nothing_that_had_finished_is_run_again(tmp_path: Path) -> None:
    rng = random.Random(3)
    log = tmp_path / "log"
    kills = sum(run_and_kill(tmp_path / "killed", log, rng.randint(20, 80)) for _ in range(KILLS))
    assert kills >= KILLS - 1, "the search is too short for so many kills"
    assert not run_and_kill(tmp_path / "killed", log, 10**9)
    finished: set[str] = set()
    for line in log.read_text().splitlines():
        kind, machine = line.split()
        assert machine not in finished, f"{machine} had finished, and was run again"
        if kind == "F":
            finished.add(machine)
    assert not run_and_kill(tmp_path / "undisturbed", tmp_path / "other log", 10**9)
    assert ranking_in(tmp_path / "killed") == ranking_in(tmp_path / "undisturbed")
