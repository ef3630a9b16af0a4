"""A question about a request by its name mixes no configurations: it is about the latest request of that name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi import Project
from intemi.cli.main import command
from intemi.data import Data
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.machines import KNN, ClassificationTest, CVDistributor, Majority, Repeater, Scheme, SklearnDataset

NAME = "tree on iris"
FILE = """
name: edited
data: [iris]
protocol: {{distributor: {{type: CVDistributor, folds: {folds}}}}}
learners:
  tree: {{type: {learner}}}
"""


def cross_validation(folds: int, repetitions: int = 1) -> Repeater:
    test = Scheme(training=Data, test=Data)
    learned = test.add(KNN(), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(CVDistributor(folds=folds), test, repetitions=repetitions, seed=1)


def write_and_run(folder: Path, learner: str, folds: int) -> None:
    file = folder / "edited.yaml"
    file.write_text(FILE.format(learner=learner, folds=folds))
    done = CliRunner().invoke(command, ["run", str(file), "-q", "-p", str(folder / "edited")])
    assert done.exit_code == 0, done.output


def folds_of(project: Project, **options: object) -> list[int]:
    return list(project.query(NAME, type=ClassificationTest, labels=["Fold", "Accuracy"], **options)["Fold"])  # type: ignore[arg-type]


@pytest.mark.parametrize("edited", [("KNN", 3), ("Majority", 2)], ids=["learner", "folds"])
def test_after_an_edit_only_the_latest_is_meant(tmp_path: Path, edited: tuple[str, int]) -> None:
    write_and_run(tmp_path, "Majority", 3)
    with Project.open(tmp_path / "edited") as project:
        before = project.query(NAME, type=ClassificationTest, labels=["Accuracy", "Fold"])
    write_and_run(tmp_path, *edited)
    with Project.open(tmp_path / "edited") as project:
        assert folds_of(project) == [1, 2, 3][: edited[1]]
        assert project.query(NAME, type=ClassificationTest, labels=["Accuracy", "Fold"]).mean() != before.mean()
        assert project.query(NAME, type=ClassificationTest, labels=["Accuracy", "Fold"], run=1) == before
        assert folds_of(project, run=project.runs()[1]) == [1, 2, 3][: edited[1]]
        assert len(folds_of(project, run="all")) == 3 + edited[1]
        assert len(project.query(f"{NAME}/test", type=ClassificationTest, labels="Fold")) == edited[1]


def test_the_command_says_which_run_is_meant(tmp_path: Path) -> None:
    write_and_run(tmp_path, "Majority", 3)
    write_and_run(tmp_path, "Majority", 2)

    def rows(*options: str) -> int:
        question = [
            "query",
            str(tmp_path / "edited"),
            "--under",
            NAME,
            "--type",
            "ClassificationTest",
            "-l",
            "Accuracy",
        ]
        asked = CliRunner().invoke(command, [*question, "--csv", *options])
        assert asked.exit_code == 0, asked.output
        return len(asked.output.splitlines()) - 1

    assert (rows(), rows("--run", "1"), rows("--run", "2"), rows("--all-runs")) == (2, 3, 2, 5)


def test_going_back_makes_the_former_the_latest_again(tmp_path: Path) -> None:
    for learner in ("Majority", "KNN", "Majority"):
        write_and_run(tmp_path, learner, 3)
    with Project.open(tmp_path / "edited") as project:
        assert set(project.query(NAME, path="test/learner", labels="kind")["kind"]) == {"Majority"}


def test_of_two_requests_in_one_run_the_latter_is_meant(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        iris = project.request(SklearnDataset("iris")).data
        for learner in (Majority(), KNN(k=3)):
            project.run(learner, data=iris, name="mine")
            assert list(project.query("mine", labels="kind")["kind"]) == [learner.kind]
        project.run(Majority(), data=iris, name="mine")  # asked for again, after another of its name
        assert list(project.query("mine", labels="kind")["kind"]) == ["Majority"]
        assert set(project.query("mine", labels="kind", run="all")["kind"]) == {"Majority", "KNN"}
    with Project(tmp_path) as project:
        assert list(project.query("mine", labels="kind")["kind"]) == ["Majority"]
        assert list(project.query("mine", labels="kind", run=1)["kind"]) == ["Majority"]


KILLED = """
import os, sys, time
from intemi import Project
from intemi.machines import SklearnDataset
from tests.acceptance.test_a_name_means_the_latest_request import cross_validation

project = Project(sys.argv[1], workers=1)
iris = project.request(SklearnDataset("iris")).data
done = project.request(cross_validation(5, 40), data=iris, name="validation")
while len(project.query(done, type="ClassificationTest", labels="Fold")) < 7:
    time.sleep(0.01)
time.sleep(1.0)  # requests are noted within half a second
os._exit(9)
"""


def test_a_killed_run_is_the_latest_as_far_as_it_came(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        iris = project.request(SklearnDataset("iris")).data
        project.run(cross_validation(3), data=iris, name="validation")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], timeout=120)
    assert killed.returncode == 9
    with Project.open(tmp_path) as project:
        folds = list(project.query("validation", type=ClassificationTest, labels=["Fold", "Accuracy"])["Fold"])
        assert 4 in folds
        assert 5 in folds
        earlier = project.query("validation", type=ClassificationTest, labels=["Fold", "Accuracy"], run=1)
        assert list(earlier["Fold"]) == [1, 2, 3]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        done = project.run(SklearnDataset("iris"), name="flowers")
        with pytest.raises(IntemiError, match=r"there is no run 9 in this project; project\.runs\(\) lists them"):
            project.query("flowers", run=9)
        with pytest.raises(IntemiError, match="no request is called 'trees' in run 1; there are flowers"):
            project.query("trees", run=1)
        with pytest.raises(ConfigurationError, match="run must be a run, its number or \"all\", got 'last'"):
            project.query("flowers", run="last")  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match="run says which request of a name is meant"):
            project.query(done, run=1)
        assert project.query(run=1, labels="machine") == project.query(project.runs()[0], labels="machine")
