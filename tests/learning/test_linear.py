"""Linear learners agree with scikit-learn, and keep nothing of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from intemi.machines import LinearRegression, Logistic, SklearnDataset, TunedKNN
from tests.learning.tables import numeric, outputs

IRIS = SklearnDataset("iris").run().outputs["data"]


def test_logistic_regression_has_the_probabilities_of_scikit_learn() -> None:
    theirs = LogisticRegression(max_iter=1000).fit(IRIS.features.T, IRIS.classes).predict_proba(IRIS.features.T)
    assert np.allclose(outputs(Logistic(), data=IRIS)["classifier"].probabilities(IRIS), theirs)


def test_logistic_regression_of_two_classes_has_the_probabilities_of_scikit_learn() -> None:
    two = IRIS.select_rows(IRIS.classes > 0)
    theirs = LogisticRegression(max_iter=1000).fit(two.features.T, two.classes).predict_proba(two.features.T)
    ours = outputs(Logistic(), data=two)["classifier"].probabilities(two)
    assert np.allclose(ours[:, 1:], theirs)
    assert (ours[:, 0] == 0).all()


def test_linear_regression_has_the_coefficients_of_scikit_learn() -> None:
    target = np.eye(3)[IRIS.classes]
    theirs = Ridge(alpha=1e-8 * len(IRIS)).fit(IRIS.features.T, target)
    ours = outputs(LinearRegression(), data=IRIS)["classifier"]
    assert np.allclose(ours.coefficients, theirs.coef_)
    assert np.allclose(ours.offsets, theirs.intercept_)


def test_linear_regression_stands_columns_that_depend_on_each_other() -> None:
    data = numeric([1, 2, 3, 4], [2, 4, 6, 8], [5, 5, 5, 5], classes=[0, 0, 1, 1])
    assert outputs(LinearRegression(), data=data)["classifier"].classify(data).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_neighbours_is_the_best_in_leave_one_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, classes = rng.normal(size=(2, 20)), rng.integers(2, size=20)
    found = TunedKNN(most=6).run(numeric(*values, classes=classes)).results
    errors = [
        1 - cross_val_score(KNeighborsClassifier(k), values.T, classes, cv=LeaveOneOut()).mean() for k in range(1, 7)
    ]
    assert abs(found["Leave-one-out error"] - min(errors)) < 1e-9
    assert abs(errors[found["k"] - 1] - min(errors)) < 1e-9
