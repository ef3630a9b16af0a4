"""The learners, transformations and rankings that the package ships, as far as they are usual candidates."""

from __future__ import annotations

from intemi.kernel import Machine
from intemi.machines.classifiers import (
    CN2,
    KNN,
    LVQ,
    SVM,
    ExpectedClass,
    Logistic,
    Mahalanobis,
    Majority,
    Mixed,
    NaiveBayes,
    OneR,
    SklearnClassifier,
    TunedKNN,
)
from intemi.machines.classifiers.kernels import LinearKernel, PolynomialKernel
from intemi.machines.committees import GradientBoosting
from intemi.machines.rankings import CorrelationRanking, FScoreRanking, MutualInformationRanking
from intemi.machines.transformations import (
    MDL,
    Discretization,
    Imputation,
    NominalToIndicators,
    Normalization,
    PrincipalComponents,
    Standardization,
)
from intemi.machines.trees import C45, CART, ID3, QUEST, CTree, DecisionStump, DecisionTree, SSVTree
from intemi.machines.trees.splitters.random_subset import RandomSubset

EXTRA_TREES = "sklearn.ensemble.ExtraTreesClassifier"
HISTOGRAM_BOOSTING = "sklearn.ensemble.HistGradientBoostingClassifier"
QUADRATIC = "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"


def usual_machines() -> tuple[Machine, ...]:
    """One machine of each kind that is measured by a calibration."""
    return (*usual_learners(), *usual_prototypes(), *usual_transformations(), *usual_rankings())


def usual_learners() -> tuple[Machine, ...]:
    """Learners, the quickest first."""
    trees = (DecisionStump(), DecisionTree(), CART(), C45(), C45(refinement=None), CART(refinement=None), SSVTree())
    slower = (ID3(), CTree(), QUEST(), Logistic(), SVM(), SVM(kernel=LinearKernel()), CN2())
    neighbours = (KNN(k=1), KNN(k=1, distance=Mixed()), KNN(k=1, distance=Mahalanobis()), TunedKNN())
    return (Majority(), OneR(), NaiveBayes(), *neighbours, *trees, *slower, *_of_committees())


def usual_prototypes() -> tuple[Machine, ...]:
    """What gives prototypes to learn from."""
    return (ExpectedClass(), LVQ())


def _of_committees() -> tuple[Machine, ...]:
    """Committees that are one machine, and members of those that are many."""
    randomized = (DecisionTree(splitter=RandomSubset(features)) for features in ("sqrt", 2, 10))
    return (*randomized, GradientBoosting(), SVM(kernel=PolynomialKernel(degree=2)), *sklearn_learners())


def sklearn_learners() -> tuple[Machine, ...]:
    """Learners of scikit-learn that are usual candidates."""
    return (
        SklearnClassifier(EXTRA_TREES, {"min_samples_leaf": 1, "n_estimators": 100}),
        SklearnClassifier(HISTOGRAM_BOOSTING, {"learning_rate": 0.1, "max_iter": 100}),
        SklearnClassifier(QUADRATIC, {"reg_param": 0.1}),
    )


def usual_transformations() -> tuple[Machine, ...]:
    """Transformations."""
    return (
        Standardization(),
        Normalization(),
        Imputation(),
        NominalToIndicators(),
        PrincipalComponents(),
        Discretization(),
        Discretization(MDL()),
    )


def usual_rankings() -> tuple[Machine, ...]:
    """Rankings of features."""
    return (CorrelationRanking(), FScoreRanking(), MutualInformationRanking())
