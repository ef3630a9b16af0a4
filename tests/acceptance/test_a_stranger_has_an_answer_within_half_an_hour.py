"""From a messy table to a description, a report, a model and predictions, by the commands of one page."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import program

PAGE = Path(__file__).parents[2] / "docs" / "first-half-hour.md"


@pytest.mark.full
def test_the_commands_of_the_page_lead_to_an_answer(tmp_path: Path) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "program.py").write_text(program(PAGE), "utf-8")
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        cwd=folder,
        env={**kept, "HOME": str(home), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    report = (folder / "heart.html").read_text("utf-8")
    assert "<svg" in report
    assert "fewer than the 10 folds" in report
    with open(folder / "predictions.csv", encoding="utf-8") as file:
        predicted = list(csv.DictReader(file))
    assert len(predicted) == 2
    classes = {"no", "yes", "rare"}
    assert all(classes & set(row.values()) for row in predicted)
    assert (folder / "chd.model").stat().st_size < 100_000
    assert "logistic" in done.stdout
    assert "forest" in done.stdout
