"""Published combiners as settings of stacking."""

from __future__ import annotations

from intemi.kernel import Machine
from intemi.machines.committees.ac45 import AC45
from intemi.machines.committees.correspondence import CorrespondenceAnalysis
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.committees.meta_attributes import AttributeUnion, DistributionProperties, PredictedLabels
from intemi.machines.committees.stacking import Stacking
from intemi.machines.trees.algorithms import C45

FOLDS = InnerFolds()
PRUNED = C45()
ANSWERS = AttributeUnion((DistributionProperties(), PredictedLabels()))


def SCANN(
    learners: tuple[Machine, ...],
    share: float | None = None,
    distributor: Machine = FOLDS,
    names: tuple[str, ...] = (),
) -> Stacking:
    """Correspondence analysis of the classes that learners answer, and the nearest class (Merz, 1999).

    >>> from intemi.machines import KNN, NaiveBayes
    >>> SCANN((KNN(), NaiveBayes())).attributes
    PredictedLabels()
    """
    return Stacking(learners, CorrespondenceAnalysis(share), PredictedLabels(), distributor=distributor, names=names)


def StackingC45(learners: tuple[Machine, ...], distributor: Machine = FOLDS, names: tuple[str, ...] = ()) -> Stacking:
    """C-C4.5: a pruned C4.5 tree is told the classes that learners answer, and how sure they are.

    >>> from intemi.machines import KNN, NaiveBayes
    >>> StackingC45((KNN(), NaiveBayes())).meta.refinement.cf
    0.25
    """
    return Stacking(learners, PRUNED, ANSWERS, distributor=distributor, names=names)


def StackingAC45(learners: tuple[Machine, ...], distributor: Machine = FOLDS, names: tuple[str, ...] = ()) -> Stacking:
    """C-AC4.5: the same with a tree that is grown as meta decision trees are, and not pruned.

    >>> from intemi.machines import KNN, NaiveBayes
    >>> StackingAC45((KNN(), NaiveBayes())).meta.growth.criterion
    'gain_ratio'
    """
    return Stacking(learners, AC45(), ANSWERS, distributor=distributor, names=names)
