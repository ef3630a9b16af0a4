"""Where scikit-learn has the same classifier, ours gives the same answers, on ten data sets of each kind."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from intemi.data import Data
from intemi.kernel import Machine, Project
from intemi.machines.classifiers import (
    KNN,
    SVM,
    ClassificationTest,
    GaussianKernel,
    LinearKernel,
    Mahalanobis,
    Majority,
    Manhattan,
    Mixed,
    NaiveBayes,
    PolynomialKernel,
    SklearnClassifier,
)
from scripts.reference_data import WIDE
from tests.datasets import load

NUMERIC = (
    *("appendicitis", "bupa", "diabetes", "ecoli", "glass"),
    *("ionosphere", "iris", "sonar", "vehicle", "wine"),
)
NOMINAL = (
    *("audiology", "breast-cancer", "car", "kr-vs-kp", "primary-tumor"),
    *("soybean", "soybean-large", "splice", "tic-tac-toe", "vote"),
)
if not WIDE.is_there:
    NOMINAL = ("balance-scale-nominal", "flats", "led7", "monks-1", "monks-2", "monks-3", "tic-tac-toe")


@cache
def numeric(name: str) -> Data:
    """A data set, with numeric columns that are all of one size."""
    data = load(name)
    values = data.features
    spread = values.std(axis=1, keepdims=True)
    return data.with_features(data.columns, (values - values.mean(axis=1, keepdims=True)) / np.where(spread, spread, 1))


@cache
def nominal(name: str) -> Data:
    """A data set without the rows that have missing values; of soybean and audiology, without such columns."""
    data = load(name)
    missing = np.isnan(data.features)
    if missing.any(axis=0).mean() > 0.5:
        return data.select_columns(~missing.any(axis=1))
    return data.select_rows(~missing.any(axis=0))


def halves(data: Data) -> tuple[Data, Data]:
    """Two rows of three to learn from, the third to answer for."""
    third = np.arange(len(data)) % 3 == 2
    return data.select_rows(~third), data.select_rows(third)


def learned(machine: Machine, training: Data) -> Any:
    """The classifier that a machine gives."""
    with Project(workers=1) as project:
        return project.run(machine, data=project.given(training)).outputs["classifier"]


def fitted(estimator: Any, training: Data) -> Any:
    """What scikit-learn learns from the same rows."""
    return estimator.fit(training.features.T, training.classes)


def assert_same_answers(classifier: Any, estimator: Any, test: Data, rows: Any = slice(None)) -> None:
    """Class for class, and probabilities to 1e-9."""
    answered, probabilities = classifier.answers(test)
    values = test.features.T
    assert answered[rows].tolist() == estimator.predict(values)[rows].tolist()
    if hasattr(estimator, "predict_proba"):
        expected = np.zeros_like(probabilities)
        expected[:, estimator.classes_] = estimator.predict_proba(values)
        np.testing.assert_allclose(probabilities[rows], expected[rows], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", NUMERIC)
def test_the_majority_classifier_agrees(name: str) -> None:
    training, test = halves(numeric(name))
    assert_same_answers(learned(Majority(), training), fitted(DummyClassifier(), training), test)


def tells_neighbors_apart(estimator: Any, test: Data, k: int) -> Any:
    """The rows of which the k nearest are k certain rows: the next one is farther than the last of them."""
    distances = estimator.kneighbors(test.features.T, k + 1)[0]
    return distances[:, k] - distances[:, k - 1] > 1e-9


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (KNN(), KNeighborsClassifier()),
        (KNN(k=1), KNeighborsClassifier(1)),
        (KNN(k=7, weights="distance"), KNeighborsClassifier(7, weights="distance")),
        (KNN(k=3, distance=Manhattan()), KNeighborsClassifier(3, metric="manhattan")),
    ],
    ids=["five", "one", "by distance", "Manhattan"],
)
def test_nearest_neighbors_agree_wherever_it_is_certain_which_rows_they_are(name: str, ours: KNN, theirs: Any) -> None:
    training, test = halves(numeric(name))
    estimator = fitted(theirs, training)
    certain = tells_neighbors_apart(estimator, test, ours.k)
    assert certain.mean() > 0.85
    assert_same_answers(learned(ours, training), estimator, test, certain)


@pytest.mark.parametrize("name", ["appendicitis", "bupa", "glass", "wine"])
def test_nearest_neighbors_by_mahalanobis_agree(name: str) -> None:
    training, test = halves(numeric(name))
    inverse = np.linalg.pinv(np.cov(training.features))
    theirs = KNeighborsClassifier(3, metric="mahalanobis", metric_params={"VI": inverse}, algorithm="brute")
    estimator = fitted(theirs, training)
    certain = tells_neighbors_apart(estimator, test, 3)
    assert certain.mean() > 0.85
    assert_same_answers(learned(KNN(k=3, distance=Mahalanobis()), training), estimator, test, certain)


@pytest.mark.parametrize("name", NOMINAL[:3])
def test_distances_of_categories_agree(name: str) -> None:
    training, test = halves(nominal(name))
    theirs = fitted(KNeighborsClassifier(3, metric="hamming", algorithm="brute"), training)
    expected = theirs.kneighbors(test.features.T)[0] * len(training.columns)
    distances = Mixed().between(Mixed().numbers("test", test), Mixed().numbers("test", training))
    np.testing.assert_allclose(np.sort(distances, axis=1)[:, :3] ** 2, expected, atol=1e-9)


@pytest.mark.parametrize("name", NUMERIC)
def test_naive_bayes_with_numeric_columns_agrees(name: str) -> None:
    training, test = halves(numeric(name))
    assert_same_answers(learned(NaiveBayes(floor=0), training), fitted(GaussianNB(), training), test)


@pytest.mark.parametrize("name", NOMINAL)
def test_naive_bayes_with_nominal_columns_agrees(name: str) -> None:
    training, test = halves(nominal(name))
    sizes = [len(column.categories or ()) for column in training.columns]
    estimator = fitted(CategoricalNB(min_categories=sizes), training)
    assert_same_answers(learned(NaiveBayes(), training), estimator, test)


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SVM(), SVC()),
        (SVM(kernel=GaussianKernel(sigma=0.1)), SVC(gamma=0.1)),
        (SVM(C=10, kernel=GaussianKernel(0.5)), SVC(C=10, gamma=0.5)),
        (SVM(kernel=LinearKernel()), SVC(kernel="linear")),
        (SVM(kernel=PolynomialKernel(2)), SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0)),
    ],
    ids=["as wide as the data", "gaussian", "narrow", "linear", "polynomial"],
)
def test_the_support_vector_machine_agrees(name: str, ours: SVM, theirs: Any) -> None:
    training, test = halves(numeric(name))
    estimator = fitted(theirs, training)
    assert learned(ours, training).classify(test).tolist() == estimator.predict(test.features.T).tolist()


@pytest.mark.parametrize("name", NUMERIC)
def test_the_margins_of_a_support_vector_machine_agree(name: str) -> None:
    training, test = halves(numeric(name))
    estimator = fitted(SVC(gamma=0.1, tol=1e-9, decision_function_shape="ovo"), training)
    margins = learned(SVM(kernel=GaussianKernel(0.1), tolerance=1e-9), training).margins(test)
    sign = -1 if len(estimator.classes_) == 2 else 1
    expected = sign * estimator.decision_function(test.features.T).reshape(len(test), -1)
    np.testing.assert_allclose(margins, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("path", ["sklearn.linear_model.RidgeClassifier", "sklearn.naive_bayes.GaussianNB"])
def test_a_classifier_of_scikit_learn_is_the_same_as_a_machine(name: str, path: str) -> None:
    training, test = halves(numeric(name))
    machine = SklearnClassifier(path)
    assert_same_answers(learned(machine, training), fitted(machine.build(), training), test)


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("machine", [NaiveBayes(), KNN(k=3), Majority()], ids=["bayes", "knn", "majority"])
def test_the_measures_of_a_test_agree(name: str, machine: Machine) -> None:
    training, test = halves(numeric(name))
    with Project(workers=1) as project:
        classifier = project.run(machine, data=project.given(training))
        tested = project.run(ClassificationTest(), data=project.given(test), classifier=classifier.classifier)
        answered, probabilities = classifier.outputs["classifier"].answers(test)
    labels = np.arange(len(test.labels))
    present = np.unique(test.classes)
    areas = [metrics.roc_auc_score(test.classes == label, probabilities[:, label]) for label in present]
    expected = {
        "Accuracy": metrics.accuracy_score(test.classes, answered),
        "Balanced accuracy": metrics.recall_score(
            test.classes, answered, labels=present, average="macro", zero_division=0
        ),
        "Kappa": metrics.cohen_kappa_score(test.classes, answered),
        "Log loss": metrics.log_loss(test.classes, probabilities, labels=labels),
        "AUC": np.mean(areas),
        "Confusion matrix": metrics.confusion_matrix(test.classes, answered, labels=labels),
    }
    assert set(tested.results) == {*expected, "Test sample"}
    for label, value in expected.items():
        np.testing.assert_allclose(tested.results[label], value, rtol=0, atol=1e-9, err_msg=label)


@pytest.mark.parametrize("name", ["iris", "vehicle", "wine"])
def test_the_area_of_several_classes_is_the_one_against_the_rest(name: str) -> None:
    training, test = halves(numeric(name))
    with Project(workers=1) as project:
        classifier = project.run(NaiveBayes(), data=project.given(training))
        tested = project.run(ClassificationTest(), data=project.given(test), classifier=classifier.classifier)
        probabilities = classifier.outputs["classifier"].probabilities(test)
    expected = metrics.roc_auc_score(test.classes, probabilities, multi_class="ovr", average="macro")
    assert tested.results["AUC"] == pytest.approx(expected, abs=1e-9)
