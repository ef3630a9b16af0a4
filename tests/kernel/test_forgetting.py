"""What is on record can be dropped, so that it is run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.kernel import Project
from tests.machines import Number


@pytest.mark.parametrize("durable", [False, True])
def test_what_was_forgotten_is_run_again_and_nothing_else(tmp_path: Path, durable: bool) -> None:
    with Project(tmp_path if durable else None, workers=1) as project:
        project.wait(project.request(Number(1)), project.request(Number(2)))
        project.forget(Number(1))
        project.wait(project.request(Number(1)), project.request(Number(2)))
        assert project.counts().physical["Number"] == 3


def test_forgetting_what_was_never_run_does_nothing() -> None:
    with Project(workers=1) as project:
        project.forget(Number(1))
        assert not project.counts().physical
