"""Estimators of scikit-learn, pipelines and column transformers stand wherever a machine is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from intemi import Project
from intemi.data import Data, to_pandas
from intemi.experiments import Experiment, compare_learners, parse_experiment, run
from intemi.kernel import ConfigurationError
from intemi.kernel.adoption import adopted
from intemi.machines import (
    KNN,
    ColumnSelector,
    Estimator,
    Scheme,
    SklearnClassifier,
    SklearnDataset,
    SklearnFunction,
    SklearnTransformer,
    Standardization,
    TransformAndClassify,
)
from tests.learning.tables import mixed

pd = pytest.importorskip("pandas")
IRIS = {"iris": SklearnDataset("iris")}
FOREST = RandomForestClassifier(n_estimators=3)


def prepared(*columns: Any) -> Pipeline:
    """Numbers and categories prepared apart, and a model of both."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    both = ColumnTransformer([("n", numbers, columns[0]), ("c", OneHotEncoder(handle_unknown="ignore"), columns[1])])
    return Pipeline([("prepared", both), ("model", LogisticRegression(C=3.0))])


def test_an_estimator_is_a_learner_of_an_experiment() -> None:
    with Project() as project:
        named = SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 3})
        outcome = run(Experiment(data=IRIS, learners={"object": FOREST, "path": named}), project)
        assert not outcome.failed
        assert project.counts().physical["SklearnClassifier"] == 10  # both are one


def test_estimators_stand_in_schemes_and_in_other_machines_and_are_run() -> None:
    both = TransformAndClassify(transformation=StandardScaler(), learner=KNeighborsClassifier(3))
    assert isinstance(both.get("transformation"), SklearnTransformer)
    scheme = Scheme(training=Data)
    scheme.add(both.replace("learner", FOREST), data=scheme.training, name="learner")
    scheme = scheme.replace("learner", KNeighborsClassifier())
    assert scheme.get("learner").options == {}
    with Project() as project:
        done = project.run(KNeighborsClassifier(3), data=project.request(SklearnDataset("iris")).data)
        assert done.results == {}
        assert "classifier" in done.outputs
    compared = compare_learners([FOREST, KNN()], ["iris"], folds=3)
    assert set(compared.series["machine"]) == {"RandomForestClassifier", "KNN"}


@pytest.mark.parametrize(
    "columns",
    [
        (make_column_selector(dtype_include=np.number), make_column_selector(dtype_exclude="number")),
        (["x0", "x1"], make_column_selector(pattern="^s")),
    ],
    ids=["by types", "by names"],
)
def test_columns_are_found_by_name_and_type(columns: Any, tmp_path: Path) -> None:
    data = mixed()
    names = [[column.name for column in data.columns if column.is_nominal is kind] for kind in (False, True)]
    pipeline = prepared(names[0], names[1]) if columns[0] == ["x0", "x1"] else prepared(*columns)
    frame = to_pandas(data)
    frame = frame[frame[data.target.name].notna()] if data.target else frame
    features = frame[[column.name for column in data.columns]]
    codes = np.array(frame[frame.columns[-1]].cat.codes)
    with Project(tmp_path) as project:
        known = data.select_rows(data.classes >= 0)
        classifier = project.run(pipeline, data=project.given(known)).outputs["classifier"]
        assert classifier.classify(known).tolist() == pipeline.fit(features, codes).predict(features).tolist()


def test_a_file_names_estimators_by_their_paths() -> None:
    read = parse_experiment(
        """
        data: [iris]
        learners:
          forest: {type: sklearn.ensemble.RandomForestClassifier, vary: {n_estimators: [3, 5]}}
          chain:
            type: sklearn.pipeline.Pipeline
            steps: [[scale, sklearn.preprocessing.StandardScaler], [svm, {type: sklearn.svm.SVC, C: 10}]]
            vary: {svm__C: [1, 10]}
          columns:
            type: sklearn.pipeline.Pipeline
            steps:
              - - prepared
                - type: sklearn.compose.ColumnTransformer
                  transformers: [[n, sklearn.preprocessing.StandardScaler, {type: ColumnSelector, include: number}]]
              - [best, {type: sklearn.feature_selection.SelectKBest, k: 2, score_func: sklearn.feature_selection.chi2}]
              - [bayes, sklearn.naive_bayes.GaussianNB]
          plain: sklearn.naive_bayes.GaussianNB
          behind: {type: KNN, preprocessing: sklearn.preprocessing.StandardScaler}
        """,
        "estimators.yaml",
    )
    assert list(read.learners)[:4] == [
        "forest n_estimators=3",
        "forest n_estimators=5",
        "chain svm__C=1",
        "chain svm__C=10",
    ]
    assert read.learners["forest n_estimators=3"] == adopted(FOREST)
    assert read.learners["chain svm__C=1"].build().get_params()["svm__C"] == 1
    steps = read.learners["columns"].options["steps"]
    assert steps[1][1].options["score_func"] == SklearnFunction("sklearn.feature_selection.chi2")
    assert steps[0][1].options["transformers"][0][2] == ColumnSelector(include="number")
    assert read.learners["behind"] == TransformAndClassify(transformation=StandardScaler(), learner=KNN())


def test_what_is_equal_is_one_and_what_differs_is_not() -> None:
    scaled = make_pipeline(StandardScaler(), SVC(C=2))
    assert adopted(scaled) == adopted(make_pipeline(StandardScaler(), SVC(C=2, tol=1e-3)))
    others = [
        make_pipeline(StandardScaler(), SVC(C=2.5)),
        make_pipeline(StandardScaler(with_mean=False), SVC(C=2)),
        Pipeline([("a", StandardScaler()), ("svc", SVC(C=2))]),
        make_pipeline(SelectKBest(f_classif), SVC(C=2)),
    ]
    assert len({adopted(each).digest for each in (scaled, *others)}) == 5
    built = adopted(scaled).build()
    assert built is not scaled
    assert repr(built) == repr(scaled)
    assert adopted(scaled).options["steps"][1][1] == Estimator("sklearn.svm.SVC", {"C": 2})


class Own(LogisticRegression):
    """A class that scikit-learn does not have."""


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (SVC(kernel=lambda a, b: a @ b.T), "SVC: kernel must be plain data, .* got .*<lambda>, which has no identity"),
        (RandomForestClassifier(random_state=np.random.RandomState(1)), "random_state must be plain data"),
        (make_pipeline(FunctionTransformer(np.log1p), SVC()), "FunctionTransformer: func must be plain data, .* log1p"),
        (RandomForestClassifier(class_weight={0: 1.0}), "class_weight must have names of classes as keys"),
        (make_pipeline(StandardScaler(), SVC(), memory="here"), "memory must be None"),
        (Own(), "Own is no public class of scikit-learn, so it has no identity here"),
        (Ridge(), "a classifier or a transformer is needed, got Ridge.*targets are nominal here"),
        (KFold(), "a machine or an estimator of scikit-learn is needed"),
        (RandomForestClassifier, "write RandomForestClassifier"),
    ],
)
def test_what_has_no_identity_or_no_classes_is_refused_by_name(estimator: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Experiment(data=IRIS, learners={"one": estimator})


def test_a_transformer_of_ours_and_one_of_theirs_stand_side_by_side() -> None:
    for step in (Standardization(), StandardScaler()):
        TransformAndClassify(transformation=step, learner=KNN())
