"""The data sets that come with the tests are those that their generator makes, to the byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.reference_data import HOME


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    generator = str(HOME.tables / "make_data.py")
    return subprocess.run(
        [sys.executable, generator, "--check", str(folder)], capture_output=True, text=True, timeout=120
    )


def test_the_generator_makes_every_data_set_and_the_folds() -> None:
    done = checked(HOME.data)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(HOME.names()) == 18


@pytest.mark.full
def test_a_changed_data_set_is_noticed(tmp_path: Path) -> None:
    copies = tmp_path / "data"
    copies.mkdir()
    for file in HOME.data.iterdir():
        (copies / file.name).write_bytes(file.read_bytes())
    (tmp_path / "folds.csv").write_bytes((HOME.tables / "folds.csv").read_bytes())
    (copies / "iris.arff").write_bytes((copies / "iris.arff").read_bytes().replace(b"5.1", b"5.2", 1))
    done = checked(copies)
    assert done.returncode == 1
    assert "iris" in done.stdout + done.stderr
