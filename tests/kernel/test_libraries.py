"""Libraries that import each other in circles are imported by one thread at a time."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.profiles import by_profile

ROOT = Path(__file__).parents[2]
GUARDED = {"scipy", "sklearn", "skops"}
STARTS = by_profile(quick=1, full=5)

# Threads enter scikit-learn at different modules at one moment, and another thread has a turn before each module.
PROGRAM = """
import sys, threading, time
from intemi.machines.classifiers import Estimator, SklearnClassifier
from intemi.machines.classifiers.distances import Euclidean
from intemi.machines.loading import SklearnDataset
from intemi.analysis.distributions import two_sided_t
import numpy as np

class Turns:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("sklearn", "scipy")):
            time.sleep(0.001)

sys.meta_path.insert(0, Turns())
uses = [
    lambda: SklearnDataset("iris").run(),
    lambda: SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 2}),
    lambda: Estimator("sklearn.tree.DecisionTreeClassifier"),
    lambda: two_sided_t(1.0, 3),
    lambda: __import__("intemi.interop.scikit_learn"),
]
gate, failures = threading.Barrier(len(uses)), []

def use(each):
    gate.wait()
    try:
        each()
    except BaseException as error:
        failures.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=use, args=(each,)) for each in uses]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*failures, sep="\\n", end="")
"""

REVIEWED = """
from intemi import Project
from intemi.machines import SklearnClassifier, SklearnDataset

with Project(workers=1) as project:
    iris = project.request(SklearnDataset("iris"))
    forest = SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 2})
    project.run(forest, data=iris.data)
"""


def fresh(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("start", range(STARTS))
def test_threads_that_need_scikit_learn_at_once_all_get_it(start: int) -> None:
    finished = fresh(PROGRAM)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == ""


def test_a_learner_is_made_while_a_worker_loads_data_of_scikit_learn() -> None:
    finished = fresh(REVIEWED)
    assert finished.returncode == 0, finished.stderr


def direct_imports() -> list[str]:
    """Import statements of guarded libraries anywhere in the package."""
    found = []
    for file in sorted((ROOT / "intemi").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if any(name.partition(".")[0] in GUARDED for name in names):
                found.append(f"{file.relative_to(ROOT)}:{node.lineno}")
    return found


def test_every_use_in_the_package_goes_through_the_lock() -> None:
    assert direct_imports() == []
