"""Runs: each session has a name, a time and what it ran on."""

from __future__ import annotations

import platform
import time
from pathlib import Path

import numpy as np

from intemi.kernel import Project
from tests.kernel.repository.machines import Grade


def test_a_run_tells_what_produced_its_results(tmp_path: Path) -> None:
    before = time.time()
    with Project(tmp_path, workers=1, name="first") as project:
        project.run(Grade(1))
        (run,) = project.runs()
    assert run.name == "first"
    assert before <= run.started <= time.time()
    assert run.program["python"] == platform.python_version()
    assert run.program["packages"]["numpy"] == np.__version__
    assert set(run.program) == {"program", "python", "platform", "packages", "source"}


def test_a_session_that_requests_nothing_is_no_run(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(Grade(1))
    with Project.open(tmp_path, workers=1) as project:
        project.query()
        assert len(project.runs()) == 1


def test_a_run_without_a_name_is_called_by_its_time(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(Grade(1))
        assert project.runs()[0].name.startswith(time.strftime("%Y-"))
