"""Identity: equal where equal, different where different, refused where undefined, and the same in every process."""

from __future__ import annotations

import importlib
import itertools
import json
import math
import os
import pkgutil
import struct
import subprocess
import sys
from collections import Counter, OrderedDict, namedtuple
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import intemi
from intemi.data.files import ARFF, CSV, Excel, Parquet
from intemi.experiments.unknown import Unknown
from intemi.kernel import (
    Component,
    ConfigurationError,
    EncodingError,
    Limits,
    Machine,
    Output,
    content_digest,
    registry,
)
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode
from intemi.kernel.project import Given
from intemi.kernel.repository.qualifiers import And, Comparison, Not, Or
from intemi.kernel.workers.encoded_leaf import RunEncoded
from intemi.machines import (
    KNN,
    MDL,
    SVM,
    BootstrapDistributor,
    Choice,
    ClassificationTest,
    ColumnSelector,
    ContestTest,
    CorrectnessCommentator,
    CorrelationRanking,
    Count,
    CVDistributor,
    DataLoader,
    Discretization,
    EqualFrequency,
    EqualWidth,
    Estimator,
    Euclidean,
    ExternalTransformation,
    FeatureSelection,
    FirstFold,
    FromShare,
    FScoreRanking,
    GaussianKernel,
    GivenFolds,
    GivenRanking,
    GivenSplit,
    Grid,
    GroupCVDistributor,
    HoldOutDistributor,
    Imputation,
    InSequence,
    Integers,
    JoinedFiles,
    KernelProvider,
    LeaveOneOutDistributor,
    LinearKernel,
    LogUniform,
    Majority,
    Manhattan,
    Mean,
    MeasureCommentator,
    Median,
    Minkowski,
    MostFrequent,
    MultiLineSearch,
    MutualInformationRanking,
    NaiveBayes,
    NominalToIndicators,
    Normalization,
    OpenMLDataset,
    OptunaSearch,
    ParameterSearch,
    PolynomialKernel,
    PredictionsCommentator,
    PrincipalComponents,
    RandomSearch,
    ReliefFRanking,
    Repeater,
    Scheme,
    Share,
    SklearnClassifier,
    SklearnDataset,
    SklearnFunction,
    SklearnTransformer,
    Standardization,
    Steps,
    StepsWithZoom,
    SVMTraining,
    Threshold,
    TimeOrderedDistributor,
    TransformAndClassify,
    TransformationChain,
    Uniform,
    Values,
    Zip,
    trees,
)
from intemi.machines.classifiers.transform_and_classify import TransformedClassifier
from intemi.machines.loading import JoinedParts
from intemi.machines.measures import (
    F1,
    MCC,
    PRAUC,
    ROCAUC,
    BalancedAccuracy,
    BrierScore,
    CalibrationError,
    ClassificationAccuracy,
    ConfusionMatrix,
    Correctness,
    Kappa,
    LogLoss,
    MeanCost,
    Precision,
    Recall,
    TopKAccuracy,
)
from intemi.machines.roles import ClassifierTest, Distributor, Learner, Loader, Ranker, Role, Transformer
from intemi.machines.structure.scheme import SchemeChild, SchemePort
from intemi.machines.structure.wires import ItemWire, OutsideWire, Wire
from intemi.machines.transformations.chain import ChainedTransformation
from intemi.machines.trees.refinement.machines import (
    ErrorsOfPrunings,
    ErrorsOnRows,
    NodeCounts,
    PrunedTree,
    ValidationPasses,
)
from intemi.machines.trees.refinement.refiltering import RightRows
from intemi.machines.trees.refinement.windowing import FirstWindow, LargerWindow
from intemi.query import At, Named, Objective, OfType, Provides, Query
from tests.committees.pinned_combiners import PINNED_COMBINERS
from tests.machines import cross_validation
from tests.pinned_defaults import PINNED_DEFAULTS, PINNED_WITH_PARAMETERS

# Pinned: a digest that changes throws away everything that was ever computed with it, so it changes on purpose only.


def placeholder() -> Scheme:
    return Scheme(data=float, model=Output(object))


def drawn() -> Scheme:
    scheme = Scheme(data=float)
    inner = scheme.add(placeholder(), data=scheme.data, name="inner")
    scheme.expose(model=inner.model)
    return scheme


def default_of(name: str) -> Component:
    """What is registered under a name, without parameters."""
    return registry.component(name)()


SHIPPED: list[tuple[Callable[[], Component], str]] = [
    *PINNED_COMBINERS,
    *PINNED_WITH_PARAMETERS,
    *((partial(default_of, name), pinned) for name, pinned in PINNED_DEFAULTS.items()),
    (lambda: Machine(), "052f3f41ec2883283e45dda88ea690bf"),
    (lambda: Machine(seed=1), "a09e08ac848f8aa7dac56a2f5056172b"),
    (lambda: Role(), "baf41f6d259b6b32fea265d754e69512"),
    (lambda: Learner(), "83d034ba9e31fad0d943f6f80e56c572"),
    (lambda: Transformer(), "0b700524211181743a1128d4b9f2026b"),
    (lambda: Ranker(), "536a3594b20d71113784513b607fa60e"),
    (lambda: Distributor(), "5f16df8367f6b5da8eb20e403b5074c0"),
    (lambda: ClassifierTest(), "654d06bd2a6a83d9314927b85827ebff"),
    (lambda: Loader(), "c6c0176ba33cc7fc31ff9c8e1e6466fb"),
    (lambda: Limits(), "499d49bfcdce3434a371f3cf754be7c8"),
    (lambda: Limits(wall=1.5, cpu=2, memory=10**9), "24b02ac4ec6068f2b0ed7e02519385b5"),
    (lambda: Unknown("learners", {"type": "lab.Mine", "k": 3}), "40b8bc1e6e0414560e256871fbde40b3"),
    (lambda: Given("00ff"), "af884a4ae39033870157a696bf4ce969"),
    (lambda: RunEncoded(), "ab2612c746b8f4e077973c15e9dca1a1"),
    (lambda: SchemePort(int), "9c9a1076aab9ef45b3c35d625681446c"),
    (lambda: SchemePort(float, multi=True), "a15b0faec145efa6d7b07f9d3c42fc6e"),
    (lambda: Wire("child", "port"), "3f63f3c405e5ba0f800527dcdd629e4c"),
    (lambda: ItemWire("child", "port", 2), "4ab72c9da7fc873166ccdaff5b47ebad"),
    (lambda: OutsideWire("", "data", "00ff", -1, int), "5bad2406ae9f8d72e38c8dfb87c0e974"),
    (lambda: SchemeChild("child", placeholder(), {"data": [Wire("", "data")]}), "11fe64d5b592f0392717e26942b1951a"),
    (lambda: Scheme(), "6164229c4cd5f34f8780e1f5c2f890b7"),
    (lambda: placeholder(), "d9a2fa19ca0c84b887ec2c331a566b5e"),
    (lambda: drawn(), "893be601950bcef7fa1405a76acc2d84"),
    (lambda: Repeater(), "af004389bca4e07f04482022db004a32"),
    (lambda: Repeater(repetitions=10, seed=3), "2e59ae190fa756bc7b7e1cda4ee130e9"),
    (lambda: BootstrapDistributor(), "c290ae98c1901273fb86170d3a60bf3d"),
    (lambda: CVDistributor(), "9cc8c7dc586e223f0241aba7f93cd731"),
    (lambda: ContestTest(), "ab02cc29b9680acf3062a48ea458c9a6"),
    (lambda: ClassificationTest(), "dbab5b1061d1b336df6854e6115e6199"),
    (lambda: ClassificationAccuracy(), "e3959b982cc610270769d41488964d15"),
    (lambda: BalancedAccuracy(), "adb32b95fc45ce25931e5aa2922858db"),
    (lambda: Kappa(), "022d9f735d57e6674078ababd3f4dadb"),
    (lambda: MCC(), "697af87d82617ce441de34b4d1df7860"),
    (lambda: Precision(), "b4204aad4abd6b54d7e4b690aa8634e2"),
    (lambda: Recall(), "0d38299e94b18f0cb82d4fe4fffdc20e"),
    (lambda: F1(), "1fc75470fac687be3973ba74f0e43505"),
    (lambda: MeanCost(((0, 1), (5, 0))), "80946014bf8f24aa1ca86ccc5891ad68"),
    (lambda: LogLoss(), "f5bdb0271c208e6de60d7b78e68c5283"),
    (lambda: BrierScore(), "70764340de66e9c2eca1725c597a2be9"),
    (lambda: CalibrationError(), "f4c6c432efb286d926e177d6245e0722"),
    (lambda: TopKAccuracy(), "e26a5d9f7b7b34163cb9460de848a32a"),
    (lambda: ROCAUC(), "cb551a866b5f46d055e46475206b515c"),
    (lambda: PRAUC(), "4e61460aa02c3265a8fa001e5fc0a7f2"),
    (lambda: ConfusionMatrix(), "a7c8fe32805768aa48175e30426402b2"),
    (lambda: Correctness(), "72e2c5224d7a3c72d37716083c0a5569"),
    (lambda: MeasureCommentator([F1()]), "bf04e1d5665934ce1d7f8e80bf85fb88"),
    (lambda: CorrelationRanking(), "22a9ed99f16253ac8fe0d8034a9e2791"),
    (lambda: Count(), "a35d31abeb7aa76354e668cad9ca7898"),
    (lambda: Discretization(), "a964ef1d7b896565ec61a0346e988342"),
    (lambda: EqualFrequency(), "73057b96db339833949d519edcaf4e40"),
    (lambda: EqualWidth(), "aefe2cf9bddd84970ae977e8f2e3cff4"),
    (lambda: Euclidean(), "99f196f58b8e4764613f42b7f498f2c9"),
    (lambda: ExternalTransformation(), "32df2dc59f336f4b3b222abdd1b8ec06"),
    (lambda: FScoreRanking(), "8b32b6276cebf701d89544096908e903"),
    (lambda: FeatureSelection(), "cb9bfb9a4e401a38cd8fa142f20d8508"),
    (lambda: FirstFold(), "c1abf7c56cd031066f143f544acc12d1"),
    (lambda: GaussianKernel(), "c1e6722b9b4247ee26b7779372b21910"),
    (lambda: HoldOutDistributor(), "ef2696369f4076accf4437acda131c78"),
    (lambda: Imputation(), "87c38fab8b6a6eab39bc444c4cf72ff0"),
    (lambda: KNN(), "10b2619da28cec5b91f2cad4316d17c5"),
    (lambda: KernelProvider(), "ebeda606dbe1e6b8f5d29a74b156d9e6"),
    (lambda: LeaveOneOutDistributor(), "84e6dcc51766f3ccbfe3d4800784603c"),
    (lambda: LinearKernel(), "2e521955cdc520c4f6bcf0f61de3db9e"),
    (lambda: MDL(), "ccc59266f0ac6eb58324f3821068d12c"),
    (lambda: Majority(), "01b97e3d4c2ef297229ab4b89e5db125"),
    (lambda: Manhattan(), "0f10dd3ab42d08814ac84d0a3d27334e"),
    (lambda: Mean(), "de4cf07fd8eb8488e75ee48d54ab2e30"),
    (lambda: Median(), "0149f0127ef61e5bd350db625ae5f755"),
    (lambda: Minkowski(), "c13f29a0ba6c261b8e6119e2522f0f6b"),
    (lambda: MostFrequent(), "a11ee5a463a45cc76ce29fa26de04533"),
    (lambda: MutualInformationRanking(), "531c90d52661d7ba58f37407cc1418db"),
    (lambda: NaiveBayes(), "7d33fba2045b7f69e291dfa1f3047a4c"),
    (lambda: NominalToIndicators(), "9175073d7c4c3bfda5f08dae6ac2a351"),
    (lambda: Normalization(), "39cc9183f6b39bdd7adc607f046708c1"),
    (lambda: PolynomialKernel(), "a615d5d11ef8bb2ffedaec5e34e3dd68"),
    (lambda: PrincipalComponents(), "6282bae5c3dbebaf91aa153244120be9"),
    (lambda: ReliefFRanking(), "2e2463b051b49bc642087add62ebac61"),
    (lambda: SVM(), "58905632bd69226181e15d0b57ab642d"),
    (lambda: SVMTraining(), "e0719f52b885b7e67bc3c67b97fb13b4"),
    (lambda: Share(), "8f6eec78c31adc100a148951416b73b1"),
    (lambda: SklearnDataset(), "58a59f4b3bf1fa0addebd373a9f9cd65"),
    (lambda: OpenMLDataset(61), "7436e853df60c1dfcc306964a0f35748"),
    (lambda: Standardization(), "f4f32a742134ce146cd11f96e8c6e06b"),
    (lambda: Threshold(), "89495d2962209e8ef705d5efda49cacf"),
    (lambda: TransformationChain((Imputation(), Standardization())), "895a8231e6c9e858c5696ee367bf069e"),
    (lambda: ChainedTransformation(), "71240c8f0b4c395c84c572e56b527a4e"),
    (lambda: TransformAndClassify(), "ba879857b46328d1831a6b6e6b5fef3e"),
    (lambda: TransformedClassifier(), "1914b65cce86ae53af56fe97265489d6"),
    (lambda: ARFF(), "8752d9359026d87ec5cbbedeeef877e8"),
    (lambda: CSV(), "8d5216618d809cf32b9cd4c0e9e76a52"),
    (lambda: Excel(), "485b35cee238c3739c12202024cf37a9"),
    (lambda: Parquet(), "a978c35e00dded226c89c4706773b633"),
    (lambda: DataLoader("iris.arff", content="00" * 16), "e65071e9c0ff9fd0405c37ad059cbd4b"),
    (lambda: GivenSplit(), "4b9131e6b3894e804470a21589a9baf4"),
    (lambda: GroupCVDistributor("group"), "790ea9ec88667d9332949a30c3940b22"),
    (lambda: TimeOrderedDistributor(), "0846080ed8f73a4e23a2a562d836a9ad"),
    (lambda: FromShare(), "d62200f7ed80680adc0bcc37fdd73b48"),
    (lambda: JoinedFiles(SklearnDataset(), SklearnDataset()), "8f7fcaf3a1d156bdf6249bf79a946e29"),
    (lambda: JoinedParts(), "bf04d5a209ab9c67614c7daa34a84857"),
    (lambda: GivenFolds((0, 1)), "6babb3767110d7dfa41099f91878782e"),
    (lambda: GivenRanking((1, 0)), "edadc5cca97878c28bf84dd53f049f78"),
    (lambda: SklearnFunction("sklearn.feature_selection.chi2"), "d4043e1cc342afa8d215d518d2c08c1d"),
    (lambda: ColumnSelector(include="number"), "248ef5301de660a847c28257f24a80e2"),
    (lambda: Estimator("sklearn.tree.DecisionTreeClassifier", {"max_depth": 1}), "58e5f44da9b98f83e1ba6e4cd3df27c4"),
    (
        lambda: SklearnClassifier("sklearn.tree.DecisionTreeClassifier", library="1.0"),
        "d9a08ec24c5c6e54073b553a863f91a7",
    ),
    (lambda: SklearnTransformer("sklearn.decomposition.PCA", library="1.0"), "4f723ddaf17fa91411d6930d066e6684"),
    (lambda: CorrectnessCommentator(), "c4a119d17de4a888024cc82bb6109e52"),
    (lambda: PredictionsCommentator(), "330fc6e22e57de1e199cc193428f1955"),
    (lambda: OfType(ClassificationTest), "7ede5114fc994083ec6fb7ec9f0d0298"),
    (lambda: Named("svm test"), "6239afb450e32a7e3d1ba96310196207"),
    (lambda: At("test/*"), "9c0e1ba1d60d74debff90a5a63c6323f"),
    (lambda: Provides("classifier"), "9a805269dd031d2483a23a9ad210e6c1"),
    (lambda: Comparison("Accuracy", ">", 0.9), "1ce390ef43a14411d2f2d7bf199a5305"),
    (lambda: Comparison("kernel.sigma", "==", 1, of="parameter"), "0c7565a95d97b28befdcd4c8b94c4a5f"),
    (lambda: And(At("a"), At("b")), "9ad2484132a979d994c8332dce85e4b3"),
    (lambda: Or(At("a"), At("b")), "631256fed283d8b2eefcbcd98c8b09f2"),
    (lambda: Not(At("a")), "fd68bb8e253e134ad76c2e3393c5edb4"),
    (lambda: Query("test/svm test", "Accuracy"), "8b8dd1a0b548a597e3be8a8463c88a5d"),
    (lambda: Query("test", "Accuracy", where=Named("svm"), labels=("Fold",)), "05046809c29a48130f799aa36c91844d"),
    (lambda: Objective(Query("test", "Accuracy")), "d9b2a140d32c64aa7cca67437c496650"),
    (lambda: Steps("svm.C", 0, 2, 3), "3c5c1312bd6e846f57d2c9db5c653c6b"),
    (lambda: Steps("svm.C", -1, 2, 7, base=2, at_most=10.0), "6e31bada3eac58e4854fd72871e1a239"),
    (lambda: Values("kernel", (LinearKernel(), GaussianKernel())), "b68fd1f87e44a1a93a21d8dd382e3e49"),
    (lambda: InSequence(Values("k", (1, 2))), "c03bd4e3d01177a5bb06dd58e8d05312"),
    (lambda: Grid(Values("k", (1, 2)), Steps("C", 0, 1, 3)), "8112729d6776129450ee9b5855354311"),
    (lambda: Zip(Values("k", (1, 2)), Values("C", (1, 2))), "362e775dc378be591f17566a80880f83"),
    (lambda: StepsWithZoom(Steps("C", 0, 1, 3)), "3c81f9d82e018988f6b9817001d50ba2"),
    (lambda: MultiLineSearch(Steps("C", 0, 1, 3)), "9eb390b99884dcf59cc14ff40000045f"),
    (lambda: Uniform("C", 0, 1), "2d68be9f54ddd944b1316d64e3e4ea7d"),
    (lambda: LogUniform("C", 1, 10), "79c531b8c657bd11077dc835d489349c"),
    (lambda: Integers("k", 1, 9), "56ccff75f398c1d22f38e8a0677c969e"),
    (lambda: Choice("k", (1, 3)), "803c2b78708c0a65f242094f062a40c6"),
    (lambda: RandomSearch(Uniform("C", 0, 1)), "39015e994dcc913c7a1df9c0083674bf"),
    (lambda: OptunaSearch(Uniform("C", 0, 1), library="5.0.0"), "71f736c248d6b20d504af3058044ce06"),
    (
        lambda: ParameterSearch(KNN(), Values("k", (1, 3)), Objective(Query("test", "Accuracy"))),
        "38893deb5ad3e962d3fa56414e916072",
    ),
    (lambda: trees.AUC(), "bc408384df7c6d78e8940740fe2eab92"),
    (lambda: trees.AcceptIfImproved(), "54a96e31b05d6d142636ca84b6fb3bf2"),
    (lambda: trees.Accuracy(), "08563e628a11bc41e4e7e51df689ef31"),
    (lambda: trees.AlteredPriors(), "3c8732f1ef9fd9ad67532036f82bbf90"),
    (lambda: trees.AllOf(), "7255ed5ba3a10d32038ef6afc8c4e685"),
    (lambda: trees.AnyOf(), "f5caf88b0f981bd01f93f77afb84fa96"),
    (lambda: trees.BeamSearch(), "a02cf8d52043cf1019b0213d9060540a"),
    (lambda: trees.BestCut(), "f9a95f92c7f8fbb758290980841ceb83"),
    (lambda: trees.BestFeatures(), "17da3ce9d38766feed9a384db8b80711"),
    (lambda: trees.BestSplitGain(), "a5dc51145f051041a361cf59ace31b9e"),
    (lambda: trees.BranchForEach(), "b9d1474b69cbaca38ec6ad0a8a6a76dd"),
    (lambda: trees.ClassificationProspects(), "81a31753f8a54ec5a03bc35569d2f135"),
    (lambda: trees.CodeLength(), "8768075e95b78d7864dc911a784ff96c"),
    (lambda: trees.Collapse(), "f91a7a138b8c25c9595d6111e8732621"),
    (lambda: trees.ConfidentIntervals(), "47ea84909c1cf98a9c753afae3a5cae4"),
    (lambda: trees.ConstantProspects(), "3862df7520b1a0cb5efa81895d20d0d7"),
    (lambda: trees.CrimCoord(), "27c6489f56b2718bc536b70e46f05647"),
    (lambda: trees.DecisionTree(), "75c1eeb6a42237d11ca6574a1f839565"),
    (lambda: trees.DepthProspects(), "ac94b247084a4ad46b31c01fcc8a8ddf"),
    (lambda: trees.Discretize(), "e56fe3dd33365380bd034fe662d12a1d"),
    (lambda: trees.EachFeature(), "7a5355a44dc939a043fad76f25e2d077"),
    (lambda: trees.ExhaustiveSearch(), "9118949b27a8761b6479fa5af5abe6f0"),
    (lambda: trees.FewLargeClasses(), "4a0616e6b42d42ddcc224e19892144b1"),
    (lambda: trees.FilteredGainRatio(), "5ba4b53d35ca6cbfbccd4e34495075a3"),
    (lambda: trees.Fractional(), "d8fb208b59b4138541f345722e481166"),
    (lambda: trees.GainRatio(), "80a4a42c9ccb6df0f5ec43e4881ab524"),
    (lambda: trees.Gini(), "aec7f226968333bfe413d0dd39b2a6d5"),
    (lambda: trees.HillClimbing(), "e49d170ab8c1bf5d273a26e0589c8753"),
    (lambda: trees.ImportanceWeights(), "a846d902a7fb0aa0623c7359a20ad4f8"),
    (lambda: trees.ImputeNode(), "d8df26f65d9c758e59611933a5451bc7"),
    (lambda: trees.Indicators(), "6910834cad7f1d2018a256160a7bfe9a"),
    (lambda: trees.InformationGain(), "b9c6860c3ddb902f80999521549acc0b"),
    (lambda: trees.Laplace(), "04278844d92bc447c70337721910f1f9"),
    (lambda: trees.LeastCost(cost=((0, 1), (1, 0))), "5e6186b4c404f78fd46790598de844b3"),
    (lambda: trees.LargestF(), "5df463593b813b1f535db3cf4fd29657"),
    (lambda: trees.LinearDiscriminants(), "8d8eda4c651393438bd73e7165c10e8f"),
    (lambda: trees.Lookahead(), "10dcabddf9e0afa3eaeaf80efe23e333"),
    (lambda: trees.MEstimate(), "a622a3c292bef98378ce30850cb7b3db"),
    (lambda: trees.MajorityBranch(), "cd6c3c0c33c3aac43b46ddfb750b7729"),
    (lambda: trees.MaxDepth(), "6a8cd4953fdca4747ca845897fb6de37"),
    (lambda: trees.MaxErrors(), "abb4c87690a70ab5eb465b36eb7e1fca"),
    (lambda: trees.MaxLeaves(), "8e2a5db423631fccf00d0e1a7a9fc0d7"),
    (lambda: trees.MaxMinority(), "a6e280fa2fd7d0e7178529d3ef7297d7"),
    (lambda: trees.MergedSymbols(), "7d63812399aa9870b8bd0ea91e194023"),
    (lambda: trees.MinBranchSize(), "0d2414eb0764be8956516ecc90f554c6"),
    (lambda: trees.MinClassCount(), "78639b09d92515d23799375bfa9ff2d2"),
    (lambda: trees.MinNodeSize(), "6378b2bcb0ac0d564564b49c6e395617"),
    (lambda: trees.PairwiseTests(), "f6e64eeb6b97f581a926ec21cc1438b1"),
    (lambda: trees.PathCombined(), "b3e9d4308fa817dd8b94a32ce3ade7bb"),
    (lambda: trees.PathEstimate(), "98307658a5041222274dc4d19584d9f2"),
    (lambda: trees.PermutationStatistic(), "d10d0fcc0b56aec4cea9057416e0dd07"),
    (lambda: trees.PermutationTest(), "617a3d8222b4fd766e5ad6b51d08c104"),
    (lambda: trees.Powers(), "1b3900267f2e0dd61cc456c6848ca661"),
    (lambda: trees.PrincipalAxes(), "56ed049a0707936421fbc63830eaa5da"),
    (lambda: trees.Proportions(), "79596b310f7cf24a5f61629824ab4c3c"),
    (lambda: trees.QuadraticDiscriminants(), "cc9e5c1b54bf2669a37b05d5b7869219"),
    (lambda: trees.SSV(), "d1dc6bdf47885ec2ca5b73c09b853c27"),
    (lambda: trees.SSVAlpha(), "b44b8fcdd9115a42ad83d6ec3483a1b9"),
    (lambda: trees.SSVLexicographic(), "4e5dfd2909e25847ef6288421faacf15"),
    (lambda: trees.SSVProspects(), "8a29edcfba0d49610be8960956c9a1ab"),
    (lambda: trees.SelectAndSplit(), "864dbf0ce51c972e58d06d805e28d4f9"),
    (lambda: trees.SeveralPerFeature(), "753ee89d7e1a0a35ee0a1791d807ba02"),
    (lambda: trees.SignificantSplits(), "845339ab7de6ddde7714939f9f03093c"),
    (lambda: trees.SmallSets(), "23f01f3ba15c78bd939e8373784d9b18"),
    (lambda: trees.SmallestP(), "378b0a6ce2e33d9e75aadc0476230fbf"),
    (lambda: trees.SmallestQ(), "ff7d391801728e44ec3cacf1acf52f94"),
    (lambda: trees.SpreadSearch(), "d598af7288bd85b6b2365ca0dd47c94a"),
    (lambda: trees.SumMinority(), "99fca19f05dba1284b780bf8ace9854a"),
    (lambda: trees.SumOfImpurity(), "41069c2f38513296aeb866790311c02f"),
    (lambda: trees.Surrogates(), "6566a47f235831d754a31b384984639b"),
    (lambda: trees.TwoMeans(), "02969fce66825c714471d6b1ebff098f"),
    (lambda: trees.TwoSets(), "0d4f84a1fd91b1f364ef10e5009d65cd"),
    (lambda: trees.Twoing(), "3c2844d733b0160b4e767bc935f745ec"),
    (lambda: trees.WholeFeatures(), "578f44af7b9b267fcd236b636d8b59f9"),
    (lambda: trees.WithPriors(priors=(1, 2)), "9b596937e2e0080db3bf3801453568f0"),
    (lambda: trees.CostComplexity(), "d68d53651782d310b98cccfab602f278"),
    (lambda: trees.CostComplexity(se=1, risk="gini", passes=None), "817529ffe6d724323c2d2d5d27ffba13"),
    (lambda: trees.Degree(), "41f165d6e6f25654584175a3a807adb1"),
    (lambda: trees.Depth(), "692586861f9e44af017e5bdf654f83aa"),
    (lambda: trees.DepthImpurity(beta=0.5), "dcdce2d561d2a5fdb8c49fad8c8de492"),
    (lambda: trees.DepthImpurityValidation(), "287da25c2e6aa264fc92d456d38aca9a"),
    (lambda: trees.DescriptionLength(), "ae443281cd45da7cdda191bae3134d92"),
    (lambda: trees.ErrorBased(), "bff4477d5b88b8e31751b975261cb36a"),
    (lambda: trees.ErrorBased(cf=0.05, estimator="j48", slack=0.1, raising=True), "477f211884b1821d65ce74e1618b4a25"),
    (lambda: ErrorsOfPrunings(), "0e3f4ec794b3e7798ae347347d1b5525"),
    (lambda: trees.Expansions(), "6dbd3c30fa7daa114297f5957fa14b25"),
    (lambda: trees.Expansions(rule="new1se", se=1, exhausted="carry"), "bb0ecd61b1fc0910a28143cdaa0f8e01"),
    (lambda: trees.MEstimateError(), "960c016e11f40fe8f71e8b0c8ec86735"),
    (lambda: trees.MEstimateValidation(), "cf7a44a635f57d7a2cd962ffeab991c0"),
    (lambda: trees.MinimumError(), "81791b73ff0e93b3af774b7b44cae2b0"),
    (lambda: NodeCounts(), "ae21e322100abf9761864d7e1a4a213f"),
    (lambda: trees.OptimalSize(), "1bcb464bdbcdf06910b1104e274cc557"),
    (lambda: trees.PathError(), "93e7c1a5fc0b474af53c81587a4f08a4"),
    (lambda: trees.PessimisticError(), "279126fefbaf140fe1fbe3e35ab3c943"),
    (lambda: PrunedTree(), "dec3f1cafa2e20fde822b7e8e7623d1a"),
    (lambda: trees.PruningTest((0.0, 1.0)), "552318b03ab3f26d230af344a2667158"),
    (lambda: trees.ReducedError(), "f0f106bea1aa2647ba1ff13b4bbb9555"),
    (lambda: trees.Refiltering(), "18424186aa2d06c7df6052abe704cf24"),
    (lambda: trees.RefinedTree(), "c714e823c1f18a64c246eedd6da96667"),
    (lambda: RightRows(), "1275829bbd8c1c00c68ad7281af47c12"),
    (lambda: FirstWindow(), "2ebb6510d77ffebf5d3e78e8ee64d449"),
    (lambda: LargerWindow(), "22a4492f1a8c97d1814011b9d2587dd1"),
    (lambda: trees.Windowing(), "415b5427b3a5a476ef021026e68a031c"),
    (lambda: ValidationPasses(), "06710a8e6c87c6b4a27995e755b9c9dc"),
    (lambda: trees.CART(refinement=trees.CostComplexity(se=1)), "342ad1ab6a0965433c9cf3b0aefc660d"),
    (lambda: trees.C45(refinement=trees.ErrorBased()), "e05d67e6e7f2b588c22d0b48b43fabed"),
    (lambda: trees.CART(), "342ad1ab6a0965433c9cf3b0aefc660d"),
    (lambda: trees.C45(), "6d422c76995336b3f05bd6c8ccbb4dd8"),
    (lambda: trees.J48(), "933a4335d1feca854959dbc1309a3cba"),
    (lambda: trees.RPart(), "c988b8c8516813e145a9913a84699750"),
    (lambda: trees.FixedCostComplexity(), "69a651cdb343e63d6edfb6a43205065b"),
    (lambda: trees.CriticalValue(), "c80d96d2eae41a6c6e717e9072dd5580"),
    (lambda: ErrorsOnRows(trees.Expansions()), "791d2a5d80ac8e65955d333140e94bc4"),
    (lambda: trees.IndependenceTestAcceptor(), "a1a016a47bda01abff3b1abba2828e46"),
    (lambda: trees.IndependenceTestStop(), "d02d83378e8e24ce2a9e0f40858df61f"),
    (
        lambda: trees.LockstepTree(trees.BestFirstTree(), trees.Expansions(rule="first_increase")),
        "06ccc006ae6c5584db1ffe9f3712cc55",
    ),
    (lambda: trees.ID3(), "808b5240b03cbfd2bbbab2707b99d9a2"),
    (lambda: trees.CART(refinement=None), "ab9a0a4a4c8df1c640c5e8e331298b8b"),
    (lambda: trees.CART(priors=(1, 2), refinement=None), "16be518cac7e35f7b55e9fbf64ab333f"),
    (lambda: trees.C45(refinement=None), "be3971c8a977b0dd4eee34b45b66c076"),
    (lambda: trees.C45(binary=True, refinement=None), "9b90c9e663b282378235768d16da3140"),
    (lambda: trees.C45(subset=True, refinement=None), "cabf83db844d2aa8cb18eff9edf61d44"),
    (lambda: trees.SSVTree(), "378abd6cb96b2064186b58ce574a6e6e"),
    (lambda: trees.AUCTree(), "d9dfd6d3385c1decc1bb6451c079edcd"),
    (lambda: trees.Cal5(), "a09972cf8bf15d8612e00bd993c0b52b"),
    (lambda: trees.FACT(), "48191d0a8ad3a929db30fe42d6cb1b10"),
    (lambda: trees.QUEST(), "6e9d6a5463c7d42e31a25f9747299f3e"),
    (lambda: trees.CRUISE1D(), "0fbf02ef27e5ab4230c824e71a1bd6d9"),
    (lambda: trees.CRUISE2D(), "0442153eaac928a5021a6396f44bc71f"),
    (lambda: trees.CTree(), "52c8182d020980e6f0915739815be3a3"),
    (lambda: trees.BestFirstTree(), "c36dcca13dee14468c14ccdb21b53651"),
]

VALUES: list[tuple[object, str]] = [
    (None, "34ab8b65c2622b75106dba567a23b032"),
    (True, "3d5ce082d3e6c13e406b078e5157bb6a"),
    (1, "a700cc5bd99b059efa23429c3a6b5a5d"),
    (-(2**70), "40e0f2be3d24bed4b2027d04d6a082aa"),
    (1.0, "2401b2fdc9b4f27db6330ca2ec7bb847"),
    (-0.0, "ea3c7180e32655a7f19f618bd4a73a8c"),
    (math.nan, "3b8c620a2230d0291cb9c6abdd09394c"),
    (1j, "bbaac58fd4ce344256a0eb53599138b9"),
    ("1", "440032d48dabffd3d001b4d617762469"),
    ("é\ud800", "a3c6777f45533f7e0e4b76c1d08b92f8"),
    (b"1", "430c143cdaf1596a36d2a16b49684803"),
    ((), "5a0fbbcca474d875e897da78df57d328"),
    ([1, [2.5]], "7c0b21d6ec2e0376855228de24b40679"),
    ({"b": 1, "a": (None,)}, "861facd11629b5768292e87f19c4ab21"),
    ({1, 2, 300}, "6414445758f2566da746ea4175ba3b10"),
    (frozenset({"a", "b"}), "926bdb24eaaa268f59c34f25856bdb45"),
    (np.float64(1.0), "6f9a9601bdee8d42908b43792416b2fa"),
    (np.arange(6.0).reshape(2, 3), "7c4352818033309df147c6da2fa8ac57"),
    (np.array(["a", "bc"]), "c8d518cbc1674bbaab102366a16549fb"),
    (np.array([(1, 2.5)], dtype=[("x", "<i4"), ("y", "<f8")]), "571ab1b72faafd9856b08cef69e4f510"),
    (int, "1d00bd3e558823318a113a4a9a342a39"),
]


def shipped_names() -> set[str]:
    """The registered names of everything that a module of the package defines, but for samples to test with."""
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    shipped = {
        name: cls.__module__
        for name, cls in registry.components().items()
        if cls.__module__.startswith("intemi.") and vars(sys.modules[cls.__module__]).get(cls.__qualname__) is cls
        if issubclass(cls, Machine) or not cls.is_abstract()
    }
    return {name for name, module in shipped.items() if not module.startswith("intemi.testing.")}


def test_every_shipped_machine_and_component_has_a_pinned_digest() -> None:
    assert {type(make()).registered_name for make, _ in SHIPPED} == shipped_names()


@pytest.mark.parametrize(("make", "pinned"), SHIPPED)
def test_a_shipped_machine_has_the_digest_that_it_always_had(make: Callable[[], Component], pinned: str) -> None:
    assert make().digest.hex() == pinned


@pytest.mark.parametrize(("value", "pinned"), VALUES)
def test_a_value_has_the_digest_that_it_always_had(value: object, pinned: str) -> None:
    assert content_digest(value).hex() == pinned


# Different


class Part(Component):
    """Holds anything."""

    value: Any = None


class Colour(Enum):
    RED = 1
    BLUE = 2


class Size(IntEnum):
    SMALL = 1


class Paint(Enum):
    RED = 1


DIFFERENT: list[object] = [
    *(0, 0.0, -0.0, False, "", b"", None, (), ((),), ((), ()), (((),),), {}, ({},), {"": None}, frozenset()),
    *(frozenset({()}), frozenset({frozenset()}), (None,), ("",), (frozenset(),), {"": ()}, {"": {}}, "None", "()"),
    *(1, 1.0, True, "1", b"1", (1,), (1.0,), (True,), ("1",), {"1": 1}, {"1": True}, frozenset({1}), frozenset({"1"})),
    *(1 + 2**53, 1.0 + 2**53, 2**64, -1, 255, 256, -256, math.nan, math.inf, -math.inf, "nan", 5e-324),
    *((1, 2), (12,), (1, (2,)), ((1,), 2), ((1, 2),), (1, 2, ()), "12", ("1", "2"), ("12",), ("1", "", "2")),
    *({"a": 1}, {"A": 1}, {"b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}, ("a", 1), (("a", 1),), {"a": {"b": 1}}),
    *("a", "á", "a\u0301", "a\0", " a", b"a", "ab", b"\xc3\xa1"),
    *(Colour.RED, Colour.BLUE, Paint.RED, Size.SMALL, "RED", int, float, "int", "builtins.int"),
    *(Part(), Part(()), Part({}), Part(0), Part(Part()), Part((Part(),)), (Part(),), {"value": None}, {"type": "Part"}),
]


def clashes(values: Sequence[Any], digest_of: Callable[[Any], bytes]) -> list[tuple[Any, Any]]:
    """The values that ought to differ and have one digest."""
    digests = [(value, digest_of(value)) for value in values]
    return [(one, two) for (one, first), (two, second) in itertools.combinations(digests, 2) if first == second]


def digest_with(value: Any) -> bytes:
    return Part(value).digest


def digest_of(component: Component) -> bytes:
    return component.digest


def test_parameters_that_differ_in_type_or_shape_or_depth_make_different_machines() -> None:
    assert clashes(DIFFERENT, digest_with) == []


def test_outputs_that_differ_in_type_or_shape_or_depth_have_different_contents() -> None:
    only_as_outputs: list[object] = [
        *([], [()], [[]], set(), {()}, [1], {1}, {1: 1}, {True: 1}, {1.0: 1}, {"b": 2, "a": 1}, 1j, 1 + 0j, -1j),
        *(np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True), np.str_("1"), np.bytes_(b"1")),
        *(np.array(1), np.array([1]), np.array([[1]]), np.array([1.0]), np.array([1], dtype=np.int8), np.array(["1"])),
        *(np.empty(0), np.empty((0, 1)), np.empty((1, 0)), np.empty(0, dtype=np.int64)),
        *(np.array([0.0]), np.array([-0.0]), np.array([0.0], dtype=np.float32)),
        *(np.array([1, 2, 3, 4]), np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]]), np.array([1], dtype=">i8")),
    ]
    assert clashes(DIFFERENT + only_as_outputs, content_digest) == []


def nested(make: Callable[[Any], Any], levels: int, innermost: Any) -> Any:
    for _ in range(levels):
        innermost = make(innermost)
    return innermost


NESTS: dict[str, Callable[[Any], Any]] = {
    "tuples": lambda inner: (inner,),
    "mappings": lambda inner: {"inner": inner},
    "sets": lambda inner: frozenset({inner}),
    "components": Part,
    "components in tuples": lambda inner: Part((inner, 1)),
}


@pytest.mark.parametrize("nest", NESTS)
def test_what_lies_200_levels_deep_still_tells_machines_apart(nest: str) -> None:
    make = NESTS[nest]
    assert Part(nested(make, 200, 1)).digest == Part(nested(make, 200, 1)).digest
    assert clashes([nested(make, 200, value) for value in (1, 1.0, True, "1", None, ())], digest_with) == []
    assert clashes([nested(make, levels, 1) for levels in range(195, 205)], digest_with) == []


@pytest.mark.parametrize("nest", ["tuples", "mappings"])
def test_the_encoding_has_no_depth_limit(nest: str) -> None:
    deep, other = (encode(nested(NESTS[nest], 20_000, value)) for value in (1, 2))
    assert deep != other
    assert encode(decode(deep)) == deep


def test_a_configuration_200_levels_deep_can_be_used_like_any_other() -> None:
    deep = nested(Part, 200, 1)
    path = ".".join(["value"] * 200)
    assert deep.get(path) == 1
    assert deep.replace(path, 2) == nested(Part, 200, 2)
    assert intemi.from_plain(json.loads(json.dumps(deep.to_plain()))) == deep
    assert decode(deep.encoding) == deep
    assert repr(deep).startswith("Part(value=Part(value=")  # long ones are shortened
    assert not deep.is_random


def declared(name: str, version: object = 1, **parameters: Any) -> Component:
    """A component of a class that is declared here and now, with parameters of any type."""
    annotations = dict.fromkeys(parameters, Any)
    space = {"__module__": __name__, "__qualname__": name, "__annotations__": annotations, "version": version}
    cls: Callable[[], Component] = type(name, (Component,), {**space, **parameters})
    return cls()


def test_names_of_parameters_and_classes_and_versions_are_part_of_the_identity() -> None:
    assert declared("Sample", a=1, b=2).digest == declared("Sample", a=1, b=2).digest
    others = [
        declared("Sample", a=1, b=2),
        declared("Sample", a=1, c=2),
        declared("Sample", b=1, a=2),
        declared("Sample", ab=1),
        declared("Sample", a=1),
        declared("Sample", a=1, b=2, c=None),
        declared("Simple", a=1, b=2),
        declared("Sample", version=2, a=1, b=2),
        declared("Sample", version="1", a=1, b=2),
        declared("Sample", version="version", a=1, b=2),
    ]
    assert clashes(others, digest_of) == []


def test_the_order_in_which_a_class_declares_its_parameters_does_not_matter() -> None:
    assert declared("Sample", a=1, b=2).digest == declared("Sample", b=2, a=1).digest


def test_a_parameter_that_moves_to_another_part_makes_another_machine() -> None:
    inner = declared("Inner", x=1)
    others = [
        declared("Outer", piece=inner),
        declared("Outer", piece=declared("Inner"), x=1),
        declared("Outer", piece=declared("Inner", y=1)),
        declared("Outer", piece={"x": 1}),
        declared("Outer", piece=(inner,)),
        declared("Outer", piece=1),
        declared("Outer", x=1),
        inner,
    ]
    assert clashes(others, digest_of) == []


# Equal


class Typed(Component):
    """One parameter of each type."""

    number: float = 0.0
    count: int = 0
    flag: bool = False
    text: str = ""
    numbers: tuple[float, ...] = ()
    listed: list[int] = []  # noqa: RUF012 - a component keeps it as a tuple
    names: frozenset[str] = frozenset()
    mapped: dict[str, float] = {}  # noqa: RUF012 - and this as a mapping that nobody can change
    colour: Colour = Colour.RED
    anything: Any = None


SIGNALLING_NAN = struct.unpack("<d", b"\x01" * 6 + b"\xf0\x7f")[0]

EQUAL: list[tuple[str, list[Any]]] = [
    ("number", [1.0, 1, np.float64(1), np.float32(1), np.int8(1)]),
    ("number", [math.nan, -math.nan, np.float64("nan"), np.float32("nan"), math.inf - math.inf, SIGNALLING_NAN]),
    ("number", [-0.0, np.float32(-0.0)]),
    ("count", [1, np.int64(1), np.uint8(1)]),
    ("flag", [True, np.bool_(True), np.True_]),
    ("text", ["one", np.str_("one")]),
    ("numbers", [(1.0, 2.0), [1, 2], np.array([1, 2]), np.array([1.0, 2.0], dtype=np.float32), range(1, 3)]),
    ("listed", [(1, 2), [1, 2], np.array([1, 2])]),
    ("names", [frozenset({"a", "b"}), {"b", "a"}, ["a", "b", "a"], ("b", "a"), {np.str_("a"), "b"}]),
    ("mapped", [{"a": 1.0, "b": 2.0}, {"b": 2, "a": 1}, OrderedDict(b=2.0, a=1.0), {np.str_("a"): 1, "b": np.int8(2)}]),
    ("colour", [Colour.BLUE, "BLUE"]),
    ("anything", [(1, (2.0, ())), [1, [2.0, []]], [np.int64(1), (np.float64(2), [])]]),
    ("anything", [{"a": {"x": 1, "y": 2}, "b": 3}, {"b": 3, "a": {"y": 2, "x": 1}}]),
    ("anything", [frozenset({1, "a", (2.5,)}), {(2.5,), "a", 1}]),
    ("anything", [{"deep": [{"a": {1}, "b": [2]}]}, {"deep": ({"b": (2,), "a": frozenset({1})},)}]),
]


@pytest.mark.parametrize(("name", "values"), EQUAL)
def test_ways_to_say_the_same_make_the_same_machine(name: str, values: list[Any]) -> None:
    same = [Typed(**{name: value}) for value in values]
    assert len({component.digest for component in same}) == 1
    assert len({*same, *same}) == 1
    assert same[0] != Typed()


def test_equal_arrays_have_equal_contents_however_they_lie_in_memory() -> None:
    base = np.arange(24.0).reshape(4, 6)
    alike = [base[::2, ::3], np.asfortranarray(base[::2, ::3]), base.T[::3, ::2].T, base[[0, 2]][:, [0, 3]]]
    assert len({content_digest(each) for each in alike}) == 1


# Refused

Point = namedtuple("Point", "x y")


class Rights(Flag):
    READ = 1
    WRITE = 2


class Unregistered:
    pass


REFUSED: dict[str, Callable[[], object]] = {
    "a function": lambda: len,
    "a lambda": lambda: lambda: None,
    "an object": object,
    "an object of a class of one's own": Unregistered,
    "a generator": lambda: (each for each in ()),
    "an iterator": lambda: iter([]),
    "a module": lambda: os,
    "an exception": ValueError,
    "a date": lambda: date(2020, 1, 1),
    "a moment": lambda: np.datetime64("2020-01-01", "ns"),
    "a decimal": lambda: Decimal(1),
    "a fraction": lambda: Fraction(1, 2),
    "a path": lambda: Path("x"),
    "bytes that change": lambda: bytearray(b"x"),
    "a view of bytes": lambda: memoryview(b"x"),
    "a combination of flags": lambda: Rights.READ | Rights.WRITE,
    "no flag at all": lambda: Rights(0),
    "a random generator": lambda: np.random.default_rng(0),
    "an array of objects": lambda: np.array([1, "a", None], dtype=object),
    "a masked array": lambda: np.ma.masked_array([1.0], [True]),
    "something deep inside": lambda: {"a": (1, [{"b": object()}])},
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_parameter_without_a_canonical_form_is_refused_by_name(what: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^Part: value must be plain data .* or a component, got "):
        Part(REFUSED[what]())


@pytest.mark.parametrize("what", [what for what in REFUSED if what != "a moment"])
def test_an_output_without_a_canonical_form_has_no_digest(what: str) -> None:
    with pytest.raises(EncodingError, match="no canonical encoding"):
        content_digest(REFUSED[what]())


def test_an_open_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        with pytest.raises(ConfigurationError, match="Part: value must be plain data"):
            Part(file)
        with pytest.raises(EncodingError, match=r"_io\.TextIOWrapper has no canonical encoding"):
            content_digest(file)


@pytest.mark.parametrize("value", [Point(1, 2), OrderedDict(a=1), Counter("a")], ids=lambda value: type(value).__name__)
def test_a_relative_of_a_plain_type_counts_as_a_parameter_and_is_refused_as_an_output(value: Any) -> None:
    plain = tuple(value) if isinstance(value, tuple) else dict(value)
    assert Part(value) == Part(plain)
    with pytest.raises(EncodingError, match=f"{type(value).__name__} has no canonical encoding"):
        content_digest(value)


@pytest.mark.parametrize("value", [np.array([1.0]), {1: 2}, {("a",): 1}, {None: 1}], ids=repr)
def test_arrays_and_mappings_with_other_keys_than_text_are_no_parameters(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="Part: value must be"):
        Part(value)


# In every process

REPORT = """
import json
from tests.acceptance.test_identity_is_exact import report
print(json.dumps(report()))
"""


def report() -> dict[str, str]:
    """Digests and keys of everything here that could depend on the order of a set or a mapping, or on an address."""
    names = frozenset({"a", "b", "c", "d", "e"})
    found = {
        "set": content_digest(set(names)),
        "nested": content_digest(frozenset({frozenset({name, "x", Part(name)}) for name in names})),
        "typed": Typed(names=names, mapped=dict.fromkeys(names, 1.0), anything={name: {name} for name in names}).digest,
        "repeater": cross_validation().digest,
        "repeater again": intemi.from_plain(json.loads(json.dumps(cross_validation().to_plain()))).digest,
        "source": type(cross_validation().get("test/k"))(k=3).digest,
        "deep": nested(Part, 200, names).digest,
    }
    with intemi.Project(workers=1) as project:
        capsule = project.run(cross_validation(1, 2), data=project.given(5))
        found["run"] = capsule.key
        for index, child in enumerate(capsule.children):
            found[f"run {index}"] = child.key
            found |= {f"run {index} {inner.name}": inner.key for inner in child.children}
    return {name: digest.hex() for name, digest in found.items()}


def reported(hash_seed: str) -> dict[str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", REPORT], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def test_processes_with_different_hash_seeds_agree_on_every_digest_and_key() -> None:
    here = report()
    assert len(set(here.values())) == len(here) - 1  # the repeater is there twice
    assert reported("0") == here
    assert reported("4242") == here


# Any value

numbers = st.integers() | st.floats() | st.booleans() | st.complex_numbers()
named = st.sampled_from([Colour.RED, Colour.BLUE, Size.SMALL, int, dict])
scalars = st.none() | numbers | st.text() | st.binary(max_size=20) | named
hashables = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3), max_leaves=8
)
values = st.recursive(
    hashables | arrays_of.arrays(arrays_of.scalar_dtypes(), arrays_of.array_shapes(max_dims=2, max_side=3)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(hashables, max_size=4)
        | st.dictionaries(hashables, inner, max_size=4)
    ),
    max_leaves=15,
)


def bits(number: float) -> bytes:
    return b"nan" if math.isnan(number) else struct.pack("<d", number)


def tagged(value: Any) -> Any:
    """The value as something that Python compares by type and content; the judge of what is equal."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return kind, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if type(value) is float:
        return kind, bits(value)
    if type(value) is complex:
        return kind, bits(value.real), bits(value.imag)
    if isinstance(value, list | tuple):
        return kind, tuple(map(tagged, value))
    if isinstance(value, set | frozenset):
        return kind, frozenset(Counter(map(tagged, value)).items())
    if isinstance(value, dict):
        return kind, tuple((tagged(key), tagged(item)) for key, item in value.items())
    return kind, value


@given(values)
def test_decoding_gives_back_every_value_with_its_type(value: object) -> None:
    assert tagged(decode(encode(value))) == tagged(value)


@given(values, values)
def test_encodings_are_equal_exactly_when_the_values_are(first: object, second: object) -> None:
    shorter, longer = sorted((encode(first), encode(second)), key=len)
    assert (shorter == longer) == (tagged(first) == tagged(second))
    assert shorter == longer or not longer.startswith(shorter)  # so parts never run into each other


small = st.sampled_from([0, 1, 0.0, 1.0, -0.0, True, False, None, "", "1", b"", b"1", (), frozenset(), (0,), ((),)])


@given(st.lists(small, max_size=3), st.lists(small, max_size=3))
def test_small_values_that_look_alike_are_told_apart_inside_of_anything(first: list[Any], second: list[Any]) -> None:
    for build in (list, tuple, lambda items: dict(enumerate(items)), lambda items: frozenset(map(repr, items))):
        one, other = build(first), build(second)
        assert (encode(one) == encode(other)) == (tagged(one) == tagged(other))
    assert (Part(first).digest == Part(second).digest) == (tagged(first) == tagged(second))


@given(st.lists(hashables, max_size=6, unique_by=encode), st.randoms(use_true_random=False))
def test_the_order_in_which_a_set_was_filled_does_not_matter(items: list[Any], random: Any) -> None:
    shuffled = random.sample(items, len(items))
    assert encode(frozenset(items)) == encode(frozenset(shuffled))
    assert encode(set(items)) == encode(set(shuffled))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), plain, max_size=5), st.randoms(use_true_random=False))
def test_the_order_in_which_a_mapping_was_filled_does_not_matter(items: dict[str, Any], random: Any) -> None:
    shuffled = {name: items[name] for name in random.sample(list(items), len(items))}
    assert Part(items).digest == Part(shuffled).digest


@given(plain)
def test_a_configuration_survives_json_and_its_own_encoding_with_its_identity(value: object) -> None:
    part = Part(value)
    assert decode(part.encoding).digest == part.digest
    if "'type'" not in repr(value):  # the one key that plain data cannot have
        assert intemi.from_plain(json.loads(json.dumps(part.to_plain()))).digest == part.digest
