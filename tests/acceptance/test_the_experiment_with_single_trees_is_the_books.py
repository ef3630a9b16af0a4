"""The experiment of `configs/single_trees.py`, in its small form: what it has, grows, and what is made of it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from configs import single_trees
from configs.single_trees import CRITERIA, DATA_SETS, methods, smoke
from intemi import Project
from intemi.experiments import found, run
from scripts.reproduction import once, page

OUTER, INNER = 5, 3


def test_it_has_as_many_methods_as_the_books_table() -> None:
    every = list(methods())
    assert len({method.key for method in every}) == len(every) == 145
    refined = [method for method in every if method.refinement is not None]
    assert Counter(method.group for method in refined) == {"direct": 14, "single": 54, "multi": 75}
    assert len({method.refinement for method in refined}) == 143
    assert len(CRITERIA) == 5


@pytest.mark.wide
def test_it_runs_on_all_its_data_sets() -> None:
    assert len(DATA_SETS) == 17
    assert set(single_trees.experiment.data) == set(DATA_SETS)


def test_without_its_data_it_says_so_and_ends(tmp_path: Path) -> None:
    copy = tmp_path / "configs" / "single_trees.py"
    copy.parent.mkdir()
    copy.write_text(Path(single_trees.__file__).read_text("utf-8"), "utf-8")
    command = [sys.executable, "-m", "intemi.cli", "run", str(copy), "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "it needs the files of 17 data sets in" in done.stderr
    assert "balance-scale, breast-cancer" in done.stderr
    assert "Traceback" not in done.stderr
    assert "iris on" not in done.stdout


@pytest.mark.slow
def test_it_grows_two_trees_more_than_inner_folds_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        assert run(smoke, project).failed == []
        assert project.counts().physical["DecisionTree"] == len(smoke.data) * OUTER * (INNER + 2)
    with Project(tmp_path) as project:
        results = once(found(smoke, project))
        assert sum(project.counts().physical.values()) == 0
    text = "\n".join(page(results, results))
    for number in range(1, 11):
        assert f"| C{number}: " in text
    assert "confirmed: 0 of 360 steps increase" in text, "leaves never increase with the margin"
    assert "confirmed: 0 of 750 cases" in text, "nothing is better than the oracle"
