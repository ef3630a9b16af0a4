"""The classification test and its measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines.classifiers import KNN, ClassificationTest, Majority, NaiveBayes, metrics
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


@pytest.mark.parametrize("correctness", [False, True])
def test_it_passes_the_checks_of_any_machine(correctness: bool) -> None:
    data = blobs()
    check_machine(ClassificationTest(correctness=correctness), data=data, classifier=learned(KNN(k=3), data))


def test_rows_of_the_confusion_matrix_are_the_true_classes() -> None:
    training, test = numeric([1, 2, 3], classes=[0, 0, 1]), numeric([1, 2, 3], classes=[1, 2, 0])
    assert results(test, training, Majority())["Confusion matrix"].tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_the_correctness_of_each_case_is_told_on_demand() -> None:
    data = numeric([1, 2, 8, 9, 9], classes=[0, 0, 1, 1, 0])
    assert "Correct" not in results(data)
    assert results(data, correctness=True)["Correct"].tolist() == [True, True, True, True, False]


def test_rows_of_unknown_class_do_not_count() -> None:
    data = blobs()
    unknown = Data(Table(data.columns, data.features, CLASSES, np.where(np.arange(45) % 2, data.classes, -1)))
    known = data.select_rows(np.arange(45) % 2 == 1)
    found, expected = results(unknown, data), results(known, data)
    assert found.pop("Confusion matrix").tolist() == expected.pop("Confusion matrix").tolist()
    assert found == expected


def test_where_all_cases_are_of_one_class_some_measures_are_not_defined() -> None:
    data = numeric([1, 2, 8, 9], classes=[0, 0, 1, 1])
    found = results(data.select_rows([0, 1]), data)
    assert found["Accuracy"] == found["Balanced accuracy"] == 1
    assert np.isnan(found["AUC"])
    assert np.isnan(found["Kappa"])


def test_a_sure_and_wrong_answer_costs_much_but_not_everything() -> None:
    training, test = numeric([1, 2, 8, 9], classes=[0, 0, 1, 1]), numeric([1.0], classes=[1])
    assert results(test, training, KNN(k=1))["Log loss"] == pytest.approx(-np.log(np.finfo(float).eps))


def test_other_classes_are_refused() -> None:
    data = blobs()
    other = Data(Table(data.columns, data.features, Column("class", ("a", "b")), data.classes % 2))
    with pytest.raises(Exception, match="the classifier knows the classes a, b, c, but the data have a, b"):
        results(other, data)
    with pytest.raises(Exception, match="no row whose class is known"):
        results(numeric([1, 2], [1, 2], classes=[-1, -1]), data)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_measures_are_those_of_scikit_learn_with_or_without_weights(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(4, 40)), int(rng.integers(2, 5))
    true = np.concatenate([np.arange(count), rng.integers(count, size=size)]).astype(np.int32)
    answered = rng.integers(count, size=len(true)).astype(np.int32)
    probabilities = np.round(rng.dirichlet(np.ones(count), size=len(true)), 1) + 0.01
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    weights = rng.integers(1, 5, size=len(true)).astype(float) if weighted else np.ones(len(true))
    confusion = metrics.confusion_matrix(true, answered, weights, count)
    told = {"sample_weight": weights}
    areas = [reference.roc_auc_score(true == label, probabilities[:, label], **told) for label in range(count)]
    for ours, theirs in (
        (confusion, reference.confusion_matrix(true, answered, labels=range(count), **told)),
        (metrics.accuracy(confusion), reference.accuracy_score(true, answered, **told)),
        (metrics.balanced_accuracy(confusion), reference.balanced_accuracy_score(true, answered, **told)),
        (metrics.kappa(confusion), reference.cohen_kappa_score(true, answered, **told)),
        (metrics.log_loss(true, probabilities, weights), reference.log_loss(true, probabilities, **told)),
        (metrics.auc(true, probabilities, weights), np.mean(areas)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
