"""A project that a forked child has inherited: one clear error at once, in memory and in a folder, never a wait."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import Capsule, IntemiError, Machine, Model, Output, Project

SECONDS = 20


class Number(Machine):
    version = 1
    value = Output(int)
    n: int = 0

    def run(self) -> Model:
        if self.n < 0:
            time.sleep(-self.n)
        return Model(value=self.n, results={"n": self.n})


def in_a_fork(action: Callable[[], Any]) -> str:
    """What an action ends with in a forked child: the text of its error, or what it gives."""
    here, there = multiprocessing.get_context("fork").Pipe()

    def act() -> None:
        try:
            there.send(f"gave {action()}")
        except IntemiError as error:
            there.send(f"refused: {error}")
        except BaseException as error:
            there.send(f"{type(error).__name__}: {error}")

    child = multiprocessing.get_context("fork").Process(target=act)
    child.start()
    try:
        return str(here.recv()) if here.poll(SECONDS) else "HANGS"
    finally:
        child.kill()
        child.join()


@pytest.fixture(params=["memory", "folder"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with Project(None if request.param == "memory" else tmp_path / "p", workers=2) as project:
        project.run(Number(0))
        yield project


ACTIONS: dict[str, Callable[[Project, Capsule], Any]] = {
    "a new request": lambda project, _: project.run(Number(1)),
    "a request that was answered": lambda project, _: project.run(Number(0)),
    "a request without waiting": lambda project, _: project.request(Number(2)),
    "waiting": lambda _, running: running.wait(),
    "waiting for a while": lambda _, running: running.wait(5),
    "waiting for several": lambda project, running: project.wait(running),
    "aborting": lambda _, running: running.abort(),
    "aborting all": lambda project, _: project.abort(),
    "a question": lambda project, _: project.query(labels=["n"]),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_a_fork_gets_one_clear_error(action: str, project: Project) -> None:
    running = project.request(Number(-1))
    said = in_a_fork(lambda: ACTIONS[action](project, running))
    assert said.startswith("refused: "), said
    assert "fork" in said
    assert running.wait().results["n"] == -1, "the project itself goes on"


def test_a_fork_while_all_locks_are_in_use_does_not_hang(project: Project) -> None:
    is_over = threading.Event()

    def request_often() -> None:
        n = 10
        while not is_over.is_set():
            project.run(Number(n))
            n += 1

    busy = threading.Thread(target=request_often)
    busy.start()
    try:
        for n in range(15):
            assert in_a_fork(lambda n=n: project.run(Number(1000 + n))).startswith("refused: ")  # type: ignore[misc]
    finally:
        is_over.set()
        busy.join()


def test_a_fork_may_leave_the_project_and_open_one_of_its_own(project: Project, tmp_path: Path) -> None:
    def work() -> Any:
        project.close()
        with Project(tmp_path / "p") as own:
            return own.run(Number(5)).outputs["value"]

    assert in_a_fork(work) == "gave 5"
    assert project.run(Number(6)).outputs["value"] == 6


def test_a_child_of_os_fork_ends(tmp_path: Path) -> None:
    with Project(tmp_path / "p", workers=1) as project:
        project.run(Number(0))
        child = os.fork()
        if not child:
            try:
                project.run(Number(1))
            except IntemiError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
