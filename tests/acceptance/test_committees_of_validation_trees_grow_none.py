"""Cross-validation committees after single trees, in whatever number, grow no tree: theirs are the validators'."""

from __future__ import annotations

from typing import Any

import pytest

from intemi import Project
from intemi.data import Data
from intemi.machines import (
    CART,
    ClassificationTest,
    CVCommittee,
    CVCommitteeTest,
    CVDistributor,
    Repeater,
    Scheme,
    SklearnDataset,
)
from intemi.machines.committees.cv_committee import passes_for
from intemi.machines.trees import (
    CostComplexity,
    Degree,
    DepthImpurityValidation,
    InformationGain,
    Laplace,
    MEstimate,
    MEstimateValidation,
    OptimalSize,
    Proportions,
    ReducedError,
    RefinedTree,
)

LEARNERS = (CART(surrogates=0, refinement=None), CART(InformationGain(), surrogates=0, refinement=None))
VALIDATORS: tuple[Any, ...] = (CostComplexity, Degree, OptimalSize, MEstimateValidation, DepthImpurityValidation)
OUTER, INNER = 3, 4
FOLDS = CVDistributor(INNER)
TESTED = {"separate": ((0.0, "theory"), (1.0, "theory")), "common": ((0.0, "theory"), (1.0, "theory"), (0.5, "sample"))}


def single_trees() -> Scheme:
    """Full trees, and trees that are cut back by all validators in several ways."""
    test = Scheme(training=Data, test=Data)
    for learner in LEARNERS:
        test.add(learner, data=test.training)
        for kind in VALIDATORS:
            for se in (0, 1):
                tree = test.add(RefinedTree(learner, kind(se=se, tef=0.5, passes=FOLDS)), data=test.training)
                test.add(ClassificationTest(), data=test.test, classifier=tree.classifier)
    return test


def committees() -> Scheme:
    """All committees of these trees, in the wide form; and one as a learner."""
    test = Scheme(training=Data, test=Data)
    for learner in LEARNERS:
        for kind in (ReducedError, *VALIDATORS):
            made = test.add(passes_for(learner, kind(passes=None), FOLDS), data=test.training)
            for mode in ("separate",) if kind is ReducedError else TESTED:
                decisions = (MEstimate(),) if kind is MEstimateValidation else (Proportions(), Laplace(), MEstimate())
                test.add(
                    CVCommitteeTest(kind(passes=None), mode, TESTED[mode], decisions=decisions),
                    data=test.test,
                    trees=made.trees,
                    tables=made.tables,
                    training=test.training,
                )
        one = test.add(
            CVCommittee(learner, CostComplexity(se=1), "common", size=3, distributor=FOLDS), data=test.training
        )
        test.add(ClassificationTest(), data=test.test, classifier=one.classifier)
    return test


def repeated(test: Scheme) -> Repeater:
    return Repeater(CVDistributor(OUTER), test, seed=1)


@pytest.mark.parametrize("first", [True, False])
def test_trees_are_grown_once(first: bool) -> None:
    """X4: with c criteria, o outer and v inner folds, c o (v + 1) trees for both, c o v for committees alone."""
    with Project(workers=1) as project:
        data = project.request(SklearnDataset("wine")).data
        if first:
            project.run(repeated(single_trees()), data=data)
            grown = project.counts().physical["DecisionTree"]
            assert grown == len(LEARNERS) * OUTER * (INNER + 1)
        project.run(repeated(committees()), data=data)
        counts = project.counts()
    alone = len(LEARNERS) * OUTER * INNER
    assert counts.physical["DecisionTree"] == (grown if first else alone)
    assert counts.physical["NodeCounts"] == alone
    assert counts.physical["CVDistributor"] == 1 + OUTER
    assert counts.physical["ErrorsOfPrunings"] == alone * (len(VALIDATORS) + 1)
    wide = len(LEARNERS) * OUTER * (2 * len(VALIDATORS) + 1)
    assert counts.physical["CVCommitteeTest"] == wide


def test_another_process_a_month_later_grows_none_either(tmp_path: Any) -> None:
    with Project(tmp_path / "trees", workers=1) as project:
        project.run(repeated(single_trees()), data=project.request(SklearnDataset("wine")).data)
    with Project(tmp_path / "trees", workers=1) as later:
        later.run(repeated(committees()), data=later.request(SklearnDataset("wine")).data)
        assert later.counts().physical["DecisionTree"] == 0
        assert later.counts().physical["CVDistributor"] == 0
