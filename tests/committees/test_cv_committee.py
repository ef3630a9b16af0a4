"""Cross-validation committees: members are chosen and ranked as specified, and the wide form has the same cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.kernel import ConfigurationError, Project
from intemi.machines import CART, ClassificationTest, Committee, CVCommittee, CVDistributor, SklearnDataset
from intemi.machines.committees import Average, CVCommitteeTest, LargestPrior
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
)
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.ranked_prunings import ranked_prunings
from intemi.machines.trees.refinement.tables import ErrorTable
from intemi.query import Result
from tests.learning.tables import mixed

FOLDS = CVDistributor(4)
LEARNER = CART(InformationGain(), surrogates=0, refinement=None)
DECISIONS = (Proportions(), Laplace(), MEstimate())
PATHS: tuple[Any, ...] = (CostComplexity, Degree, OptimalSize, MEstimateValidation, DepthImpurityValidation)
WINE = SklearnDataset("wine").run().outputs["data"]
TRAINING, TEST = WINE.select_rows(range(0, 178, 2)), WINE.select_rows(range(1, 178, 2))


def passes(validator: Any, data: Data = TRAINING) -> tuple[Any, Any]:
    with Project(workers=1, seed=1) as project:
        done = project.run(passes_for(LEARNER, validator, FOLDS), data=project.given(data))
        return done.outputs["trees"], done.outputs["tables"]


def spelled_out(validator: Any, tables: list[ErrorTable], keys: Any, rows: float) -> tuple[int, np.ndarray]:
    """SELECT of the specification, 5.2, word by word: which key, and the errors of the tables by key."""
    f = validator.tef
    places = [validator.places(table, keys) for table in tables]
    errors = np.array(
        [
            (table.validation[at] / table.validated + f * table.training[at] / table.trained) / (1 + f)
            for table, at in zip(tables, places, strict=True)
        ]
    )
    sizes = np.mean([table.leaves[at] for table, at in zip(tables, places, strict=True)], axis=0)
    mean = errors.mean(axis=0)
    best = min(range(len(keys)), key=lambda place: (round(mean[place], 12), sizes[place]))
    error = 0.0
    if validator.se and validator.se_of == "theory":
        error = np.sqrt(mean[best] * (1 - mean[best]) / rows)
    elif validator.se:
        error = errors[:, best].std(ddof=1) / np.sqrt(len(tables))
    good = [place for place in range(len(keys)) if mean[place] <= mean[best] + validator.se * error + 1e-12]
    return min(good, key=lambda place: (sizes[place], round(mean[place], 12), -keys[place])), errors


@given(
    kind=st.sampled_from(PATHS),
    mode=st.sampled_from(["separate", "common"]),
    se=st.sampled_from([0.0, 0.5, 1.0]),
    sample=st.booleans(),
    tef=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_members_are_those_of_the_specification(kind: Any, mode: Any, se: float, sample: bool, tef: float) -> None:
    validator = kind(se=se, se_of="sample" if sample and mode == "common" else "theory", tef=tef, passes=None)
    trees, tables = PASSES[kind]
    expected = []
    if mode == "common":
        keys = np.unique(np.concatenate([table.keys for table in tables]))
        step, errors = spelled_out(validator, tables, keys, sum(table.validated for table in tables))
        steps = [(int(validator.places(table, keys)[step]), errors[place, step]) for place, table in enumerate(tables)]
    else:
        steps = []
        for table in tables:
            step, errors = spelled_out(validator, [table], table.keys, table.validated)
            steps.append((step, errors[0, step]))
    for place, (tree, (step, error)) in enumerate(zip(trees, steps, strict=True)):
        cut = cut_at(tree, validator.path(tree, Proportions()).cut(step))
        expected.append((round(error, 12), cut.leaf_count, place, cut))
    found = ranked_prunings(validator, mode, trees, tables)
    expected.sort(key=lambda each: each[:3])
    assert [(each.place, each.tree) for each in found] == [(place, tree) for *_, place, tree in expected]


PASSES = {kind: passes(kind()) for kind in PATHS}


@pytest.mark.parametrize(
    ("kind", "mode"),
    [(ReducedError, "separate"), *((kind, mode) for kind in PATHS for mode in ("separate", "common"))],
)
def test_the_wide_form_has_the_cells_of_single_committees(kind: Any, mode: Any) -> None:
    decisions = (MEstimate(),) if kind is MEstimateValidation else DECISIONS
    margins = ((0.0, "theory"), (1.0, "theory"), *([(0.5, "sample")] if mode == "common" else []))
    with Project(workers=1, seed=1) as project:
        training, test = project.given(TRAINING), project.given(TEST)
        made = project.request(passes_for(LEARNER, kind(passes=None), FOLDS), data=training)
        asked = CVCommitteeTest(kind(passes=None), mode, margins, (0.0, 0.5), decisions)
        wide = project.run(asked, data=test, trees=made.trees, tables=made.tables, training=training)
        cells = wide.results["Accuracy"].series("Accuracy")
        for row in [cells.row(at) for at in range(0, len(cells), 3)]:
            decision = next(each for each in decisions if each.kind == row["Decision"])
            validator = kind(se=row["SE"], se_of=row["SE of"], tef=row["TE"], passes=None)
            single = CVCommittee(LEARNER, validator, mode, decision, row["Size"], FOLDS)
            learned = project.request(single, data=training)
            alone = project.run(ClassificationTest(), data=test, classifier=learned.classifier)
            assert alone.results["Accuracy"] == row["Accuracy"], row
        assert project.counts().physical["DecisionTree"] == 4


def test_a_committee_of_one_is_the_best_ranked_tree_whatever_its_leaves_answer_by() -> None:
    with Project(workers=1, seed=1) as project:
        training = project.given(TRAINING)
        one, laplace = (
            project.run(
                CVCommittee(LEARNER, CostComplexity(), decision=decision, size=1, distributor=FOLDS), data=training
            )
            for decision in (Proportions(), Laplace())
        )
        best = one.outputs["members"][0]
        errors = one.results["Validation error"]
        assert errors.argmin() == 0
        assert np.array_equal(one.outputs["classifier"].classify(TEST), best.classify(TEST))
        assert np.array_equal(one.outputs["classifier"].classify(TEST), laplace.outputs["classifier"].classify(TEST))


def test_copies_of_one_tree_are_that_tree() -> None:
    with Project(workers=1, seed=1) as project:
        training = project.given(TRAINING)
        done = project.run(CVCommittee(LEARNER, CostComplexity(), distributor=FOLDS), data=training)
        member = done.members[0]
        copies = project.run(Committee(Average(), LargestPrior()), data=training, members=[member] * 5, weights=())
        expected = project.run(Committee(Average(), LargestPrior()), data=training, members=[member], weights=())
        assert np.array_equal(
            copies.outputs["classifier"].classify(TEST), expected.outputs["classifier"].classify(TEST)
        )


def test_rows_with_missing_values_and_weights_are_welcome() -> None:
    data = mixed(80, weighted=True)
    with Project(workers=1, seed=1) as project:
        learned = project.run(
            CVCommittee(LEARNER, OptimalSize(), "common", distributor=FOLDS), data=project.given(data)
        )
        assert learned.outputs["classifier"].probabilities(data).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CVCommittee(validator=ReducedError(), mode="common"), "mode must be 'separate' with ReducedError"),
        (
            lambda: CVCommittee(validator=CostComplexity(se=1, se_of="sample")),
            "mode must be 'common' with se_of='sample', which needs several passes",
        ),
        (lambda: CVCommitteeTest(tefs=()), r"CVCommitteeTest: tefs must be some, and all different, got \(\)"),
        (
            lambda: CVCommitteeTest(MEstimateValidation(passes=None), decisions=DECISIONS),
            "decisions must be one with MEstimateValidation",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()


def test_committees_stand_in_queries_beside_others() -> None:
    with Project(workers=1, seed=1) as project:
        training, test = project.given(TRAINING), project.given(TEST)
        made = project.request(passes_for(LEARNER, CostComplexity(), FOLDS), data=training)
        asked = CVCommitteeTest(decisions=DECISIONS)
        wide = project.run(asked, data=test, trees=made.trees, tables=made.tables, training=training)
        where = (Result("SE") == 0.5) & (Result("Decision") == "Laplace") & (Result("TE") == 0)
        found = project.query(wide, where=where, labels=["Accuracy", "Size", "Leaves"])
    assert found["Size"].tolist() == [1, 2, 3, 4]
