"""Every machine of the package keeps the promises of machines; a new one without a line here fails."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intemi
from intemi.data import Data, openml
from intemi.experiments.unknown import Unknown
from intemi.kernel import Machine
from intemi.kernel.project import Given
from intemi.kernel.workers.encoded_leaf import RunEncoded
from intemi.machines import (
    CN2,
    KNN,
    LVQ,
    MDL,
    SVM,
    AlternatingTree,
    Average,
    Backfit,
    Bagging,
    BestFirstTree,
    Boosting,
    BoostUpdate,
    BootstrapDistributor,
    BootstrapEstimates,
    BootstrapSampler,
    BootstrapSamples,
    Chain,
    ClassificationTest,
    Committee,
    CommitteeTest,
    ContestTest,
    CorrelationRanking,
    Count,
    CVCommittee,
    CVCommitteeTest,
    CVDistributor,
    DataLoader,
    DecisionStump,
    DecisionTree,
    Discretization,
    DiversityTest,
    ExpectedClass,
    ExternalTransformation,
    FeatureSelection,
    FirstFold,
    ForestRanking,
    FromShare,
    FScoreRanking,
    GivenFolds,
    GivenRanking,
    GivenSplit,
    GradientBoosting,
    GroupCVDistributor,
    HoldOutDistributor,
    Imputation,
    JoinedFiles,
    KernelProvider,
    LeaveOneOutDistributor,
    LinearRegression,
    Logistic,
    Majority,
    Median,
    MutualInformationRanking,
    NaiveBayes,
    NoiseWeights,
    NominalToIndicators,
    Normalization,
    OneR,
    OpenMLDataset,
    OutOfBag,
    ParameterSearch,
    PermutationImportance,
    PermutationRanking,
    PolynomialKernel,
    Predict,
    PrincipalComponents,
    RandomForest,
    Randomization,
    RankedTrees,
    Refiltering,
    RefinedTree,
    ReliefFRanking,
    Repeater,
    Reweighted,
    RowsThatCount,
    Scheme,
    SklearnClassifier,
    SklearnDataset,
    SklearnTransformer,
    Standardization,
    SVMTraining,
    TimeOrderedDistributor,
    TransformAndClassify,
    TransformationChain,
    TunedKNN,
    TwoSamples,
    Values,
    Vote,
    Wagging,
    WeightedLearn,
    Weights,
)
from intemi.machines.classifiers.transform_and_classify import TransformedClassifier
from intemi.machines.loading import JoinedParts
from intemi.machines.measures import F1, Correctness
from intemi.machines.meta_learning import (
    Flow,
    Landmarks,
    MetaFeatures,
    MetaLearner,
    PassiveSearch,
    RandomOrder,
    Set,
    cross_validation,
)
from intemi.machines.transformations.chain import ChainedTransformation
from intemi.machines.trees import (
    CostComplexity,
    Expansions,
    LockstepTree,
    OptionTree,
    PruningTest,
    RandomSubset,
    Windowing,
)
from intemi.machines.trees.refinement.machines import (
    ErrorsOfPrunings,
    ErrorsOnRows,
    NodeCounts,
    PrunedTree,
    ValidationPasses,
)
from intemi.machines.trees.refinement.refiltering import RightRows
from intemi.machines.trees.refinement.windowing import FirstWindow, LargerWindow
from intemi.query import Query
from intemi.testing import check_machine
from tests.committees.combiner_examples import COMBINERS
from tests.learning.tables import mixed, outputs
from tests.learning.test_classifiers import blobs
from tests.trees.examples import D1, tree_of

Example = tuple[Machine, dict[str, Any]]

DATA = blobs(24)
JOINED = JoinedParts().run(DATA, DATA).outputs["data"]
GROUPS = JOINED  # two groups, the parts
NEVER_RUN = {
    Given: "a value from outside, which nothing makes",
    Unknown: "written by code that is not here",
    RunEncoded: "runs an encoded leaf in a worker of a cluster, and is never requested",
}


def classifier() -> Any:
    return outputs(KNN(k=3), data=DATA)["classifier"]


def equal_weights() -> Weights:
    return Weights(np.full(len(DATA), 1 / len(DATA)))


def transformation() -> Any:
    return outputs(Standardization(), data=DATA)["transformation"]


def tree() -> Any:
    return tree_of(DecisionTree(), D1)


def counts() -> Any:
    return outputs(NodeCounts(), tree=tree(), data=D1)["counts"]


def tables() -> Any:
    return [PRUNING.table(tree(), counts(), DecisionTree().decision)] * 2


def learner_and_test() -> Scheme:
    test = Scheme(training=Data, test=Data)
    learner = test.add(KNN(k=3), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learner.classifier, name="test")
    return test


def drawn() -> Scheme:
    scheme = Scheme(data=Data)
    scaled = scheme.add(Standardization(), data=scheme.data)
    scheme.expose(scaled=scaled.transformed)
    return scheme


def repeated() -> Repeater:
    return Repeater(CVDistributor(folds=2), learner_and_test(), repetitions=2, seed=1)


SCENARIO = Values("test/learner.k", (1, 3))
OBJECTIVE = Query("test/test", "Accuracy").mean()
PRUNING = CostComplexity().growth_key()

EXAMPLES: dict[type[Machine], Callable[[], Example]] = {
    # structure
    Scheme: lambda: (drawn(), {"data": DATA}),
    Repeater: lambda: (repeated(), {"data": DATA}),
    ParameterSearch: lambda: (ParameterSearch(repeated(), SCENARIO, OBJECTIVE, winner="test/learner"), {"data": DATA}),
    MetaLearner: lambda: (
        MetaLearner(
            Flow((Set((KNN(k=1), NaiveBayes())),)),
            PassiveSearch(RandomOrder()),
            cross_validation(folds=3, repetitions=1),
        ),
        {"data": DATA},
    ),
    MetaFeatures: lambda: (MetaFeatures(), {"data": DATA}),
    Landmarks: lambda: (Landmarks({"nearest neighbor": KNN(k=1)}), {"data": DATA}),
    # distributors
    CVDistributor: lambda: (CVDistributor(folds=3), {"data": DATA}),
    BootstrapDistributor: lambda: (BootstrapDistributor(samples=2), {"data": DATA}),
    FirstFold: lambda: (FirstFold(CVDistributor(3)), {"data": DATA}),
    HoldOutDistributor: lambda: (HoldOutDistributor(samples=2), {"data": DATA}),
    LeaveOneOutDistributor: lambda: (LeaveOneOutDistributor(), {"data": DATA}),
    GivenFolds: lambda: (GivenFolds((0, 1) * 12), {"data": DATA}),
    GroupCVDistributor: lambda: (GroupCVDistributor(GROUPS.columns[-1].name, 2), {"data": GROUPS}),
    TimeOrderedDistributor: lambda: (TimeOrderedDistributor(folds=2), {"data": DATA}),
    TwoSamples: lambda: (TwoSamples(), {"data": DATA}),
    GivenSplit: lambda: (GivenSplit(), {"data": JOINED}),
    JoinedParts: lambda: (JoinedParts(), {"training": DATA, "test": DATA}),
    JoinedFiles: lambda: (JoinedFiles(SklearnDataset("iris"), SklearnDataset("iris")), {}),
    FromShare: lambda: (FromShare(KNN(k=3)), {"data": DATA}),
    # transformations
    Standardization: lambda: (Standardization(), {"data": mixed(weighted=True)}),
    Normalization: lambda: (Normalization(-1, 1), {"data": mixed(weighted=True)}),
    Discretization: lambda: (Discretization(MDL()), {"data": mixed(weighted=True)}),
    Imputation: lambda: (Imputation(Median()), {"data": mixed(weighted=True)}),
    NominalToIndicators: lambda: (NominalToIndicators(), {"data": mixed(weighted=True)}),
    PrincipalComponents: lambda: (PrincipalComponents(count=2), {"data": mixed(missing=0, weighted=True)}),
    ExternalTransformation: lambda: (ExternalTransformation(), {"data": DATA, "transformation": transformation()}),
    # rankings
    CorrelationRanking: lambda: (CorrelationRanking(), {"data": mixed(weighted=True)}),
    FScoreRanking: lambda: (FScoreRanking(), {"data": mixed(weighted=True)}),
    MutualInformationRanking: lambda: (MutualInformationRanking(), {"data": mixed(weighted=True)}),
    ReliefFRanking: lambda: (ReliefFRanking(neighbours=3, samples=20), {"data": mixed(weighted=True)}),
    ForestRanking: lambda: (ForestRanking(RandomForest(trees=2)), {"data": DATA}),
    PermutationRanking: lambda: (PermutationRanking(KNN(k=1), CVDistributor(folds=2)), {"data": DATA}),
    GivenRanking: lambda: (GivenRanking((1, 0)), {"data": DATA}),
    FeatureSelection: lambda: (
        FeatureSelection(Count(1)),
        {"data": DATA, "ranking": outputs(GivenRanking((1, 0)), data=DATA)["ranking"]},
    ),
    # classifiers
    Majority: lambda: (Majority(), {"data": DATA}),
    NaiveBayes: lambda: (NaiveBayes(), {"data": mixed(weighted=True)}),
    KNN: lambda: (KNN(k=3, weights="distance"), {"data": DATA}),
    TunedKNN: lambda: (TunedKNN(most=5), {"data": DATA}),
    ExpectedClass: lambda: (ExpectedClass(), {"data": mixed(weighted=True)}),
    LVQ: lambda: (LVQ(per_class=2, epochs=2), {"data": DATA}),
    OneR: lambda: (OneR(), {"data": DATA}),
    CN2: lambda: (CN2(), {"data": DATA}),
    LinearRegression: lambda: (LinearRegression(), {"data": DATA}),
    Logistic: lambda: (Logistic(), {"data": DATA}),
    SVM: lambda: (SVM(C=2), {"data": DATA}),
    KernelProvider: lambda: (KernelProvider(PolynomialKernel(2)), {"data": DATA}),
    SVMTraining: lambda: (SVMTraining(), {"table": outputs(KernelProvider(), data=DATA)["table"]}),
    TransformationChain: lambda: (
        TransformationChain((Imputation(), NominalToIndicators(), Standardization())),
        {"data": mixed(weighted=True)},
    ),
    ChainedTransformation: lambda: (ChainedTransformation(), {"steps": [transformation()]}),
    TransformAndClassify: lambda: (TransformAndClassify(Standardization(), KNN(k=3)), {"data": DATA}),
    TransformedClassifier: lambda: (
        TransformedClassifier(),
        {"transformation": transformation(), "learned": classifier()},
    ),
    SklearnClassifier: lambda: (SklearnClassifier("sklearn.tree.DecisionTreeClassifier"), {"data": DATA}),
    SklearnTransformer: lambda: (SklearnTransformer("sklearn.preprocessing.StandardScaler"), {"data": DATA}),
    ClassificationTest: lambda: (
        ClassificationTest(measures=[F1(), Correctness()]),
        {"data": DATA, "classifier": classifier()},
    ),
    ContestTest: lambda: (ContestTest(), {"data": DATA, "classifier": classifier()}),
    # committees
    **COMBINERS,
    Chain: lambda: (Chain(Imputation(), length=2, carry={"data": "transformed"}), {"data": DATA}),
    Bagging: lambda: (Bagging(DecisionTree(), size=2, backfit=True, out_of_bag=True), {"data": D1}),
    Wagging: lambda: (Wagging(DecisionTree(), size=2), {"data": D1}),
    Boosting: lambda: (Boosting(DecisionStump(), size=3, mode="resample"), {"data": D1}),
    BoostUpdate: lambda: (BoostUpdate(), {"data": DATA, "weights": [], "member": classifier()}),
    WeightedLearn: lambda: (WeightedLearn(KNN(k=1), mode="resample"), {"data": DATA, "weights": [equal_weights()]}),
    Reweighted: lambda: (Reweighted(), {"data": DATA, "weights": [equal_weights()]}),
    BootstrapSampler: lambda: (BootstrapSampler(), {"data": DATA, "weights": []}),
    BootstrapSamples: lambda: (BootstrapSamples(), {"data": DATA}),
    RowsThatCount: lambda: (RowsThatCount(), {"data": DATA}),
    NoiseWeights: lambda: (NoiseWeights(), {"data": DATA}),
    Backfit: lambda: (Backfit(), {"data": D1, "classifier": outputs(DecisionTree(), data=D1)["classifier"]}),
    OutOfBag: lambda: (OutOfBag(), {"data": DATA, "members": [classifier()], "left": [DATA.select_rows([1, 2])]}),
    BootstrapEstimates: lambda: (
        BootstrapEstimates(),
        {"data": DATA, "classifier": classifier(), "members": [classifier()], "left": [DATA.select_rows([1, 2])]},
    ),
    PermutationImportance: lambda: (
        PermutationImportance(),
        {"members": [classifier()], "left": [DATA.select_rows(range(9))]},
    ),
    Committee: lambda: (Committee(), {"data": DATA, "members": [classifier()] * 2, "weights": [1.0, 2.0]}),
    Predict: lambda: (Predict(), {"data": DATA, "classifier": classifier()}),
    GradientBoosting: lambda: (GradientBoosting(steps=3), {"data": DATA}),
    Randomization: lambda: (Randomization(DecisionTree(splitter=RandomSubset()), size=2), {"data": DATA}),
    AlternatingTree: lambda: (AlternatingTree(steps=3), {"data": mixed(weighted=True)}),
    CommitteeTest: lambda: (
        CommitteeTest((Vote(), Average())),
        {"data": DATA, "classifier": outputs(Committee(), data=DATA, members=[classifier()], weights=[])["classifier"]},
    ),
    DiversityTest: lambda: (
        DiversityTest(),
        {
            "data": DATA,
            "classifier": outputs(Committee(), data=DATA, members=[classifier()] * 2, weights=[])["classifier"],
        },
    ),
    CVCommittee: lambda: (CVCommittee(distributor=CVDistributor(folds=2)), {"data": D1}),
    RankedTrees: lambda: (RankedTrees(), {"trees": [tree()] * 2, "tables": tables()}),
    CVCommitteeTest: lambda: (
        CVCommitteeTest(),
        {"data": D1, "trees": [tree()] * 2, "tables": tables(), "training": D1},
    ),
    # trees
    DecisionTree: lambda: (DecisionTree(), {"data": D1}),
    OptionTree: lambda: (OptionTree(option_factor=0.5, min_objects=2), {"data": mixed(weighted=True)}),
    RefinedTree: lambda: (RefinedTree(DecisionTree(), CostComplexity(passes=CVDistributor(folds=2))), {"data": D1}),
    LockstepTree: lambda: (
        LockstepTree(BestFirstTree(), Expansions(rule="first_increase", passes=CVDistributor(folds=2)), first=1),
        {"data": D1},
    ),
    ValidationPasses: lambda: (ValidationPasses(distributor=CVDistributor(folds=2)), {"data": D1}),
    NodeCounts: lambda: (NodeCounts(), {"tree": tree(), "data": D1}),
    ErrorsOfPrunings: lambda: (ErrorsOfPrunings(), {"tree": tree(), "counts": counts()}),
    ErrorsOnRows: lambda: (ErrorsOnRows(Expansions()), {"tree": tree(), "data": D1}),
    PrunedTree: lambda: (
        PrunedTree(),
        {"tree": tree(), "data": D1, "tables": tables()},
    ),
    PruningTest: lambda: (PruningTest((0.0, 0.1)), {"trees": [tree()], "data": D1}),
    Refiltering: lambda: (Refiltering(), {"data": D1}),
    FirstWindow: lambda: (FirstWindow(0.5), {"data": DATA}),
    LargerWindow: lambda: (
        LargerWindow(),
        {"data": DATA, "before": np.arange(4, dtype=np.int32), "classifier": classifier()},
    ),
    Windowing: lambda: (Windowing(share=0.5), {"data": D1}),
    RightRows: lambda: (RightRows(), {"data": DATA, "classifier": classifier()}),
    # loaders
    SklearnDataset: lambda: (SklearnDataset("iris"), {}),
    OpenMLDataset: lambda: (OpenMLDataset(61), {}),
}


def machines_of_the_package() -> Iterator[type[Machine]]:
    """All that can be run, but for those that test task managers."""
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    pending = [Machine]
    while pending:
        for cls in pending.pop().__subclasses__():
            pending.append(cls)
            if (
                cls.has_process
                and cls.__module__.startswith("intemi.")
                and "testing" not in cls.__module__
                and getattr(sys.modules[cls.__module__], cls.__name__, None) is cls
            ):
                yield cls


def test_no_machine_is_forgotten() -> None:
    assert {cls.__name__ for cls in machines_of_the_package()} == {
        cls.__name__ for cls in (*EXAMPLES, *NEVER_RUN, DataLoader)
    }


@pytest.mark.parametrize("cls", EXAMPLES, ids=lambda cls: cls.__name__)
def test_a_machine_keeps_the_promises_of_all_machines(cls: type[Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openml, "load", lambda number, target: DATA)  # without the network
    machine, inputs = EXAMPLES[cls]()
    assert type(machine) is cls
    check_machine(machine, **inputs)


def test_a_data_loader_keeps_the_promises_of_all_machines(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,class\n1,a\n2,b\n3,a\n")
    check_machine(DataLoader(str(path)))
