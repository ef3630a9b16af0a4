"""The default space: what a good practitioner would try on a table, and how each candidate is tested.

First each kind of learner as one would first try it, behind the transformations that it needs; then what is near the
best of them, and committees of the best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec

from intemi.kernel import Machine
from intemi.machines.classifiers import (
    KNN,
    SVM,
    GaussianKernel,
    Logistic,
    NaiveBayes,
    PolynomialKernel,
    SklearnClassifier,
    TransformAndClassify,
)
from intemi.machines.committees import AdaBoost, Average, Boosting, GradientBoosting, RandomForest
from intemi.machines.distributors import HoldOutDistributor
from intemi.machines.meta_learning.descriptions import DataDescription
from intemi.machines.meta_learning.flow import Flow
from intemi.machines.meta_learning.generators import Cycle, Loop, Set, Union
from intemi.machines.meta_learning.refining import CommitteesOfTheBest, Neighbours
from intemi.machines.meta_learning.usual import EXTRA_TREES, HISTOGRAM_BOOSTING, QUADRATIC
from intemi.machines.meta_learning.validation import cross_validation
from intemi.machines.structure.repeater import Repeater
from intemi.machines.transformations import (
    MDL,
    Discretization,
    Imputation,
    NominalToIndicators,
    Standardization,
    TransformationChain,
)
from intemi.machines.trees import C45, CART

MAX_DISTANCE_ROWS = 20_000
"""Up to so many rows there are nearest neighbours."""
MAX_KERNEL_ROWS = 8_000
"""Up to so many rows there are support vector machines: they need a table of all pairs."""
MAX_BOOSTED_CELLS = 400_000
"""Up to so many values trees are boosted by exact splits; beyond, by those of histograms."""
ROWS_A_COVARIANCE = 5
"""For so many rows a class and column there are quadratic discriminants, which need the covariances of each class."""
FIXED = ("*stop.*", "*size")
"""What neighbours do not change: when trees stop to grow, since single ones are pruned; how large committees are, since
the larger ones are better."""
MANY_ROWS, FEW_ROWS = 20_000, 1_000


def default_space(data: DataDescription) -> Flow:
    """Candidates for data of that size: kinds of learners first, then neighbours and committees of the best.

    >>> len(default_space(DataDescription(rows=150, numeric=4, classes=3)).begin().poll()) > 20
    True
    """
    first = Set(tuple(first_candidates(data)))
    nearby = Cycle(Neighbours(Union((first, Loop())), without=FIXED))
    committees = CommitteesOfTheBest(Union((first, nearby)))
    return Flow((first, nearby, committees))


def default_validation(data: DataDescription) -> Repeater:
    """Twice five folds for few rows, five for more, and a hold-out for many.

    >>> default_validation(DataDescription(rows=150, numeric=4)).repetitions
    2
    """
    if data.rows > MANY_ROWS:
        return Repeater(HoldOutDistributor(share=0.75), cross_validation().test, 1)
    folds = max(2, min(5, int(data.rows)))
    return cross_validation(folds, repetitions=2 if data.rows <= FEW_ROWS else 1)


def first_candidates(data: DataDescription) -> Iterator[Machine]:
    """Each kind of learner with a few settings, behind what it needs."""
    numbers, scaled = _Prepared(data), _Prepared(data, scaling=True)
    yield NaiveBayes()
    if data.numeric:
        yield TransformAndClassify(Discretization(MDL()), NaiveBayes())
    yield C45()
    yield CART()
    yield from (scaled(Logistic(C=C)) for C in (0.1, 1.0, 10.0))
    if data.rows <= MAX_DISTANCE_ROWS:
        yield from (scaled(KNN(k=k, weights="distance")) for k in (1, 5, 15))
    if data.rows <= MAX_KERNEL_ROWS:
        width = 2.0 ** round(-math.log2(max(1.0, numbers.columns)))
        yield from (scaled(SVM(C, GaussianKernel(sigma=width))) for C in (2.0, 8.0, 32.0))
        yield from (scaled(SVM(C, PolynomialKernel(degree=2))) for C in (0.5, 8.0))
    yield RandomForest(100, "sqrt", Average())
    yield RandomForest(100, max(1, round(data.features / 3)), Average())
    yield Boosting(C45(), size=20, variant=AdaBoost())
    if data.rows * numbers.columns <= MAX_BOOSTED_CELLS:
        for steps, leaves in ((50, 4), (100, 6), (200, 8)):
            yield numbers(GradientBoosting(steps=steps, leaves=leaves, subsample=0.75))
    if find_spec("skops") is not None:  # without it, what they learn could not be saved
        yield from _of_scikit_learn(data, numbers, scaled)


def _of_scikit_learn(data: DataDescription, numbers: _Prepared, scaled: _Prepared) -> Iterator[Machine]:
    for least in (1, 3):
        yield numbers(SklearnClassifier(EXTRA_TREES, {"min_samples_leaf": least, "n_estimators": 100}))
    if data.rows * numbers.columns > MAX_BOOSTED_CELLS:
        for rate in (0.1, 0.3):
            yield numbers(SklearnClassifier(HISTOGRAM_BOOSTING, {"learning_rate": rate, "max_iter": 100}))
    if not data.nominal and data.rows > ROWS_A_COVARIANCE * data.classes * data.numeric:
        for share in (0.01, 0.1, 0.5):
            yield scaled(SklearnClassifier(QUADRATIC, {"reg_param": share}))


class _Prepared:
    """Puts learners that need numbers behind what makes numbers of the columns."""

    def __init__(self, data: DataDescription, scaling: bool = False) -> None:
        self.columns = data.numeric + data.nominal * data.symbols
        steps: list[Machine] = []
        if data.missing:
            steps.append(Imputation())
        if data.nominal:
            steps.append(NominalToIndicators())
        if scaling:
            steps.append(Standardization())
        self._steps = tuple(steps)

    def __call__(self, learner: Machine) -> Machine:
        if not self._steps:
            return learner
        whole = self._steps[0] if len(self._steps) == 1 else TransformationChain(self._steps)
        return TransformAndClassify(whole, learner)
