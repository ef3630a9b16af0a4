"""Another process asks about an experiment that is running, about one that was killed, and about one of long ago.

The run is a process of its own. Its leaves wait for permits, bytes in a file that the test adds to, so that the test
knows exactly how much has finished.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import ConfigurationError, Input, IntemiError, Machine, Model, Output, Project
from intemi.machines import Repeater, Scheme
from intemi.series import Series
from tests.machines import Distribute

PATIENCE = 60
REPETITIONS, FOLDS = 3, 4
LABELS = ["Accuracy", "Repetition", "Fold", "machine"]

processes = multiprocessing.get_context("spawn")
_asked = count()


def wait_for_permit(path: str) -> None:
    """Let one leaf of this process after another through, as many as there are permits."""
    number = next(_asked)
    deadline = time.monotonic() + PATIENCE
    while os.path.getsize(path) <= number:
        if time.monotonic() > deadline:
            raise TimeoutError("no permit")
        time.sleep(0.002)


class Load(Machine):
    """Data, with a permit."""

    version = 1
    data = Output(int)
    permits: str

    def run(self) -> Model:
        wait_for_permit(self.permits)
        return Model(data=17)


class Judge(Machine):
    """An accuracy of sorts, with a permit."""

    version = 1
    training = Input(int)
    test = Input(int)
    permits: str

    def run(self, training: int, test: int) -> Model:
        wait_for_permit(self.permits)
        return Model(results={"Accuracy": training * test % 97 / 97})


def experiment(permits: str) -> Repeater:
    """A repeated cross-validation with one judge in each fold."""
    test = Scheme(training=int, test=int)
    test.add(Judge(permits), name="judge", training=test.training, test=test.test)
    return Repeater(distributor=Distribute(FOLDS), test=test, repetitions=REPETITIONS, seed=1)


def run(folder: str, permits: str, name: str) -> None:
    """What the other process does."""
    with Project(folder, workers=1, name=name) as project:
        data = project.request(Load(permits), name="data")
        project.run(experiment(permits), data=data.data, name="study")


@contextmanager
def running(folder: Path, permits: Path, name: str) -> Iterator[Any]:
    """A process that runs the experiment; it is killed at the end, if it has not ended by itself."""
    process = processes.Process(target=run, args=(str(folder), str(permits), name))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def permit(path: Path, number: int) -> None:
    """Let some more leaves through."""
    with path.open("ab") as file:
        file.write(b"." * number)


def until(condition: Callable[[], bool]) -> None:
    """Ask again and again until the answer is yes."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def accuracies(project: Project) -> Series:
    """What is known of the experiment so far."""
    return project.query("study", type=Judge, labels=LABELS)


def has_begun(project: Project) -> bool:
    """Whether the other process has noted its request."""
    try:
        accuracies(project)
    except IntemiError as error:
        if "no request is called 'study'" not in str(error):
            raise
        return False
    return True


def expected(number: int) -> tuple[list[int], list[int]]:
    """Repetitions and folds of the first results."""
    return [at // FOLDS + 1 for at in range(number)], [at % FOLDS + 1 for at in range(number)]


@pytest.mark.timeout(300)
def test_a_second_process_asks_while_the_first_is_running_and_after_it_was_killed(tmp_path: Path) -> None:
    folder, permits = tmp_path / "project", tmp_path / "permits"
    permits.touch()
    with running(folder, permits, "first") as process:
        until((folder / "machines.sqlite").exists)
        seen: dict[int, Series] = {}
        with Project.open(folder, workers=1) as asking:
            until(lambda: has_begun(asking))
            assert len(accuracies(asking)) == 0, "it waits for its data: nothing is known of it but its name"
            permit(permits, 1)
            for number in (1, 3, 7):
                permit(permits, number - max(seen, default=0))
                until(lambda: len(accuracies(asking)) == number)  # noqa: B023
                seen[number] = accuracies(asking)
                repetitions, folds = expected(number)
                assert list(seen[number]["Repetition"]) == repetitions
                assert list(seen[number]["Fold"]) == folds
                assert process.is_alive()
            (noted,) = asking.runs()
            assert noted.name == "first"
            assert asking.query(noted, type=Judge, labels=LABELS) == seen[7]
            assert asking.counts().logical.total() == 0, "to ask is not to request"
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            assert accuracies(asking) == seen[7]
    with Project.open(folder, workers=1) as later:
        assert accuracies(later) == seen[7]
        assert later.query("study/test", path="judge", labels=LABELS) == seen[7]
        assert list(later.query("study", path="", labels="wall").values) == [None], "it has not finished"
    with running(folder, permits, "second") as process:
        permits.write_bytes(b"." * 100)
        process.join(PATIENCE)
        assert process.exitcode == 0
    with Project.open(folder, workers=1) as later:
        whole = accuracies(later)
        assert len(whole) == REPETITIONS * FOLDS
        assert whole[:7] == seen[7], "what had finished is what it was"
        assert [each.name for each in later.runs()] == ["first", "second"]
        assert later.query(later.runs()[0], type=Judge, labels=LABELS) == whole, "the request is the same"
        assert later.counts().physical.total() == 0


@pytest.mark.timeout(300)
def test_many_ask_at_once_while_a_run_is_writing(tmp_path: Path) -> None:
    folder, permits = tmp_path / "project", tmp_path / "permits"
    permits.write_bytes(b"." * 100)
    with running(folder, permits, "first") as process:
        until((folder / "machines.sqlite").exists)
        with Project.open(folder, workers=1) as one, Project.open(folder, workers=1) as other:
            until(lambda: has_begun(one))
            counts = [0]
            while process.is_alive():
                counts += [len(accuracies(one)), len(accuracies(other))]
            assert counts == sorted(counts), "what was there once stays there"
            assert accuracies(one) == accuracies(other)
            assert len(accuracies(one)) == REPETITIONS * FOLDS


def test_a_folder_without_a_project_is_not_made_into_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no project in this folder"):
        Project.open(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
