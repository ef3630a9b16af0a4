"""Folds are views: 10 × 10-fold cross-validation of a large table costs less memory than three copies of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import json, sys
from pathlib import Path
import numpy as np
from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines import Repeater, Scheme
from intemi.machines.classifiers import ClassificationTest, Majority, NaiveBayes
from intemi.machines.distributors import CVDistributor

def memory(what):
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[what].split()[0]) * 1024

LEARNERS = {"majority": Majority(), "naive Bayes": NaiveBayes()}

def cross_validated(data, repetitions, learner, folder=None):
    test = Scheme(training=Data, test=Data)
    learner = test.add(LEARNERS[learner], data=test.training)
    test.add(ClassificationTest(), data=test.test, classifier=learner.classifier)
    with Project(folder) as project:
        project.run(Repeater(CVDistributor(folds=10), test, repetitions, seed=1), data=project.given(data))
        return project.counts().physical["ClassificationTest"]

def made(rows):
    rng = np.random.default_rng(0)
    features = rng.random((50, rows))
    features.flags.writeable = False
    columns = [Column(f"f{index}") for index in range(50)]
    return Data(Table(columns, features, Column("class", ("a", "b")), rng.integers(2, size=rows)))

cross_validated(made(100), 1, sys.argv[1])
data = made(100_000)
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = memory("VmRSS")
tests = cross_validated(data, int(sys.argv[2]), sys.argv[1], *sys.argv[3:])
print(json.dumps({"tests": tests, "table": data.table.nbytes, "added": memory("VmHWM") - before}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("kept", ["in memory", "on disk"])
@pytest.mark.parametrize(
    ("learner", "repetitions"), [("majority", 10), pytest.param("naive Bayes", 2, marks=pytest.mark.full)]
)
def test_folds_of_a_large_table_fit_in_memory(learner: str, repetitions: int, kept: str, tmp_path: Path) -> None:
    folder = [str(tmp_path / "project")] if kept == "on disk" else []
    command = [sys.executable, "-c", PROGRAM, learner, str(repetitions), *folder]
    finished = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    measured = json.loads(finished.stdout)
    assert measured["tests"] == 10 * repetitions
    assert measured["table"] > 40_000_000
    assert measured["added"] < 3 * measured["table"]
