"""Characters that mean something in addresses, shells and tables mean nothing in the name of a folder."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from intemi.cli.main import command
from intemi.kernel import Machine, Model, Output, Project

NAMES = ["a?b", "a#b", "100%25", "p%41", "$HOME", "${HOME}", "x$HOME$PATH", "~", "~root", "a b", "'", '"', "a;b", "[a]"]
NAMES += ["file:x", "ü", "a\\b", "?mode=ro", "*"]


class Make(Machine):
    version = 1
    value = Output(np.ndarray)

    def run(self) -> Model:
        return Model(value=np.arange(50_000.0), results={"n": 1})


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_odd_folder_names_work_everywhere(
    name: str, relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pA").mkdir()  # what p%41 would be as an address
    folder = name if relative else str(tmp_path / name)
    environment = dict(os.environ)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with Project(folder, workers=1) as project:
                assert project.run(Make()).outputs["value"][1] == 1
                assert list(project.query(labels=["n"])["n"]) == [1]
        assert project.counts().physical.total() == 0
    for step in ("size", "verify", "prune"):
        done = CliRunner().invoke(command, ["cache", step, "--", folder])
        assert done.exit_code == 0, done.output
        if step == "verify":
            assert "1 machine and 1 value are in order" in done.output
    assert sorted(os.listdir(tmp_path)) == sorted([name, "pA"])
    assert os.listdir(tmp_path / "pA") == []
    assert dict(os.environ) == environment
