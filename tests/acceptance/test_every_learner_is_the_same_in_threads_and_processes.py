"""Every machine, with every option that draws, gives the same models and results whatever runs it; its seed counts."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import intemi
from intemi.data import Data
from intemi.kernel import Component, Machine, Project, Threads, content_digest, registry
from intemi.kernel.encoding import encode
from intemi.kernel.workers.processes import Processes
from intemi.machines import (
    C45,
    CART,
    CN2,
    CRUISE1D,
    CRUISE2D,
    FACT,
    ID3,
    J48,
    KNN,
    LVQ,
    QUEST,
    SCANN,
    SVM,
    AlternatingTree,
    AUCTree,
    Bagging,
    BestFirstTree,
    Boosting,
    BootstrapDistributor,
    Cal5,
    ClassificationTest,
    CombinationForest,
    CTree,
    CVCommittee,
    CVDistributor,
    DecisionStump,
    Estimator,
    ExpectedClass,
    FromShare,
    GradientBoosting,
    GroupCVDistributor,
    HoldOutDistributor,
    Learner,
    LinearRegression,
    Logistic,
    LTree,
    Mahalanobis,
    Majority,
    MetaDecisionTree,
    Mixed,
    NaiveBayes,
    OneR,
    OpenMLDataset,
    OptunaSearch,
    OriginalFeatures,
    ParameterSearch,
    RandomForest,
    RandomSearch,
    Refiltering,
    ReliefFRanking,
    Repeater,
    RPart,
    SklearnClassifier,
    SklearnDataset,
    SklearnTransformer,
    SSVTree,
    StackingAC45,
    StackingC45,
    Standardization,
    TopSplitForest,
    TransformAndClassify,
    TunedKNN,
    Uniform,
    Wagging,
    sequence,
)
from intemi.machines.interfaces import Classifier
from intemi.machines.trees import (
    CostComplexity,
    DecisionTree,
    OptionTree,
    RandomCombinations,
    RandomSubset,
    RandomTopSplit,
    ReducedError,
    RefinedTree,
    Windowing,
)
from intemi.workers import TaskManager
from tests.acceptance.test_every_machine_passes_check_machine import EXAMPLES, learner_and_test
from tests.learning.tables import mixed

FOREST = "sklearn.ensemble.RandomForestClassifier"
TWO_FOLDS = CVDistributor(folds=2)
WINE = SklearnDataset("wine").run().outputs["data"]
COMPLETE = mixed(missing=0)


def repeated(distributor: Machine, learner: Machine) -> Repeater:
    return Repeater(distributor, learner_and_test().replace("learner", learner), repetitions=2)


# Beside the examples of all machines: every learner, and what draws
LEARNERS: dict[str, Callable[[], tuple[Machine, Data]]] = {
    "Majority": lambda: (Majority(), WINE),
    "NaiveBayes": lambda: (NaiveBayes(), mixed()),
    "KNN": lambda: (KNN(k=3), WINE),
    "KNN, mixed": lambda: (KNN(k=3, distance=Mixed()), mixed(missing=0)),
    "KNN, Mahalanobis": lambda: (KNN(k=3, distance=Mahalanobis()), WINE),
    "expected classes": lambda: (sequence(Learner, ExpectedClass(), KNN(k=1, distance=Mixed())), mixed(missing=0)),
    "LVQ": lambda: (sequence(Learner, LVQ(epochs=2), KNN(k=1)), WINE),
    "TunedKNN": lambda: (TunedKNN(), WINE),
    "OneR": lambda: (OneR(), mixed()),
    "CN2": lambda: (CN2(), mixed()),
    "LinearRegression": lambda: (LinearRegression(), WINE),
    "Logistic": lambda: (TransformAndClassify(Standardization(), Logistic()), WINE),
    "SVM": lambda: (SVM(), WINE),
    "SCANN": lambda: (SCANN((KNN(k=3), NaiveBayes(), CART())), WINE),
    "StackingC45": lambda: (StackingC45((NaiveBayes(), CART())), mixed()),
    "StackingAC45": lambda: (StackingAC45((NaiveBayes(), CART())), mixed()),
    "MetaDecisionTree": lambda: (MetaDecisionTree((NaiveBayes(), CART()), OriginalFeatures()), mixed()),
    "ID3": lambda: (ID3(), COMPLETE),
    "CART": lambda: (CART(), mixed()),
    "C45": lambda: (C45(), mixed()),
    "J48": lambda: (J48(), mixed()),
    "RPart": lambda: (RPart(), mixed()),
    "LTree": lambda: (LTree(), mixed()),
    "SSVTree": lambda: (SSVTree(), mixed()),
    "AUCTree": lambda: (AUCTree(), WINE),
    "Cal5": lambda: (Cal5(), WINE),
    "FACT": lambda: (FACT(), WINE),
    "QUEST": lambda: (QUEST(), WINE),
    "CRUISE1D": lambda: (CRUISE1D(), WINE),
    "CTree": lambda: (CTree(), WINE),
    "BestFirstTree": lambda: (BestFirstTree(), WINE),
    "Refiltering": lambda: (Refiltering(), WINE),
    "OptionTree": lambda: (OptionTree(option_factor=0.7), mixed()),
    "AlternatingTree": lambda: (AlternatingTree(), mixed()),
    "Boosting": lambda: (Boosting(DecisionStump(), size=3), mixed()),
}
RANDOM: dict[str, Callable[[], tuple[Machine, Data]]] = {
    "CTree, resampled": lambda: (CTree(resample=599), WINE),
    "CTree, maximum, resampled": lambda: (CTree(resample=199, statistic="maximum", alpha=0.2), mixed(200)),
    "CRUISE2D": lambda: (CRUISE2D(bootstrap=5), WINE),
    "CRUISE2D, in each node": lambda: (CRUISE2D(bootstrap=5, bootstrap_scope="node"), mixed(200)),
    "CRUISE2D, of some pairs": lambda: (CRUISE2D(max_pairs=10), WINE),
    "CRUISE2D, refined": lambda: (CRUISE2D(bootstrap=5, refinement=CostComplexity(passes=TWO_FOLDS)), WINE),
    "reduced error": lambda: (RefinedTree(DecisionTree(), ReducedError()), WINE),
    "cost complexity": lambda: (RefinedTree(DecisionTree(), CostComplexity(passes=TWO_FOLDS)), WINE),
    "best first, validated": lambda: (EXAMPLES_BY_NAME["LockstepTree"]()[0], WINE),
    "gradient boosting": lambda: (GradientBoosting(steps=5), WINE),
    "a random forest": lambda: (RandomForest(trees=5), mixed()),
    "a forest of sums": lambda: (CombinationForest(trees=3), mixed(missing=0)),
    "a forest of top splits": lambda: (TopSplitForest(trees=3), WINE),
    "a random tree": lambda: (DecisionTree(splitter=RandomSubset()), mixed()),
    "a tree of top splits": lambda: (DecisionTree(splitter=RandomTopSplit()), mixed()),
    "a tree of random sums": lambda: (DecisionTree(splitter=RandomCombinations()), WINE),
    "Bagging": lambda: (Bagging(DecisionTree(), size=3, backfit=True, out_of_bag=True), WINE),
    "Wagging": lambda: (Wagging(DecisionTree(), size=3), WINE),
    "Boosting, of samples": lambda: (Boosting(KNN(k=1), size=3, mode="resample"), WINE),
    "Boosting, of random trees": lambda: (Boosting(CTree(resample=299), size=3), WINE),
    "cross-validation committee": lambda: (CVCommittee(DecisionTree(), mode="common", distributor=TWO_FOLDS), WINE),
    "a share": lambda: (FromShare(KNN(), 0.4), WINE),
    "groups": lambda: (repeated(GroupCVDistributor("hue", folds=3), KNN()), WINE),
    "windows": lambda: (Windowing(share=0.3), WINE),
    "a forest": lambda: (SklearnClassifier(FOREST, {"n_estimators": 3}), WINE),
    "bagging": lambda: (SklearnClassifier("sklearn.ensemble.BaggingClassifier", {"n_estimators": 3}), WINE),
    "boosting": lambda: (
        SklearnClassifier(
            "sklearn.ensemble.AdaBoostClassifier",
            {"n_estimators": 3, "estimator": Estimator("sklearn.tree.DecisionTreeClassifier", {"splitter": "random"})},
        ),
        WINE,
    ),
    "a random projection": lambda: (
        TransformAndClassify(
            SklearnTransformer("sklearn.random_projection.GaussianRandomProjection", {"n_components": 3}), KNN()
        ),
        WINE,
    ),
    "a forest behind a transformation": lambda: (
        TransformAndClassify(Standardization(), SklearnClassifier(FOREST, {"n_estimators": 2})),
        WINE,
    ),
    "ReliefF": lambda: (ReliefFRanking(samples=20), WINE),
    "cross-validation": lambda: (repeated(TWO_FOLDS, CTree(resample=299)), WINE),
    "bootstrap": lambda: (repeated(BootstrapDistributor(samples=2), KNN()), WINE),
    "hold-out": lambda: (repeated(HoldOutDistributor(samples=2), CRUISE2D(bootstrap=5)), WINE),
    "random search": lambda: (search(RandomSearch(Uniform("test/learner.C", 0.1, 9), count=2)), WINE),
    "Optuna": lambda: (search(OptunaSearch(Uniform("test/learner.C", 0.1, 9), count=2)), WINE),
}
EXAMPLES_BY_NAME = {cls.__name__: example for cls, example in EXAMPLES.items() if cls is not OpenMLDataset}


def search(scenario: Any) -> ParameterSearch:
    searched = EXAMPLES_BY_NAME["ParameterSearch"]()[0]
    test = repeated(TWO_FOLDS, SVM())
    return ParameterSearch(test, scenario, searched.part("objective"), winner="test/learner")


def asked() -> dict[str, tuple[Machine, dict[str, Any]]]:
    """All machines by what they are called here, with their inputs."""
    learners = {name: make() for name, make in {**LEARNERS, **RANDOM}.items()}
    return {
        **{f"example {name}": make() for name, make in EXAMPLES_BY_NAME.items()},
        **{name: (machine, {"data": data}) for name, (machine, data) in learners.items()},
    }


def run_by(manager: TaskManager, seed: int = 0) -> dict[str, tuple[bytes, object]]:
    """For each machine its id, and everything that it gives: digests of outputs, results, results of a test."""
    with Project(workers=manager, seed=seed) as project:
        capsules, tests = {}, {}
        for name, (machine, inputs) in asked().items():
            bound = {
                port: list(map(project.given, value)) if machine.inputs[port].multi else project.given(value)
                for port, value in inputs.items()
            }
            capsules[name] = capsule = project.request(machine, **bound)
            if {"data", "classifier"} <= machine.inputs.keys() | machine.outputs.keys() and len(bound) == 1:
                tests[name] = project.request(ClassificationTest(), classifier=capsule.classifier, **bound)
        return {
            name: (
                capsule.wait().context.record.machine,
                (
                    {port: content_digest(value).hex() for port, value in capsule.outputs.items()},
                    encode({label: each for label, each in capsule.results.items() if label not in machine.measured}),
                    encode(tests[name].wait().results) if name in tests else b"",
                ),
            )
            for (name, capsule), (machine, _) in zip(capsules.items(), asked().values(), strict=True)
        }


@pytest.fixture(scope="module")
def by_one_thread() -> dict[str, tuple[bytes, object]]:
    return run_by(Threads(1))


@pytest.mark.parametrize(
    "manager",
    [lambda: Threads(2), pytest.param(lambda: Processes(1), marks=pytest.mark.full), lambda: Processes(2)],
    ids=["threads-2", "processes-1", "processes-2"],
)
def test_everything_is_the_same_whatever_runs_it(
    manager: Callable[[], TaskManager], by_one_thread: dict[str, tuple[bytes, object]]
) -> None:
    found = run_by(manager())
    assert {name for name in found if found[name] != by_one_thread[name]} == set()


def test_another_seed_is_another_machine_exactly_if_something_draws(
    by_one_thread: dict[str, tuple[bytes, object]],
) -> None:
    other = run_by(Threads(1), seed=1)
    machines = asked()
    for name, (machine, _) in machines.items():
        is_same = other[name][0] == by_one_thread[name][0]
        assert is_same is not (machine.is_random and machine.seed is None), name
        if is_same:
            assert other[name] == by_one_thread[name], name
    assert all(machines[name][0].is_random for name in RANDOM)
    unchanged = [name for name in RANDOM if other[name][1] == by_one_thread[name][1]]
    assert len(unchanged) < len(RANDOM) / 2, "with another seed most of them give something else"


# Nothing is forgotten


def parts_of(component: Component) -> Iterator[Component]:
    yield component
    for part in component.components():
        yield from parts_of(part)


def test_no_learner_and_nothing_that_draws_is_forgotten() -> None:
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    shipped = {
        cls
        for cls in registry.components().values()
        if cls.__module__.startswith("intemi.") and ".testing." not in cls.__module__
    }
    used = {type(part) for machine, _ in asked().values() for part in parts_of(machine)}
    draws = {cls for cls in shipped if cls.random or getattr(cls, "takes_rng", False)}
    learns = {
        cls
        for cls in shipped
        if issubclass(cls, Machine)
        and cls.has_process
        and any(issubclass(port.accepted, Classifier) for port in cls._outputs.values())
    }
    assert {cls.__name__ for cls in draws | learns} - {cls.__name__ for cls in used} == set()
