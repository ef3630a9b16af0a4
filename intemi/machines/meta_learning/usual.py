"""The learners, transformations and rankings that the package ships, as far as they are usual candidates."""

from __future__ import annotations

from intemi.kernel import Machine
from intemi.machines.classifiers import CN2, KNN, SVM, Logistic, Majority, NaiveBayes, OneR, TunedKNN
from intemi.machines.classifiers.kernels import LinearKernel
from intemi.machines.rankings import CorrelationRanking, FScoreRanking, MutualInformationRanking
from intemi.machines.transformations import (
    Discretization,
    Imputation,
    NominalToIndicators,
    Normalization,
    PrincipalComponents,
    Standardization,
)
from intemi.machines.trees import C45, CART, ID3, QUEST, CTree, DecisionStump, DecisionTree, SSVTree


def usual_machines() -> tuple[Machine, ...]:
    """One machine of each kind that is measured by a calibration."""
    return (*usual_learners(), *usual_transformations(), *usual_rankings())


def usual_learners() -> tuple[Machine, ...]:
    """Learners, the quickest first."""
    trees = (DecisionStump(), DecisionTree(), CART(), C45(), C45(refinement=None), CART(refinement=None), SSVTree())
    slower = (ID3(), CTree(), QUEST(), Logistic(), SVM(), SVM(kernel=LinearKernel()), CN2())
    return (Majority(), OneR(), NaiveBayes(), KNN(k=1), TunedKNN(), *trees, *slower)


def usual_transformations() -> tuple[Machine, ...]:
    """Transformations."""
    return (
        Standardization(),
        Normalization(),
        Imputation(),
        NominalToIndicators(),
        PrincipalComponents(),
        Discretization(),
    )


def usual_rankings() -> tuple[Machine, ...]:
    """Rankings of features."""
    return (CorrelationRanking(), FScoreRanking(), MutualInformationRanking())
