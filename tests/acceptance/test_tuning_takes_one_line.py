"""Parameters are tuned inside folds by one line of a file and one call in Python, and the test data have no say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sklearn.tree import DecisionTreeClassifier

from intemi import Project
from intemi.experiments import ExperimentError, parse_experiment, run
from intemi.experiments.schema import experiment_schema
from intemi.kernel import ConfigurationError
from intemi.machines import (
    KNN,
    SVM,
    CVDistributor,
    GaussianKernel,
    LinearKernel,
    ParameterSearch,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
    tune,
)

FILE = """
data: [iris]
learners:
  svm: {type: SVM, preprocessing: Standardization, tune: {C: [1, 10], kernel.sigma: [0.01, 0.1]}}
  tree: {type: sklearn.tree.DecisionTreeClassifier, tune: {max_depth: [1, null]}}
protocol: {distributor: {type: CVDistributor, folds: 3}}
"""
SCALED = TransformAndClassify(transformation=Standardization(), learner=SVM())


def test_one_line_of_a_file_is_one_call_in_python() -> None:
    read = parse_experiment(FILE)
    assert read.learners["svm"] == tune(SCALED, {"C": [1, 10], "kernel.sigma": [0.01, 0.1]})
    assert read.learners["tree"] == tune(DecisionTreeClassifier(), {"max_depth": [1, None]})


def test_each_fold_is_tuned_on_its_training_data_and_its_winner_learns_from_all_of_them() -> None:
    with Project() as project:
        outcome = run(parse_experiment(FILE), project)
        assert not outcome.failed
        found = project.query("svm on iris", type=ParameterSearch, labels=["Best", "Fold"])
        assert len(found) == 3
        assert all(best.startswith("C=") and ", sigma=" in best for best in found["Best"])
        sizes = project.query("svm on iris", path="test/learner/winner/both", labels=["Fold"])
        assert len(sizes) == 3


@pytest.mark.parametrize(
    ("learner", "values", "paths"),
    [
        (SVM(), {"C": [1], "kernel": [LinearKernel(), GaussianKernel(1.0)]}, ("test/learner.C", "test/learner.kernel")),
        (SCALED, {"sigma": [1.0]}, ("test/learner/learner.kernel.sigma",)),
        (KNN(), None, ("test/learner.k",)),
        (DecisionTreeClassifier(), {"max_depth": [1]}, ("test/learner.options.max_depth",)),
    ],
)
def test_a_parameter_is_found_wherever_it_is(learner: Any, values: Any, paths: tuple[str, ...]) -> None:
    found = tune(learner, values).scenario.paths
    assert [path.replace("/", ".") for path in found] == [path.replace("/", ".") for path in paths]


def test_the_inner_test_can_be_another() -> None:
    read = parse_experiment(
        "data: [iris]\n"
        "learners:\n"
        "  knn: {type: KNN, tune: default, tuning: {distributor: {type: CVDistributor, folds: 3}, measure: AUC}}"
    )
    assert read.learners["knn"] == tune(KNN(), distributor=CVDistributor(folds=3), measure="AUC")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("tune: {K: [1]}", "no part is called 'K'; there are seed, k"),
        ("tune: {k: 1}", "must be a list of values"),
        ("tune: [1, 3]", "must be lists of values by parameter"),
        ("tuning: {measure: AUC}", "there is nothing to be tuned"),
        ("tune: {k: [1]}, tuning: {folds: 3}", "there is no such key; there are distributor, measure"),
        ("tune: {k: [1]}, tuning: {measure: Acuracy}", "the objective must be a result of"),
    ],
)
def test_a_mistake_gets_one_message_with_its_line(said: str, message: str) -> None:
    with pytest.raises(ExperimentError, match=rf"^experiment.yaml:2: .*({message})"):
        parse_experiment(f"data: [iris]\nlearners: {{knn: {{type: KNN, {said}}}}}\n")


def test_what_cannot_be_tuned_is_refused() -> None:
    chain = TransformAndClassify(transformation=Standardization(), learner=SCALED)
    with pytest.raises(ConfigurationError, match="'ddof' stands for several parameters; there are transformation"):
        tune(chain, {"ddof": [0, 1]})
    with pytest.raises(ConfigurationError, match="has no default ranges"):
        tune(DecisionTreeClassifier())
    with pytest.raises(ConfigurationError, match="at least one parameter"):
        tune(KNN(), {})


def test_the_schema_knows_the_keys() -> None:
    assert '"tune"' in json.dumps(experiment_schema())


def test_the_winner_is_the_learner_itself() -> None:
    with Project() as project:
        data = project.request(SklearnDataset("iris")).data
        tuned = project.run(tune(KNN(), {"k": [7]}), data=data)
        assert tuned.results["Best"] == {"test/learner.k": 7}
        before = project.counts().physical["KNN"]
        assert tuned.outputs["classifier"].k == 7
        project.run(KNN(k=7), data=data)
        assert project.counts().physical["KNN"] == before
