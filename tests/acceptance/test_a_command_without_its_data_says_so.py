"""A command that needs data that are not there says so and ends; it does not run something else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.reference_data import ROOT


@pytest.mark.parametrize("module", ["parity", "parity_sequences", "parity_folds"])
def test_a_comparison_with_the_wide_check_ends_without_it(module: str, tmp_path: Path) -> None:
    copy = tmp_path / "project"
    for folder in ("scripts", "docs"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    page = (copy / "docs" / "parity.md").read_bytes()
    command = [sys.executable, "-m", f"scripts.{module}"]
    environment = {"PYTHONPATH": f"{copy}:{ROOT}", "PATH": ""}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert f"the wide check: {tmp_path}" in done.stderr
    assert "is not there; this needs it, and runs nothing else instead" in done.stderr
    assert "Traceback" not in done.stderr
    assert (copy / "docs" / "parity.md").read_bytes() == page
