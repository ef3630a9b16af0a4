"""An edit of a shipped machine is refused by the fingerprint test, and run again in a working copy.

The package is copied, edited there, and run from there by other processes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intemi.kernel.shipped import VARIABLE

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from intemi import Project
from intemi.machines import KNN, ClassificationTest, NaiveBayes, SklearnDataset

class Mine(NaiveBayes):
    pass

with Project(sys.argv[1], workers=1) as project:
    data = project.request(SklearnDataset("iris")).data
    project.run(Mine(), data=data)
    for learner in (NaiveBayes(), KNN()):
        learned = project.request(learner, data=data)
        project.run(ClassificationTest(), data=data, classifier=learned.classifier)
    print(*sorted(project.counts().physical.elements()))
"""
BAYES = "intemi/machines/classifiers/naive_bayes.py"
WEIGHTED = "intemi/machines/weighted.py"


class Copy:
    """A copy of the repository, as far as these tests need it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Compiled modules and kernels come along, but not what is being written.
        unused = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")
        for name in ("intemi", "scripts"):
            shutil.copytree(ROOT / name, folder / name, ignore=unused)
        (folder / "tests").mkdir()
        shutil.copy(ROOT / "tests" / "fingerprints.txt", folder / "tests")

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    def python(self, *arguments: str, identity: str | None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        environment.pop(VARIABLE, None)
        if identity is not None:
            environment[VARIABLE] = identity
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)

    def pins(self) -> set[str]:
        return set((self.folder / "tests" / "fingerprints.txt").read_text().splitlines())

    def check(self) -> str:
        """What the fingerprint test has to say."""
        return self.python("-m", "scripts.fingerprints", "--check", identity="release").stderr

    def run(self, identity: str | None = None) -> list[str]:
        """The machines that ran; without a word about the identity, this is a working copy."""
        done = self.python("-c", RUN, str(self.folder / f"project {identity}"), identity=identity)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


ALL = ["ClassificationTest", "ClassificationTest", "KNN", "Mine", "NaiveBayes", "SklearnDataset"]


def test_an_edit_of_a_shipped_machine_is_noticed(copy: Copy) -> None:
    assert copy.run() == ALL
    assert copy.run("release") == ALL

    copy.edit(BAYES, "class NaiveBayes(", "# a comment does not change what it does\nclass NaiveBayes(")
    copy.edit(WEIGHTED, "def known(", "def unused() -> int:\n    return 1\n\n\ndef known(")
    complaint = copy.check()
    assert "Standardization: its source has changed under version" in complaint
    assert "raise the version, or confirm that results are the same: python -m scripts.fingerprints" in complaint
    assert "NaiveBayes" not in complaint

    copy.edit(BAYES, "    def run(self, data", "    def unused(self):\n        return 1\n\n    def run(self, data")
    complaint = copy.check()
    assert "NaiveBayes: its source has changed under version" in complaint
    assert "KNN" not in complaint
    assert copy.run() == [
        "ClassificationTest",
        "Mine",
        "NaiveBayes",
    ]  # a classifier of an edited class is another one, too
    assert copy.run() == []
    assert copy.run("release") == []  # a release is known by its versions: hence the test of fingerprints


@pytest.mark.full
def test_one_command_confirms_that_results_are_the_same(copy: Copy) -> None:
    copy.edit(BAYES, "    def run(self, data", "    def another(self):\n        return 1\n\n    def run(self, data")
    before = copy.pins()
    assert copy.python("-m", "scripts.fingerprints", identity="release").returncode == 0
    assert "NaiveBayes" in {line.split()[0] for line in copy.pins() - before}
    assert copy.check() == ""


def test_a_project_says_which_package_made_it(copy: Copy) -> None:
    copy.run()
    ask = "import sys\nfrom intemi import Project\nprint(Project(sys.argv[1]).runs()[0].program['source'])"
    told = copy.python("-c", ask, str(copy.folder / "project None"), identity=None).stdout
    assert told.startswith("working copy ")
    doctor = copy.python("-m", "intemi.cli", "doctor", identity="release").stdout
    assert "(release)" in doctor


def test_the_variable_is_checked(copy: Copy) -> None:
    done = copy.python("-c", "from intemi.machines import KNN\nKNN().digest", identity="yes")
    assert "INTEMI_IDENTITY must be 'release' or 'working copy', got 'yes'" in done.stderr
