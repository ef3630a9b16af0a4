"""The classification test and its measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines.classifiers import KNN, ClassificationTest, Majority, NaiveBayes
from intemi.machines.measures import F1, USUAL_MEASURES, Correctness, Measure
from intemi.testing import check_machine
from tests.learning.tables import CLASSES, numeric
from tests.learning.test_classifiers import blobs, learned


def results(test: Data, training: Data | None = None, machine: Any = None, **options: Any) -> dict[str, Any]:
    """What a test says of a classifier."""
    with Project(workers=1) as project:
        given_data = project.given(training or test)
        classifier = project.request(machine or NaiveBayes(), data=given_data)
        tested = project.run(ClassificationTest(**options), data=project.given(test), classifier=classifier.classifier)
        return tested.results


@pytest.mark.parametrize("more", [(), (F1(), Correctness())])
def test_it_passes_the_checks_of_any_machine(more: tuple[Measure, ...]) -> None:
    data = blobs()
    test = ClassificationTest(measures=(*USUAL_MEASURES, *more))
    check_machine(test, data=data, classifier=learned(KNN(k=3), data))


def test_rows_of_the_confusion_matrix_are_the_true_classes() -> None:
    training, test = numeric([1, 2, 3], classes=[0, 0, 1]), numeric([1, 2, 3], classes=[1, 2, 0])
    assert results(test, training, Majority())["Confusion matrix"].tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_the_correctness_of_each_case_is_told_on_demand() -> None:
    data = numeric([1, 2, 8, 9, 9], classes=[0, 0, 1, 1, 0])
    assert "Correct" not in results(data)
    assert results(data, measures=[Correctness()])["Correct"].tolist() == [True, True, True, True, False]


def test_rows_of_unknown_class_do_not_count() -> None:
    data = blobs()
    unknown = Data(Table(data.columns, data.features, CLASSES, np.where(np.arange(45) % 2, data.classes, -1)))
    known = data.select_rows(np.arange(45) % 2 == 1)
    found, expected = results(unknown, data), results(known, data)
    assert found["Confusion matrix"].tolist() == expected["Confusion matrix"].tolist()
    assert all(found[name] == expected[name] for name in ("Accuracy", "Balanced accuracy", "Kappa", "Log loss", "AUC"))


def test_where_all_cases_are_of_one_class_some_measures_are_not_defined() -> None:
    data = numeric([1, 2, 8, 9], classes=[0, 0, 1, 1])
    found = results(data.select_rows([0, 1]), data)
    assert found["Accuracy"] == found["Balanced accuracy"] == 1
    assert np.isnan(found["AUC"])
    assert np.isnan(found["Kappa"])


def test_a_sure_and_wrong_answer_costs_much_but_not_everything() -> None:
    training, test = numeric([1, 2, 8, 9], classes=[0, 0, 1, 1]), numeric([1.0], classes=[1])
    assert results(test, training, KNN(k=1))["Log loss"] == pytest.approx(-np.log(np.finfo(float).eps))


def test_classes_are_known_by_name_and_others_are_refused() -> None:
    data = blobs()
    fewer = Data(Table(data.columns, data.features, Column("class", ("b", "a")), data.classes % 2))
    assert results(fewer, data)["Confusion matrix"].shape == (3, 3)
    other = Data(Table(data.columns, data.features, Column("class", ("a", "z")), data.classes % 2))
    with pytest.raises(Exception, match=r"the classifier knows the classes a, b, c"):
        results(other, data)
    with pytest.raises(Exception, match="no row whose class is known"):
        results(numeric([1, 2], [1, 2], classes=[-1, -1]), data)
