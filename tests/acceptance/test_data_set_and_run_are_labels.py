"""The data set, the run and, in experiments, the learner are labels of their own in every query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from intemi import Project
from intemi.cli.main import command
from intemi.data import Column, Data, Table
from intemi.experiments import Experiment, run
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.machines import (
    ClassificationTest,
    CVDistributor,
    DataLoader,
    Majority,
    NaiveBayes,
    Repeater,
    Scheme,
    SklearnDataset,
)
from intemi.query import Comment

LABELS = ["Accuracy", "data", "run", "run name", "Fold"]


def cross_validation(learner: Any = None) -> Repeater:
    test = Scheme(training=Data, test=Data)
    learned = test.add(learner or NaiveBayes(), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(CVDistributor(folds=3), test, seed=1)


def small(name: str) -> Data:
    rng = np.random.default_rng(len(name))
    return Data(
        Table([Column("x")], rng.normal(size=(1, 30)), Column("class", ("a", "b")), np.arange(30) % 2, name=name)
    )


def test_every_item_has_the_data_set_it_was_made_from(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("x,class\n" + "1,a\n2,b\n3,a\n" * 5, "utf-8")
    with Project(tmp_path / "project", name="first") as project:
        sources = {
            "iris": project.request(SklearnDataset("iris")).data,
            "votes": project.request(DataLoader(str(tmp_path / "votes.csv"))).data,
            "mine": project.given(small("mine")),
        }
        for name, source in sources.items():
            project.run(cross_validation(), data=source, name=f"cv of {name}")
        expected = ["iris"] * 3 + ["votes"] * 3 + ["mine"] * 3
        assert list(project.query(type=ClassificationTest, labels=LABELS)["data"]) == expected
        assert set(project.query("cv of votes", labels=["data", "machine"])["data"]) == {"votes"}
        assert list(project.query(type=SklearnDataset, labels=["Rows", "data"])["data"]) == ["iris"]
    with Project.open(tmp_path / "project", name="second") as project:
        found = project.query(type=ClassificationTest, labels=LABELS)
        assert list(found["data"]) == expected
        assert set(found["run name"]) == {"first"}


def test_a_capsule_and_its_children_know_it_at_once_and_later() -> None:
    with Project(name="now") as project:
        done = project.run(cross_validation(), data=project.request(SklearnDataset("wine")).data)
        for asked in (done, done.child("test")):
            found = project.query(asked, type=ClassificationTest, labels=LABELS)
            assert set(found["data"]) == {"wine"}
            assert set(found["run"]) == {1}
            assert set(found["run name"]) == {"now"}


def test_the_run_is_the_one_that_asked_first(tmp_path: Path) -> None:
    with Project(tmp_path, name="monday") as project:
        iris = project.request(SklearnDataset("iris")).data
        project.run(cross_validation(), data=iris, name="bayes")
    with Project(tmp_path, name="tuesday") as project:
        iris = project.request(SklearnDataset("iris")).data
        project.run(cross_validation(), data=iris, name="bayes")
        project.run(cross_validation(Majority()), data=iris, name="majority")
        found = project.query(type=ClassificationTest, labels=[*LABELS, "path"])
        runs = {str(path).partition("/")[0]: run for path, run in zip(found["path"], found["run name"], strict=True)}
        assert runs == {"bayes": "monday", "majority": "tuesday"}
        numbers = {run.name: run.number for run in project.runs()}
        assert {numbers[name] for name in runs.values()} == set(found["run"])


def test_several_data_sets_are_compared_without_labels_by_hand() -> None:
    with Project() as project:
        for name in ("iris", "wine"):
            project.run(cross_validation(), data=project.request(SklearnDataset(name)).data)
        accuracies = project.query(type=ClassificationTest, labels=["Accuracy", "data"])
        assert list(accuracies.group_by("data").map(len).ungroup()["data"]) == ["iris", "wine"]


def test_a_machine_that_loads_inside_knows_its_data_below() -> None:
    whole = Scheme()
    loaded = whole.add(SklearnDataset("iris"), name="loader")
    learned = whole.add(NaiveBayes(), data=loaded.data, name="learner")
    whole.add(ClassificationTest(), data=loaded.data, classifier=learned.classifier, name="test")
    with Project() as project:
        done = project.run(whole)
        assert list(project.query(done, type=ClassificationTest, labels=["Accuracy", "data"])["data"]) == ["iris"]


def test_data_sets_without_a_name_are_told_apart() -> None:
    with Project() as project:
        for seed in (1, 2):
            values = np.random.default_rng(seed).normal(size=(1, 30))
            table = Table([Column("x")], values, Column("class", ("a", "b")), np.arange(30) % 2)
            project.run(cross_validation(), data=project.given(Data(table)), name=f"cv {seed}")
        accuracies = project.query(type=ClassificationTest, labels=["Accuracy", "data"])
        names = list(accuracies.group_by("data").map(len).ungroup()["data"])
        assert len(names) == 2
        assert all(str(name).startswith("Given ") for name in names)


def test_equal_data_under_two_names_carry_the_first() -> None:
    with Project() as project:
        for name in ("first", "other"):  # of one length, so of equal content
            project.run(cross_validation(), data=project.given(small(name)), name=f"cv of {name}")
        assert set(project.query(type=ClassificationTest, labels=["Accuracy", "data"])["data"]) == {"first"}


def test_what_a_user_calls_so_comes_first() -> None:
    with Project() as project:
        done = project.run(cross_validation(), data=project.request(SklearnDataset("iris")).data)
        found = project.query(done, type=ClassificationTest, labels=["Accuracy", {"data": "flowers"}])
        assert set(found["data"]) == {"flowers"}


@pytest.mark.parametrize("label", ["data", "run", "run name"])
def test_they_can_be_the_main_label(label: str) -> None:
    with Project() as project:
        done = project.run(cross_validation(), data=project.request(SklearnDataset("iris")).data)
        assert project.query(done, labels=label).main == label


def write(path: Path, shift: float) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{shift + number},{'ab'[number % 2]}" for number in range(30)]
    path.write_text("\n".join(["x,class", *rows]) + "\n")
    return str(path)


def test_different_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    places = ("one/data/train.csv", "two/data/train.csv", "three/data/train.csv")
    files = [write(tmp_path / place, shift) for place, shift in zip(places, (1.0, 2.0, 2.0), strict=True)]
    with Project() as project:
        for number, file in enumerate(files):
            project.run(cross_validation(), data=project.request(DataLoader(file)).data, name=f"cv {number}")
            assert set(project.query(f"cv {number}", type=ClassificationTest, labels=["Accuracy", "data"])["data"]) == {
                "train"
            }, "alone it needs no more than its name"
        found = project.query(type=ClassificationTest, labels=["Accuracy", "data"])
        assert set(found["data"]) == {"one/data/train", "two/data/train"}, "equal content is the same data set"


def test_a_file_that_has_changed_is_another_data_set(tmp_path: Path) -> None:
    with Project() as project:
        for shift in (1.0, 2.0):
            loader = DataLoader(write(tmp_path / "train.csv", shift))
            project.run(cross_validation(), data=project.request(loader).data, name=f"cv {shift}")
        names = set(map(str, project.query(type=ClassificationTest, labels=["Accuracy", "data"])["data"]))
        assert len(names) == 2
        assert all(name.startswith("train ") for name in names)


def experiment() -> Experiment:
    return Experiment(
        data={"flowers": SklearnDataset("iris"), "wines": SklearnDataset("wine")},
        learners={"bayes": NaiveBayes(), "usual": Majority()},
        distributor=CVDistributor(2),
    )


def test_every_row_of_an_experiment_has_its_learner(tmp_path: Path) -> None:
    expected = [(learner, data) for data in ("iris", "wine") for learner in ("bayes", "usual") for _ in range(2)]
    for _ in range(2):  # run, then reused
        with Project(tmp_path) as project:
            outcome = run(experiment(), project)
            found = project.query(type=ClassificationTest, labels=["learner", "data", "request"])
            assert [*zip(found["learner"], found["data"], strict=True)] == expected
            assert found["request"][0] == "bayes on flowers"
            capsule = outcome.cells[0].capsule
            assert capsule is not None
            assert capsule.comments == {"learner": "bayes"}
            assert set(project.query(capsule, type=ClassificationTest)["learner"]) == {"bayes"}
            chosen = Comment("learner") == "usual"
            assert len(project.query(where=chosen, type=ClassificationTest, labels="Accuracy")) == 4
    (tmp_path / "results.sqlite").unlink()  # an index that is made anew has them, too
    with Project.open(tmp_path) as project:
        found = project.query(type=ClassificationTest, labels=["learner", "data"])
        assert [*zip(found["learner"], found["data"], strict=True)] == expected


def test_the_command_shows_them_unless_labels_are_named(tmp_path: Path) -> None:
    with Project(tmp_path / "flowers") as project:
        run(experiment(), project)
    asked = CliRunner().invoke(command, ["query", str(tmp_path / "flowers"), "-t", "ClassificationTest", "--csv"])
    assert asked.exit_code == 0, asked.output
    header, *rows = asked.stdout.splitlines()
    assert header.endswith("learner,Repetition,Fold,machine,data,run")
    assert all(row.endswith(("learner test,iris,1", "learner test,wine,1")) for row in rows)
    named = CliRunner().invoke(command, ["query", str(tmp_path / "flowers"), "-l", "Accuracy", "--csv"])
    assert named.stdout.splitlines()[0] == "Accuracy"


def test_labels_that_every_item_has_are_listed(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        run(experiment(), project)
        listed = "machine, kind, path, request, data, run, run name, started, wall, cpu, queue, memory, failure"
        with pytest.raises(
            IntemiError, match=rf"no item has the label 'learnr'; their labels are .*; every item has {listed}"
        ):
            project.query(labels="learnr")
    assert listed in CliRunner().invoke(command, ["query", "--help"]).output


@pytest.mark.parametrize("comments", ["svm", {1: "svm"}])
def test_comments_of_a_request_are_labels(comments: Any) -> None:
    with Project() as project, pytest.raises(ConfigurationError, match="comments must be a mapping from labels"):
        project.request(SklearnDataset("iris"), comments=comments)
