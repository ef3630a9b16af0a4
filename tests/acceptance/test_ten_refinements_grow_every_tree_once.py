"""The single-tree experiment of the book: all refinements of one training sample share its trees.

Five split criteria, each refined in 143 ways: 14 direct prunings, 75 of five validators over ten inner folds (five
margins of standard errors, three weights of training errors), 54 of six validators over one part held out. The trees of
the last are grown on another part of the sample, one for each criterion.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from intemi import Project
from intemi.data import Data
from intemi.kernel import Event, EventKind
from intemi.machines import (
    CART,
    QUEST,
    ClassificationTest,
    CVDistributor,
    FirstFold,
    HoldOutDistributor,
    Repeater,
    Scheme,
    SklearnDataset,
    SSVTree,
)
from intemi.machines.trees import (
    Accuracy,
    CostComplexity,
    DecisionTree,
    Degree,
    DepthImpurity,
    DepthImpurityValidation,
    DescriptionLength,
    ErrorBased,
    InformationGain,
    MEstimateError,
    MEstimateValidation,
    MinimumError,
    OptimalSize,
    PessimisticError,
    ReducedError,
    RefinedTree,
    Refinement,
)

FOLDS = 10
CRITERIA: dict[str, Any] = {
    "Acc": CART(Accuracy(), surrogates=0, refinement=None),
    "Gini": CART(surrogates=0, refinement=None),
    "IG": CART(InformationGain(), surrogates=0, refinement=None),
    "QUEST": QUEST(),
    "SSV": SSVTree(),
}
VALIDATORS: tuple[Any, ...] = (CostComplexity, Degree, OptimalSize, MEstimateValidation, DepthImpurityValidation)
HELD_OUT = HoldOutDistributor(share=0.7)

DIRECT: list[Refinement] = [
    *(kind(se=se) for kind in (PessimisticError, ErrorBased, MinimumError, MEstimateError) for se in (0, 0.5, 1)),
    DescriptionLength(),
    DepthImpurity(beta=0.5),
]
MULTI: list[Refinement] = [
    kind(se=se, se_of=of, tef=tef)
    for kind, tef in product(VALIDATORS, (0, 0.5, 1))
    for se, of in ((0, "theory"), (0.5, "theory"), (1, "theory"), (0.5, "sample"), (1, "sample"))
]
SINGLE: list[Refinement] = [
    kind(se=se, tef=tef, passes=HELD_OUT)
    for kind, se, tef in product((ReducedError, *VALIDATORS), (0, 0.5, 1), (0, 0.5, 1))
]


def experiment(refinements: list[Refinement], criteria: dict[str, Any] = CRITERIA, tested: bool = False) -> Repeater:
    """Ten-fold cross-validation of the unpruned trees and of all refinements of them, side by side in one scheme."""
    test = Scheme(training=Data, test=Data)
    for criterion, learner in criteria.items():
        for number, refinement in enumerate([None, *refinements]):
            machine = learner if refinement is None else RefinedTree(learner, refinement)
            tree = test.add(machine, data=test.training, name=f"{criterion} {number}")
            if tested:
                test.add(ClassificationTest(), data=test.test, classifier=tree.classifier, name=f"test {number}")
    return Repeater(distributor=CVDistributor(folds=FOLDS), test=test, seed=1)


def test_the_experiment_has_as_many_configurations_as_the_book_says() -> None:
    assert (len(set(DIRECT)), len(set(MULTI)), len(set(SINGLE))) == (14, 75, 54)


def test_trees_are_grown_once_for_all_refinements() -> None:
    samples = FOLDS * len(CRITERIA)
    with Project() as project:
        data = project.request(SklearnDataset("iris")).data
        project.run(experiment([CostComplexity()]), data=data)
        assert project.counts().physical["DecisionTree"] == samples * (1 + FOLDS)

        # The other 88 that share these trees grow none, and none is validated again.
        project.run(experiment([*DIRECT, *MULTI]), data=data)
        counts = project.counts()
        assert counts.physical["DecisionTree"] == samples * (1 + FOLDS)
        assert counts.logical["DecisionTree"] >= samples * (1 + len(DIRECT) + len(MULTI) * (1 + FOLDS))
        assert counts.physical["NodeCounts"] <= samples * FOLDS
        assert counts.physical["ErrorsOfPrunings"] <= samples * FOLDS * len(VALIDATORS)
        assert counts.physical["ValidationPasses"] == samples * len(VALIDATORS)

        # Those with a part held out need the tree of the other part, once.
        project.run(experiment(SINGLE), data=data)
        counts = project.counts()
        assert counts.physical["DecisionTree"] == samples * (1 + FOLDS + 1)
        assert counts.physical["NodeCounts"] <= samples * (FOLDS + 1)
        assert counts.physical["HoldOutDistributor"] == FOLDS
        assert counts.physical["CVDistributor"] == 1 + FOLDS

        # Where the part is the first inner fold, its tree is there already.
        first = [each.replace("passes", FirstFold(CVDistributor(FOLDS))) for each in SINGLE]
        project.run(experiment(first), data=data)
        counts = project.counts()
        assert counts.physical["DecisionTree"] == samples * (1 + FOLDS + 1)
        assert counts.physical["CVDistributor"] == 1 + FOLDS


def test_inner_folds_are_the_same_for_all_refinements() -> None:
    with Project(workers=1) as project:
        data = project.request(SklearnDataset("iris")).data
        started: list[str] = []
        project.listen(lambda event: started.append(event.config.kind) if is_start(event, CVDistributor) else None)
        for refinement in (CostComplexity(), OptimalSize(se=1), Degree(tef=1), MEstimateValidation()):
            for learner in (DecisionTree(), SSVTree()):
                project.run(RefinedTree(learner, refinement), data=data)
        assert started == ["CVDistributor"]


def is_start(event: Event, kind: type) -> bool:
    return event.kind is EventKind.STARTED and isinstance(event.config, kind)


def test_one_more_refinement_changes_no_others_result() -> None:
    def accuracies(refinements: list[Refinement]) -> Any:
        with Project() as project:
            data = project.request(SklearnDataset("iris")).data
            found = project.run(experiment(refinements, {"Gini": CRITERIA["Gini"]}, tested=True), data=data)
            return project.query(found, name="test 1", labels=["Accuracy", "Fold"])["Accuracy"]

    alone = accuracies([OptimalSize(se=1)])
    assert list(alone) == list(accuracies([OptimalSize(se=1), CostComplexity(), ReducedError(), ErrorBased()]))


@pytest.mark.parametrize("kind", [CostComplexity, Degree, OptimalSize], ids=lambda kind: kind.__name__)
def test_trees_never_grow_with_the_margin(kind: Any) -> None:
    with Project() as project:
        data = project.request(SklearnDataset("iris")).data
        for tef, passes in product((0, 0.5, 1), (CVDistributor(), HELD_OUT)):
            refined = [RefinedTree(DecisionTree(), kind(se=se, tef=tef, passes=passes)) for se in (0, 0.5, 1)]
            sizes = [project.run(each, data=data).results["Leaves"] for each in refined]
            assert sizes == sorted(sizes, reverse=True)
