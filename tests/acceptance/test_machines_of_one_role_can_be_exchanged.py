"""For every role, each machine of it can be put in place of each other: by `replace`, by a search, in a file.

What is exchanged is found in the catalogue, so that new machines are tried here as soon as they exist. Those that need
parameters have them in `NEEDED`.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml

from intemi import BindingError, ConfigurationError, Input, Machine, MachineFailed, Model, MultiOutput, Output, Project
from intemi.data import Column, Data, Table, openml
from intemi.experiments import ExperimentError, parse_experiment, run
from intemi.experiments.building import machine as machine_of
from intemi.experiments.catalogue import Entry, entries, fitting
from intemi.experiments.document import parse
from intemi.experiments.schema import experiment_schema
from intemi.kernel import content_digest
from intemi.machines import (
    KNN,
    ClassificationTest,
    ClassifierTest,
    Count,
    CVDistributor,
    DataLoader,
    DecisionTree,
    Distributor,
    ExternalTransformation,
    FeatureSelection,
    FScoreRanking,
    Learner,
    Loader,
    Majority,
    NaiveBayes,
    Normalization,
    ParameterSearch,
    Ranker,
    Repeater,
    Role,
    Scheme,
    Standardization,
    TransformAndClassify,
    Transformer,
    Values,
    placeholder,
)
from intemi.query import Query
from intemi.testing import check_machine
from tests import users_machines
from tests.profiles import by_profile

ROWS = 24
COMBINERS = (
    "Arbiters",
    "Cascading",
    "MetaDecisionTree",
    "SCANN",
    "SelectBest",
    "Stacking",
    "StackingAC45",
    "StackingC45",
    "Voting",
)
OF_THEIR_OWN = {
    "JoinedFiles": "its data have a nominal column that only GivenSplit takes out",
    "GivenSplit": "it divides data by such a column",
    "TwoSamples": "a row may be in both of its samples, which prune trees and are not for a fair test",
    "CommitteeTest": "its results are blocks, and it asks the members of a committee",
    "CorrespondenceAnalysis": "it learns from nominal columns, such as the answers of others",
    "DiversityTest": "it asks the members of a committee",
}
"""Machines with the ports of a role that go together with certain others only, and why."""
NEEDED: dict[str, dict[str, Any]] = {
    "GivenRanking": {"order": [2, 0, 3, 1]},
    "GivenFolds": {"folds": [row % 2 for row in range(ROWS)]},
    "SklearnClassifier": {"estimator": "sklearn.tree.DecisionTreeClassifier"},
    "SklearnTransformer": {"estimator": "sklearn.preprocessing.StandardScaler"},
    "LockstepTree": {
        "learner": {"type": "DecisionTree"},
        "refinement": {
            "type": "Expansions",
            "rule": "first_increase",
            "passes": {"type": "CVDistributor", "folds": 2},
        },
    },
    "DataLoader": {"path": "table.csv"},
    "OpenMLDataset": {"id": 61},
    "TransformationChain": {"steps": ["Standardization", "Normalization"]},
    "Bagging": {"learner": "NaiveBayes", "size": 2},
    "Wagging": {"learner": "NaiveBayes", "size": 2},
    "Boosting": {"learner": "NaiveBayes", "size": 2},
    "Randomization": {"learner": {"type": "DecisionTree", "splitter": "RandomSubset"}, "size": 2},
    "FromShare": {"learner": "NaiveBayes"},
    "ForestRanking": {"forest": {"type": "Bagging", "learner": "DecisionStump", "size": 2}},
    "PermutationRanking": {"learner": "NaiveBayes", "distributor": {"type": "CVDistributor", "folds": 2}},
    "GroupCVDistributor": {"column": "a", "folds": 2},
    **{name: {"learners": ["NaiveBayes", "Majority"]} for name in COMBINERS},
    "TransformAndClassify": {"transformation": "Standardization", "learner": "NaiveBayes"},
}
"""Parameters of machines that are not complete without, as a file says them."""
PLACES: dict[type[Role], str] = {
    Loader: "loader",
    Distributor: "distributor",
    Transformer: "transformer",
    Ranker: "ranker",
    Learner: "learner",
    ClassifierTest: "test",
}
every_role = pytest.mark.parametrize("role", PLACES, ids=lambda role: role.kind)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a small table, of which a copy is in place of OpenML."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    classes = np.arange(ROWS) % 3
    features = rng.normal(size=(4, ROWS)) + 2 * classes
    lines = [",".join([*map(str, row), "xyz"[kind]]) for row, kind in zip(features.T, classes, strict=True)]
    Path("table.csv").write_text("\n".join(["a,b,c,d,class", *lines]))
    table = Table([Column(name) for name in "abcd"], features, Column("class", ("x", "y", "z")), classes)
    monkeypatch.setattr(openml, "load", lambda number, target: Data(table))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(experiment_schema())


def study() -> Scheme:
    """One machine of each role: load, split, transform, rank, learn, test."""
    scheme = Scheme()
    loader = scheme.add(DataLoader("table.csv"), name="loader")
    folds = scheme.add(CVDistributor(folds=2), data=loader.data, name="distributor")
    scaled = scheme.add(Standardization(), data=folds.training[0], name="transformer")
    ranked = scheme.add(FScoreRanking(), data=scaled.transformed, name="ranker")
    best = scheme.add(FeatureSelection(Count(3)), data=scaled.transformed, ranking=ranked.ranking, name="best")
    learned = scheme.add(NaiveBayes(), data=best.transformed, name="learner")
    same = scheme.add(ExternalTransformation(), data=folds.test[0], transformation=scaled.transformation)
    less = scheme.add(ExternalTransformation(), data=same.transformed, transformation=best.transformation)
    scheme.add(ClassificationTest(), data=less.transformed, classifier=learned.classifier, name="test")
    return scheme


def shipped(role: type[Role]) -> list[Entry]:
    found = [entry for entry in entries().values() if role in entry.roles and not entry.is_abstract]
    return [
        entry for entry in found if entry.made_by.__module__.startswith("intemi.") and entry.name not in OF_THEIR_OWN
    ]


def plain(name: str) -> dict[str, Any]:
    return {"type": name, **NEEDED.get(name, {})}


def machines_of(role: type[Role]) -> list[Machine]:
    """Every shipped machine of a role, and one of the user's."""
    for entry in shipped(role):
        assert entry.name in NEEDED or not entry.needs, f"{entry.name}: say in NEEDED what it needs"
    made = [machine_of(parse(json.dumps(plain(entry.name)), "example.yaml")) for entry in shipped(role)]
    return [*made, users_machines.OF_ROLE[role]()]


@every_role
def test_there_are_machines_of_every_role(role: type[Role]) -> None:
    assert len(shipped(role)) >= (1 if role is ClassifierTest else 3)
    assert all(role.fits(machine) for machine in machines_of(role))


@every_role
def test_each_replaces_each_other_in_one_scheme(role: type[Role]) -> None:
    place, found = PLACES[role], machines_of(role)
    changed = {machine: study().replace(place, machine) for machine in found}
    for one, other in itertools.permutations(found, 2):
        assert changed[one].replace(place, other) == changed[other]
    with Project(workers=2) as project:
        for machine, capsule in [(machine, project.request(scheme)) for machine, scheme in changed.items()]:
            assert capsule.wait().child(place).config == machine
            assert 0 <= capsule.child("test").results["Accuracy"] <= 1


@every_role
def test_a_search_tries_each_of_them(role: type[Role]) -> None:
    place, found = PLACES[role], machines_of(role)
    search = ParameterSearch(study(), Values(place, found), Query("test", "Accuracy").mean())
    with Project(workers=2) as project:
        results = project.run(search).results
    assert len(results["Tried"]) == len(found)
    assert "Failure" not in results["Tried"].labels
    assert results["Best"][place] in found


PROTOCOL = {"distributor": {"type": "CVDistributor", "folds": 2}}


def file_with(role: type[Role], machine: dict[str, Any]) -> str:
    """An experiment file with a machine at a place of a role."""
    plan: dict[str, Any] = {"data": ["table.csv"], "learners": {"it": "Majority"}, "protocol": PROTOCOL}
    if role is Loader:
        plan["data"] = {"it": machine}
    elif role is Distributor:
        plan["protocol"] = {"distributor": machine}
    elif role is Transformer:
        plan["preprocessing"] = machine
    elif role is Ranker:
        best = {"type": "FeatureSelection", "bind": {"data": "data", "ranking": "ranking.ranking"}}
        plan["preprocessing"] = {
            "type": "Scheme",
            "takes": {"data": "Data"},
            "machines": {"ranking": {**machine, "bind": {"data": "data"}}, "best": best},
            "gives": {"transformed": "best.transformed", "transformation": "best.transformation"},
        }
    elif role is Learner:
        plan["learners"] = {"it": machine}
    else:
        plan["test"] = machine
    return yaml.safe_dump({"imports": "tests.users_machines", **plan, "comparison": {"test": "PairedTTest"}})


@every_role
def test_a_file_takes_each_of_them(role: type[Role], validator: jsonschema.Draft202012Validator) -> None:
    names = [entry.name for entry in shipped(role)]
    with Project(workers=2) as project:
        for name in [*names, users_machines.OF_ROLE[role].registered_name]:
            text = file_with(role, plain(name))
            assert [error.message for error in validator.iter_errors(yaml.safe_load(text))] == []
            assert len(run(parse_experiment(text), project).series("Accuracy")) >= 1


@every_role
def test_a_file_offers_and_takes_no_others(role: type[Role], validator: jsonschema.Draft202012Validator) -> None:
    offered = fitting(role)
    assert {entry.name for entry in shipped(role)} <= set(offered)
    for other in PLACES:
        names = [entry.name for entry in shipped(other) if entry.name not in offered]
        assert names or {entry.name for entry in shipped(other)} <= {entry.name for entry in shipped(role)}
        for name in names[: by_profile(quick=1, full=2)]:
            text = file_with(role, plain(name))
            if role is Ranker:  # a place in a scheme is for any machine; its ports decide
                with pytest.raises(ExperimentError):
                    parse_experiment(text)
            else:
                assert not validator.is_valid(yaml.safe_load(text)), name
                with pytest.raises(ExperimentError, match=f"must have the role {role.kind}, which .*; there are"):
                    parse_experiment(text)


# Of the user


@every_role
def test_a_machine_of_the_user_passes_the_checks(role: type[Role]) -> None:
    data = Data(Table([Column("a")], [[1.0, 2.0, 3.0, 4.0]], Column("class", ("x", "y")), [0, 0, 1, 1]))
    machine = users_machines.OF_ROLE[role]()
    inputs: dict[str, Any] = {"data": data, "classifier": Majority().run(data).outputs["classifier"]}
    check_machine(machine, **{name: inputs[name] for name in machine.inputs})


def test_ports_alone_make_a_learner_too() -> None:
    stranger = users_machines.Stranger()
    assert Learner.fits(stranger)
    assert not isinstance(stranger, Learner)
    assert TransformAndClassify(learner=stranger).missing() == TransformAndClassify(learner=KNN()).missing()
    with Project() as project:
        assert project.run(study().replace("learner", stranger)).child("test").results["Accuracy"] >= 0


def test_a_scheme_with_the_ports_of_a_role_has_it() -> None:
    scheme = placeholder(Learner).filled_with(NaiveBayes())
    assert Learner.fits(scheme)
    with Project() as project:
        done = project.run(study().replace("learner", scheme))
        plainly = project.run(study())
        assert content_digest(dict(done.child("test").results)) == content_digest(dict(plainly.child("test").results))


WRONG: dict[str, tuple[type[Role], dict[str, Any], str]] = {
    "a further input": (Learner, {"ranking": Input(int)}, r"takes ranking \(int\) as well"),
    "another type": (Learner, {"classifier": Output(int)}, r"gives classifier \(int\)"),
    "one instead of many": (Distributor, {"test": Output(Data)}, r"gives test \(Data\)"),
    "many instead of one": (Transformer, {"transformed": MultiOutput(Data)}, r"gives transformed \(many Data\)"),
    "a port that is gone": (Ranker, {"ranking": None}, r"gives nothing, not ranking \(FeatureRanking\)"),
    "an input instead of an output": (Loader, {"data": Input(Data)}, r"takes data \(Data\) as well"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_class_without_the_ports_of_its_role_is_refused(kind: str) -> None:
    role, attributes, wrong = WRONG[kind]
    with pytest.raises(ConfigurationError, match=f"Wrong: its role {role.kind} takes .*, but Wrong {wrong}$"):
        type("Wrong", (role,), {"__module__": __name__, **attributes})


class Silent(Learner):
    """A learner that hides its classifier from those who look closely."""

    @property
    def outputs(self) -> dict[str, Output]:
        return {}

    def run(self, data: Data) -> Model:
        return Model()


def test_ports_that_depend_on_the_configuration_are_checked_by_check_machine() -> None:
    with pytest.raises(AssertionError, match=r"Silent: its role Learner takes .* but it gives nothing, not classifier"):
        check_machine(Silent, data=Data(Table([Column("a")], [[1.0]])))


# What does not fit


def repeated() -> Repeater:
    """The study's second half in a repeater."""
    test = Scheme(training=Data, test=Data)
    std = test.add(Standardization(), data=test.training, name="std")
    knn = test.add(KNN(), data=std.transformed, name="knn")
    same = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation)
    test.add(ClassificationTest(), data=same.transformed, classifier=knn.classifier, name="test")
    return Repeater(CVDistributor(folds=2), test, seed=1)


def test_a_transformation_is_exchanged_in_cross_validation() -> None:
    cv, changed = repeated(), repeated().replace("test/std", Normalization())
    assert changed.get("test/std") == Normalization()
    search = ParameterSearch(
        cv, Values("test/std", [Standardization(), Normalization()]), Query("test/test", "Accuracy").mean()
    )
    with Project() as project:
        data = project.request(DataLoader("table.csv")).data
        assert "Failure" not in project.run(search, data=data).results["Tried"].labels


def test_a_search_refuses_what_cannot_be_bound_before_it_runs_anything() -> None:
    candidates = [Normalization(), KNN(), FeatureSelection(), CVDistributor(), "Standardization"]
    with pytest.raises(BindingError) as caught:
        ParameterSearch(repeated(), Values("test/std", candidates), Query("test/test", "Accuracy").mean())
    first, *listed = str(caught.value).splitlines()
    assert first == "ParameterSearch: nothing is run, because these candidates cannot be bound:"
    assert [line.partition("(")[0].partition(":")[0].strip() for line in listed] == [
        "test/std = KNN",
        "test/std = FeatureSelection",
        "test/std = CVDistributor",
        "test/std = 'Standardization'",
    ]
    assert "input ranking (FeatureRanking) is not bound" in listed[1]


class Untold(Values):
    """Values that nobody hears of before they are proposed."""

    @property
    def alternatives(self) -> tuple[Any, ...]:
        return ()


def test_what_is_first_proposed_when_it_runs_is_refused_then_with_nothing_run() -> None:
    search = ParameterSearch(
        repeated(), Untold("test/std", [Normalization(), KNN()]), Query("test/test", "Accuracy").mean()
    )
    with Project() as project:
        data = project.run(DataLoader("table.csv")).data
        with pytest.raises(MachineFailed, match="these candidates cannot be bound:\n  test/std = KNN"):
            project.run(search, data=data)
        assert project.counts().physical["Normalization"] == 0


def test_a_candidate_that_fails_is_a_failure_on_record() -> None:
    scenario = Values("distributor", [CVDistributor(folds=2), CVDistributor(folds=ROWS + 1)])
    search = ParameterSearch(repeated(), scenario, Query("test/test", "Accuracy").mean())
    with Project() as project:
        results = project.run(search, data=project.request(DataLoader("table.csv")).data).results
    assert results["Best"] == {"distributor": CVDistributor(folds=2)}
    assert [failure is None for failure in results["Tried"]["Failure"]] == [True, False]


def test_a_search_for_the_best_learner_gives_what_all_of_them_give() -> None:
    test = Scheme(training=Data, test=Data)
    learned = test.add(DecisionTree(), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    cv = Repeater(CVDistributor(folds=2), test, seed=1)
    search = ParameterSearch(
        cv,
        Values("test/learner", [DecisionTree(), KNN()]),
        Query("test/test", "Accuracy").mean(),
        winner="test/learner",
    )
    assert Learner.fits(search)
    assert list(search.outputs) == ["classifier"]
    with Project() as project:
        done = project.run(search, data=project.request(DataLoader("table.csv")).data)
        assert done.outputs["classifier"].labels == ("x", "y", "z")
