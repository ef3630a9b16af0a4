"""In a notebook every value shows itself in one line, and `print` shows an outcome as the command does."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi import Project
from intemi.cli.main import command
from intemi.experiments import Experiment, Outcome, run
from intemi.machines import KNN, CVDistributor, Majority, NaiveBayes, SklearnDataset
from intemi.machines.trees import C45

FILE = """
name: flowers
data: [iris, wine]
learners: {bayes: {type: NaiveBayes}, usual: {type: Majority}}
requests: {all rows: {type: KNN}}
protocol: {distributor: {type: CVDistributor, folds: 3}}
measures: [Accuracy, AUC]
"""


def flowers() -> Experiment:
    return Experiment(
        name="flowers",
        data={"iris": SklearnDataset("iris"), "wine": SklearnDataset("wine")},
        learners={"bayes": NaiveBayes(), "usual": Majority()},
        requests={"all rows": KNN()},
        distributor=CVDistributor(3),
        measures=("Accuracy", "AUC"),
    )


@pytest.fixture(scope="module")
def project() -> Project:
    return Project()


@pytest.fixture(scope="module")
def outcome(project: Project) -> Outcome:
    return run(flowers(), project)


def test_values_show_themselves_in_one_line(project: Project, outcome: Outcome, tmp_path: Path) -> None:
    cell = outcome.cells[0]
    assert repr(project) == "<Project in memory>"
    with Project(tmp_path / "folder") as kept:
        assert repr(kept) == f"<Project '{tmp_path / 'folder'}'>"
    assert repr(cell.capsule) == "<Capsule bayes on iris: finished>"
    assert repr(cell) == "<Cell 'bayes on iris': finished>"
    assert repr(outcome) == "<Outcome 'flowers': 6 finished>"
    assert repr(outcome.compare()) == "<Compared 'Accuracy': 2 learners on 2 data sets>"
    assert repr(outcome.experiment) == (
        "<Experiment 'flowers': 2 learners and 1 request on 2 data sets, 1 × CVDistributor(folds=3, stratified=True)>"
    )


def test_long_configurations_are_shown_in_brief() -> None:
    validation = Experiment(data={"iris": SklearnDataset("iris")}, learners={"tree": C45(refinement=None)}).machine(
        "tree"
    )
    assert repr(validation.test) == (
        "Scheme(test=Input(Data), training=Input(Data), learner: DecisionTree(…), learner test: ClassificationTest())"
    )
    assert repr(validation) == ("Repeater(seed=1, distributor=CVDistributor(…), test=Scheme(…), repetitions=1)")
    assert repr(KNN(k=3)) == "KNN(k=3, distance=Euclidean(), weights='uniform')"


def test_a_tree_shows_its_size_and_classes(project: Project) -> None:
    done = project.run(C45(refinement=None), data=project.request(SklearnDataset("iris")).data)
    leaves = int(done.outputs["classifier"].tree.leaf_count)
    assert repr(done.outputs["classifier"]) == f"TreeClassifier({leaves} leaves, classes setosa, versicolor, virginica)"


def test_print_shows_an_outcome_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "flowers.yaml").write_text(FILE)
    with Project(tmp_path / "flowers") as project:
        run(flowers(), project)
    said = CliRunner().invoke(command, ["run", str(tmp_path / "flowers.yaml"), "-q"]).stdout
    with Project(tmp_path / "flowers") as project:
        assert f"{run(flowers(), project)}\n" == said
    assert "AUC (the highest is best, marked *)" in said


def test_the_report_is_a_method(outcome: Outcome, tmp_path: Path) -> None:
    outcome.report(tmp_path / "flowers.html")
    assert (tmp_path / "flowers.html").read_text().startswith("<!DOCTYPE html>")
