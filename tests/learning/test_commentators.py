"""Commentators on classification tests, at once and long after."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from intemi.data import Data, Table
from intemi.kernel import Capsule, Project, StoreWarning
from intemi.machines import (
    KNN,
    SVM,
    ClassificationTest,
    CorrectnessCommentator,
    CVDistributor,
    NaiveBayes,
    PredictionsCommentator,
    Repeater,
    Scheme,
    SklearnDataset,
    TransformAndClassify,
)
from intemi.machines.classifiers.svm import SVMTraining
from intemi.machines.measures import Correctness
from tests.learning.tables import CLASSES, classified, numeric
from tests.learning.test_classifiers import blobs, learned
from tests.machines import Log


def commented(test: Data, training: Data | None = None) -> Any:
    """The results of a test and what both commentators say of it."""
    with Project(workers=1) as project:
        classifier = project.request(NaiveBayes(), data=project.given(training or test))
        tested = project.run(ClassificationTest(), data=project.given(test), classifier=classifier.classifier)
        for commentator in (CorrectnessCommentator(), PredictionsCommentator()):
            assert project.comment(commentator, tested) == {"commented": 1, "gone": 0}
        return project.query(tested).row(0)


def cross_validation(repetitions: int = 2, folds: int = 3) -> Repeater:
    """Two learners whose tests keep the correctness of answers, so that it can be compared."""
    test = Scheme(training=Data, test=Data)
    for name, learner in (("knn", KNN(k=3)), ("svm", SVM())):
        classifier = test.add(learner, data=test.training, name=f"{name} learner").classifier
        test.add(ClassificationTest(), data=test.test, classifier=classifier, name=name)
    return Repeater(distributor=CVDistributor(folds), test=test, repetitions=repetitions, seed=1)


# What they say


def test_correctness_is_a_vector_of_ones_and_zeros_and_predictions_are_indices_of_classes() -> None:
    said = commented(numeric([1, 2, 8, 9, 9], classes=[0, 0, 1, 1, 0]))
    assert said["Correct"].tolist() == [1, 1, 1, 1, 0]
    assert said["Predicted"].tolist() == [0, 0, 1, 1, 1]


def test_rows_of_unknown_class_are_answered_for_but_are_neither_right_nor_wrong() -> None:
    data = blobs()
    known = np.arange(45) % 2 == 1
    partly = Data(Table(data.columns, data.features, CLASSES, np.where(known, data.classes, -1)))
    said = commented(partly, data)
    assert said["Predicted"].tolist() == learned(NaiveBayes(), data).classify(data).tolist()
    assert said["Correct"].tolist() == (said["Predicted"] == data.classes)[known].tolist()


@given(classified())
def test_they_agree_with_what_the_test_itself_can_keep(data: Data) -> None:
    with Project(workers=1) as project:
        source = project.given(data)
        classifier = project.request(NaiveBayes(), data=source).classifier
        kept = project.run(ClassificationTest(measures=[Correctness()]), data=source, classifier=classifier)
        plain = project.run(ClassificationTest(), data=source, classifier=classifier)
        project.comment(CorrectnessCommentator(), plain)
        project.comment(PredictionsCommentator(), plain)
        said: Any = project.query(plain).row(0)
        assert said["Correct"].tolist() == kept.results["Correct"].tolist()
        assert said["Correct"].tolist() == (said["Predicted"] == data.classes).tolist()
        assert data.weights @ said["Correct"] / data.weights.sum() == pytest.approx(said["Accuracy"])


def test_they_apply_to_tests_of_classifiers_and_to_nothing_else() -> None:
    class StricterTest(ClassificationTest):
        version = 1

    for commentator in (CorrectnessCommentator(), PredictionsCommentator()):
        assert commentator.applies_to(ClassificationTest())
        assert commentator.applies_to(StricterTest())
        assert not any(map(commentator.applies_to, (KNN(), SVMTraining(), TransformAndClassify(), Repeater())))


def test_each_test_of_a_cross_validation_gets_a_comment_with_a_value_for_each_of_its_rows() -> None:
    with Project() as project:
        iris = project.request(SklearnDataset("iris"))
        cv = project.run(cross_validation(), commentators=[CorrectnessCommentator()], data=iris.data)
        tests = project.query(cv, type=ClassificationTest, labels=["Correct", "Accuracy", "Repetition", "Fold"])
        assert len(tests) == 12
        assert [each.mean() for each in tests["Correct"]] == pytest.approx(tests["Accuracy"])
        for each in tests.group_by("Repetition"):
            assert sum(map(len, each["Correct"])) == 2 * 150


# Long after


PROGRAM = """
import json, sys
from intemi.kernel import Project
from intemi.machines import ClassificationTest, CorrectnessCommentator, PredictionsCommentator
from tests.machines import Log

with Project.open(sys.argv[1]) as project:
    log = Log(project)
    done = [project.comment(each, "cv") for each in (CorrectnessCommentator(), PredictionsCommentator())]
    labels = ["Accuracy", "Correct", "Predicted"]
    rows = [row for row in project.query("cv", type=ClassificationTest, labels=labels)]
    answer = {
        "done": done,
        "events": len(log.events),
        "accuracies": [row["Accuracy"] for row in rows],
        "correct": [row["Correct"].tolist() for row in rows],
        "predicted": [row["Predicted"].tolist() for row in rows],
    }
print(json.dumps(answer))
"""


def answers(cv: Capsule) -> Iterator[Any]:
    """What the learners of a cross-validation answer for their test data, in the order of the tests."""
    distributors = [each for each in cv.children if each.name == "distributor"]
    folds = [rows for each in distributors for rows in each.outputs["test"]]
    for test, rows in zip([each for each in cv.children if each.name == "test"], folds, strict=True):
        for name in ("knn learner", "svm learner"):
            yield test.child(name).outputs["classifier"].classify(rows)


def test_in_a_new_process_they_speak_of_machines_that_finished_before_and_nothing_is_run(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        iris = project.request(SklearnDataset("iris"))
        cv = project.run(cross_validation(), name="cv", data=iris.data)
        predicted = [each.tolist() for each in answers(cv)]
    arguments = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    root = Path(__file__).parents[2]
    finished = subprocess.run(arguments, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    answer = json.loads(finished.stdout)
    assert answer["done"] == [{"commented": 12, "gone": 0}] * 2
    assert answer["events"] == 0
    assert answer["predicted"] == predicted
    assert [np.mean(each) for each in answer["correct"]] == pytest.approx(answer["accuracies"])


def finish(folder: Path, from_outside: bool) -> list[bool]:
    """Run a test on data that a machine loads, or that came from outside; which answers were right."""
    with Project(folder) as project:
        cancer = SklearnDataset("breast_cancer")
        data = project.given(cancer.run().outputs["data"]) if from_outside else project.request(cancer).data
        classifier = project.request(KNN(k=5), data=data).classifier
        project.run(ClassificationTest(), data=data, classifier=classifier)
        kept = project.run(ClassificationTest(measures=[Correctness()]), data=data, classifier=classifier)
        correct: list[bool] = kept.results["Correct"].tolist()
        return correct


def lose_contents(folder: Path) -> None:
    """Drop the values of all outputs; records and results stay."""
    shutil.rmtree(folder / "contents")
    with closing(sqlite3.connect(folder / "machines.sqlite", isolation_level=None)) as connection:
        connection.execute("DELETE FROM contents")


@pytest.mark.parametrize("lost", [False, True])
def test_a_model_comes_back_from_the_cache_or_is_made_again(tmp_path: Path, lost: bool) -> None:
    correct = finish(tmp_path, from_outside=False)
    if lost:
        lose_contents(tmp_path)
    with Project.open(tmp_path) as project:
        log = Log(project)
        assert project.comment(CorrectnessCommentator()) == {"commented": 2, "gone": 0}
        assert [each.tolist() for each in project.query(type=ClassificationTest, labels="Correct").values] == [
            correct,
            correct,
        ]
        assert log.started == []
    assert (tmp_path / "contents").exists()


def test_a_model_that_is_gone_for_good_is_reported_and_its_test_stays_without_a_comment(tmp_path: Path) -> None:
    finish(tmp_path, from_outside=True)
    lose_contents(tmp_path)
    with Project.open(tmp_path) as project:
        with pytest.warns(StoreWarning, match="ClassificationTest: no comment, its values are gone"):
            assert project.comment(PredictionsCommentator()) == {"commented": 0, "gone": 2}
        assert not any("Predicted" in row for row in project.query(type=ClassificationTest))
        assert len(project.query(type=ClassificationTest, labels="Accuracy")) == 2
