import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from intemi import ConfigurationError, Project
from intemi.data import Data, from_numpy
from intemi.interop import IntemiClassifier, IntemiWeightedClassifier
from intemi.interop.tables import EstimatorError
from intemi.machines import (
    C45,
    CART,
    KNN,
    SVM,
    ClassificationTest,
    GaussianKernel,
    NaiveBayes,
    PolynomialKernel,
    Scheme,
    Standardization,
)

WINE, CULTIVARS = load_wine(return_X_y=True)


def flowers() -> tuple[pd.DataFrame, np.ndarray]:
    """A frame with numbers, categories, truth values, and a value that is missing."""
    frame = pd.DataFrame({"size": [1.0, 2, 3, None, 5, 6], "colour": list("rgbrgb"), "wild": [True, False] * 3})
    return frame, np.array(["no", "yes"] * 3)


# Answers


def test_it_answers_as_the_machine_does() -> None:
    estimator = IntemiClassifier(NaiveBayes()).fit(WINE, CULTIVARS)
    with Project() as project:
        data = project.given(from_numpy(WINE, CULTIVARS))
        classifier = project.run(NaiveBayes(), data=data).outputs["classifier"]
        named = from_numpy(WINE)
    assert np.array_equal(estimator.predict(WINE), classifier.classify(named))
    assert np.array_equal(estimator.predict_proba(WINE), classifier.probabilities(named))


@pytest.mark.parametrize("classes", [["b", "a", "c"], [3, -1, 7], [2.0, 0.0, 1.0]])
def test_classes_come_back_as_they_were(classes: list[Any]) -> None:
    y = np.array(classes)[CULTIVARS]
    estimator = IntemiClassifier(NaiveBayes()).fit(WINE, y)
    assert estimator.classes_.tolist() == sorted(classes)
    assert set(estimator.predict(WINE).tolist()) <= set(classes)
    assert np.mean(estimator.predict(WINE) == y) > 0.95
    assert (estimator.classes_[estimator.predict_proba(WINE).argmax(axis=1)] == estimator.predict(WINE)).all()


def test_truth_values_are_classes() -> None:
    estimator = IntemiClassifier(NaiveBayes()).fit(WINE, CULTIVARS == 0)
    assert estimator.predict(WINE).dtype == bool


# Frames


def test_frames_bring_names_categories_and_missing_values() -> None:
    frame, y = flowers()
    estimator = IntemiClassifier(CART(refinement=None), missing=True).fit(frame, y)
    assert estimator.feature_names_in_.tolist() == ["size", "colour", "wild"]
    assert estimator.n_features_in_ == 3
    assert estimator.classifier_.columns[1].categories == ("b", "g", "r")
    assert estimator.predict(frame).tolist() == y.tolist()


def test_categories_mean_the_same_in_a_part_of_the_data() -> None:
    frame, y = flowers()
    estimator = IntemiClassifier(NaiveBayes(), missing=True).fit(frame, y)
    whole = estimator.predict_proba(frame)
    for row in range(len(frame)):
        assert np.array_equal(estimator.predict_proba(frame[row : row + 1])[0], whole[row])


def test_a_column_may_be_missing_altogether() -> None:
    frame, y = flowers()
    estimator = IntemiClassifier(NaiveBayes(), missing=True).fit(frame, y)
    unknown = pd.DataFrame({"size": [None], "colour": [None], "wild": [None]}, dtype=object)
    assert estimator.predict_proba(unknown)[0] == pytest.approx([0.5, 0.5])


def test_names_of_features_are_those_of_columns() -> None:
    iris = load_iris(as_frame=True)
    estimator = IntemiClassifier(CART(refinement=None)).fit(iris.data, iris.target)
    assert [column.name for column in estimator.classifier_.columns] == list(iris.data.columns)


# Parameters


def test_parameters_of_the_machine_have_the_names_of_their_paths() -> None:
    estimator = IntemiClassifier(SVM(kernel=GaussianKernel(sigma=0.5)))
    params = estimator.get_params()
    assert params["machine__kernel__sigma"] == 0.5
    assert params["machine__C"] == 1.0
    assert set(estimator.get_params(deep=False)) == {"machine", "missing", "project"}


def test_every_parameter_can_be_set_to_what_it_is() -> None:
    for machine in (SVM(), CART(refinement=None), C45(refinement=None), in_a_scheme()):
        estimator = IntemiClassifier(machine)
        for name, value in estimator.get_params().items():
            assert clone(estimator).set_params(**{name: value}).machine == machine


def test_a_part_and_a_parameter_of_it_can_be_set_together() -> None:
    estimator = IntemiClassifier(SVM()).set_params(machine__kernel__degree=3, machine__kernel=PolynomialKernel())
    assert estimator.machine == SVM(kernel=PolynomialKernel(degree=3))


def in_a_scheme() -> Scheme:
    scheme = Scheme(data=Data)
    std = scheme.add(Standardization(), data=scheme.data)
    knn = scheme.add(KNN(), data=std.transformed, name="knn")
    scheme.expose(classifier=knn.classifier)
    return scheme


def test_machines_in_a_scheme_are_reached_by_their_names() -> None:
    estimator = IntemiClassifier(in_a_scheme())
    assert estimator.get_params()["machine__knn__k"] == 5
    assert estimator.set_params(machine__knn__k=3).machine.get("knn.k") == 3


def test_a_clone_is_equal_and_not_fitted() -> None:
    estimator = IntemiClassifier(CART(refinement=None), missing=True).fit(WINE, CULTIVARS)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(WINE)


# Together with scikit-learn


def test_it_works_in_cross_validation_and_pipelines() -> None:
    ours = cross_val_score(make_pipeline(StandardScaler(), IntemiClassifier(SVM())), WINE, CULTIVARS, cv=5)
    assert ours.mean() > 0.95


def test_cross_validation_agrees_with_that_of_scikit_learns_own_estimator() -> None:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = cross_val_score(IntemiClassifier(NaiveBayes(floor=0)), WINE, CULTIVARS, cv=folds)
    theirs = cross_val_score(GaussianNB(), WINE, CULTIVARS, cv=folds)
    assert ours.tolist() == theirs.tolist()


def test_a_grid_search_reaches_parameters_of_the_machine() -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("learn", IntemiClassifier(SVM()))])
    grid = {"learn__machine__kernel__sigma": [1e-6, 0.05], "learn__machine__C": [1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(WINE, CULTIVARS)
    assert search.best_params_["learn__machine__kernel__sigma"] == 0.05
    assert search.best_estimator_["learn"].machine.get("kernel.sigma") == 0.05


def test_a_grid_search_chooses_among_machines() -> None:
    search = GridSearchCV(IntemiClassifier(), {"machine": [KNN(), NaiveBayes()]}, cv=3).fit(WINE, CULTIVARS)
    assert search.best_params_ == {"machine": NaiveBayes()}


def test_it_works_in_ensembles() -> None:
    voting = VotingClassifier(
        [("knn", IntemiClassifier(KNN())), ("tree", IntemiClassifier(CART(refinement=None)))], voting="soft"
    )
    for ensemble in (
        voting,
        BaggingClassifier(IntemiClassifier(CART(refinement=None)), n_estimators=3, random_state=0),
    ):
        assert ensemble.fit(WINE, CULTIVARS).score(WINE, CULTIVARS) > 0.9


def test_it_works_in_boosting_where_weights_sum_up_to_one() -> None:
    boosted = AdaBoostClassifier(IntemiWeightedClassifier(CART(refinement=None)), n_estimators=3).fit(WINE, CULTIVARS)
    assert boosted.score(WINE, CULTIVARS) == 1.0


def test_a_fitted_estimator_can_be_pickled() -> None:
    estimator = IntemiClassifier(CART(refinement=None)).fit(WINE, CULTIVARS)
    assert np.array_equal(pickle.loads(pickle.dumps(estimator)).predict(WINE), estimator.predict(WINE))


def test_it_shows_itself_in_notebooks() -> None:
    assert "KNN" in IntemiClassifier(KNN())._repr_html_()


# Projects


def test_a_folder_keeps_what_was_learned(tmp_path: Path) -> None:
    estimator = IntemiClassifier(CART(refinement=None), project=tmp_path / "project")
    first = estimator.fit(WINE, CULTIVARS).predict(WINE)
    with Project.open(tmp_path / "project") as project:
        assert len(project.query(type="DecisionTree", labels="Leaves")) == 1
    assert np.array_equal(clone(estimator).fit(WINE, CULTIVARS).predict(WINE), first)
    with Project.open(tmp_path / "project") as project:
        started = project.query(type="DecisionTree", labels="started").values
    assert len(set(started)) == 1


def test_a_wider_grid_learns_only_what_is_new(tmp_path: Path) -> None:
    estimator = IntemiClassifier(KNN(), project=tmp_path)

    def machines() -> int:
        with Project.open(tmp_path) as project:
            return len(set(project.query(type=KNN, labels="started").values))

    GridSearchCV(estimator, {"machine__k": [1, 3]}, cv=3, refit=False).fit(WINE, CULTIVARS)
    assert machines() == 6
    GridSearchCV(estimator, {"machine__k": [1, 3, 5]}, cv=3, refit=False).fit(WINE, CULTIVARS)
    assert machines() == 9


# Weights


def test_weights_are_those_of_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, len(WINE))
    weighted = IntemiWeightedClassifier(CART(refinement=None)).fit(WINE, CULTIVARS, sample_weight=counts)
    repeated = IntemiClassifier(CART(refinement=None)).fit(
        np.repeat(WINE, counts, axis=0), np.repeat(CULTIVARS, counts)
    )
    assert np.array_equal(weighted.predict_proba(WINE), repeated.predict_proba(WINE))


def test_weights_of_one_are_no_weights(tmp_path: Path) -> None:
    estimator = IntemiWeightedClassifier(CART(refinement=None), project=tmp_path)
    estimator.fit(WINE, CULTIVARS)
    estimator.fit(WINE, CULTIVARS, sample_weight=np.full(len(WINE), 1 / len(WINE)))
    with Project.open(tmp_path) as project:
        assert len(set(project.query(type="DecisionTree", labels="started").values)) == 1


# Errors

FRAME, ANSWERS = flowers()
FITTED = {"C45": IntemiClassifier(C45(refinement=None), missing=True), "KNN": IntemiClassifier(KNN())}


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: IntemiClassifier("knn").fit(WINE, CULTIVARS), "machine must be a machine such as KNN.*, got 'knn'"),
        (lambda: IntemiClassifier().fit(WINE, CULTIVARS), "machine must be a machine such as KNN.*, got None"),
        (
            lambda: IntemiClassifier(Standardization()).fit(WINE, CULTIVARS),
            "must give a classifier, Standardization gives transformed",
        ),
        (
            lambda: IntemiClassifier(ClassificationTest()).fit(WINE, CULTIVARS),
            "must take one Data, ClassificationTest takes data .Data., classifier",
        ),
        (lambda: IntemiClassifier(KNN(), project=3).fit(WINE, CULTIVARS), "project must be a folder or None, got 3"),
        (
            lambda: IntemiClassifier(C45(refinement=None)).fit(FRAME, ANSWERS),
            "X must not contain NaN, got 1 of them; missing=True",
        ),
        (
            lambda: IntemiClassifier(KNN(), missing=True).fit([[np.nan], [1.0]], [0, 1]),
            r"KNN: numeric columns without missing values are needed.*n_samples=2, n_features=1",
        ),
        (lambda: IntemiClassifier().set_params(machine__k=3), "machine__k is a part of a machine, but machine=None"),
        (
            lambda: FITTED["C45"].fit(FRAME, ANSWERS).predict(FRAME.assign(colour=list("rgbrgx"))),
            "column 'colour' has the category 'x', which was not there in fit; there were b, g, r",
        ),
        (
            lambda: FITTED["C45"].fit(FRAME, ANSWERS).predict(FRAME.assign(colour=range(6))),
            "column 'colour' had categories in fit, got numbers",
        ),
        (
            lambda: FITTED["C45"].fit(FRAME, ANSWERS).predict(FRAME[["size"]].to_numpy()),
            "X must be a pandas frame with categories",
        ),
        (
            lambda: FITTED["C45"].fit(FRAME.assign(size=[np.inf] * 6), ANSWERS),
            "X must be finite or missing, got infinity",
        ),
        (lambda: FITTED["C45"].fit(FRAME, ANSWERS[:3]), "y must have a class for each of 6 rows, got 3"),
        (
            lambda: FITTED["C45"].fit(FRAME.assign(size=pd.date_range("2020-01-01", periods=6)), ANSWERS),
            "X cannot be used: 'size' must hold numbers, texts or categories",
        ),
        (
            lambda: IntemiWeightedClassifier(CART(refinement=None)).fit(
                WINE, CULTIVARS, sample_weight=-np.ones(len(WINE))
            ),
            "sample_weight must be at least 0, got -1",
        ),
        (
            lambda: IntemiWeightedClassifier(CART(refinement=None)).fit(WINE, CULTIVARS, sample_weight=[1.0]),
            "sample_weight must have one weight for each of 178 rows",
        ),
    ],
)
def test_errors_say_what_was_given_and_what_is_allowed(attempt: Any, message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        attempt()


def test_a_wrong_path_or_value_is_refused_by_the_machine() -> None:
    with pytest.raises(ConfigurationError, match="KNN: no part is called 'kk'; there are seed, k, distance"):
        IntemiClassifier(KNN()).set_params(machine__kk=3)
    with pytest.raises(ConfigurationError, match="KNN: k must be at least 1, got 0"):
        IntemiClassifier(KNN()).set_params(machine__k=0)
    with pytest.raises(ValueError, match="Invalid parameter 'machines'"):
        IntemiClassifier(KNN()).set_params(machines=3)


def test_the_cause_of_a_failure_is_told() -> None:
    with pytest.raises(EstimatorError) as caught:
        IntemiClassifier(KNN(k=7)).fit([[0.0], [1.0]], [0, 1])
    assert any("The first cause, in KNN" in note for note in caught.value.__notes__)
