"""A learner can be made in a fresh process while a worker imports the library that it needs, in every order.

Each start is a fork of a process that has loaded the package and none of the libraries that it imports when they are
needed. `make test` has one of each kind.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.profiles import by_profile

STARTS = by_profile(quick=5, full=200)
PROGRAM = """
import os, sys, traceback
import numpy
from intemi.kernel import Project
from intemi.machines import (
    NaiveBayes, PrincipalComponents, SVM, ClassificationTest, SklearnClassifier, SklearnDataset, SklearnTransformer
)

TREE = "sklearn.tree.DecisionTreeClassifier"
lazy = [name for name in ("sklearn", "skops", "scipy.stats") if name in sys.modules]
assert not lazy, f"loaded too early for this test: {lazy}"


def forest(project, iris):
    return project.request(SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 2}), data=iris)


def tree(project, iris):
    return project.request(SklearnClassifier(TREE), data=iris)


def behind_a_scaler(project, iris):
    scaled = project.request(SklearnTransformer("sklearn.preprocessing.StandardScaler"), data=iris)
    return project.request(SklearnClassifier(TREE), data=scaled.transformed)


def machines_of_ours(project, iris):
    project.request(PrincipalComponents(), data=iris)
    project.request(NaiveBayes(), data=iris)
    return project.request(SVM(), data=iris)


def tested(project, iris):
    learned = project.request(NaiveBayes(), data=iris)
    project.request(ClassificationTest(), data=iris, classifier=learned.classifier)
    return tree(project, iris)


WAYS = (forest, tree, behind_a_scaler, machines_of_ours, tested)


def start(number):
    with Project(workers=1 + number % 2) as project:
        iris = project.request(SklearnDataset("iris")).data
        done = WAYS[number % len(WAYS)](project, iris)
        done.wait(100)
        assert done.outputs["classifier"] is not None


running, failed = {}, 0
pending = list(range(int(sys.argv[1])))
while pending or running:
    while pending and len(running) < 2:
        number = pending.pop()
        pid = os.fork()
        if not pid:
            try:
                start(number)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            os._exit(0)
        running[pid] = number
    pid, status = os.wait()
    failed += status != 0
    running.pop(pid)
print(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_no_fresh_start_fails(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program), str(STARTS)], capture_output=True, text=True, timeout=20 + 10 * STARTS
    )
    assert done.stdout.strip() == "0", done.stderr[-3000:]
