"""Committees of all sizes, rules and variants have their members in common, and a member is trained once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Project, content_digest
from intemi.machines import (
    C45,
    AdaBoost,
    Average,
    Averaged,
    Bagging,
    Boosting,
    Conservative,
    DecisionTree,
    Inverse,
    RefinedTree,
    Vote,
    WeightedAverage,
)
from intemi.machines.trees import SSV, Gini, InformationGain
from intemi.machines.trees.refinement.depth_impurity import DepthImpurity
from intemi.machines.trees.refinement.description_length import DescriptionLength
from intemi.machines.trees.refinement.direct import PathError, PessimisticError
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.minimum_error import MEstimateError, MinimumError
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch

SIZES = range(1, 11)
PRUNINGS = (
    ErrorBased(),
    PessimisticError(),
    MinimumError(),
    MEstimateError(),
    PathError(),
    DepthImpurity(beta=0.5),
    DescriptionLength(),
)
INDUCERS = [DecisionTree(splitter=ExhaustiveSearch(quality=each)) for each in (Gini(), InformationGain(), SSV())]
LEARNERS = [RefinedTree(inducer, pruning) for inducer in (*INDUCERS, C45(refinement=None)) for pruning in PRUNINGS]
VARIANTS = (AdaBoost(), Conservative(), Averaged(), Inverse())


def noisy(rows: int = 80) -> Data:
    """Two classes that no tree of a sample gets all right."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(3, rows))
    classes = (features[0] + rng.normal(size=rows) > 0).astype(int)
    return Data(Table([Column("x"), Column("y"), Column("z")], features, Column("class", ("a", "b")), classes))


DATA = noisy()


def physical(project: Project, kind: str) -> int:
    """How many machines of a kind were run."""
    return project.counts().physical[kind]


def test_a_larger_committee_has_the_members_of_a_smaller_one() -> None:
    with Project() as project:
        data = project.given(DATA)
        ten = project.run(Bagging(DecisionTree(), size=10, seed=1), data=data)
        more = project.run(Bagging(DecisionTree(), size=25, seed=1), data=data)
        assert physical(project, "DecisionTree") == 25
        project.run(Bagging(DecisionTree(), size=7, rule=Average(), seed=1), data=data)
        assert physical(project, "DecisionTree") == 25
    first = [content_digest(each) for each in ten.outputs["members"]]
    assert [content_digest(each) for each in more.outputs["members"]][:10] == first


def test_all_variants_of_boosting_have_the_first_member_in_common_with_bagging() -> None:
    with Project() as project:
        data = project.given(DATA)
        bagged = project.run(Bagging(DecisionTree(), size=1, seed=1), data=data)
        for variant in VARIANTS:
            boosted = project.run(Boosting(DecisionTree(), 3, variant, mode="resample", seed=1), data=data)
            assert content_digest(boosted.outputs["members"][0]) == content_digest(bagged.outputs["members"][0])
        assert physical(project, "DecisionTree") == 1 + 4 * 2
        for size in (1, 2, 3):
            project.run(Boosting(DecisionTree(), size, rule=WeightedAverage(), mode="resample", seed=1), data=data)
        assert physical(project, "DecisionTree") == 1 + 4 * 2


def test_seven_prunings_grow_each_tree_of_a_committee_once() -> None:
    with Project() as project:
        data = project.given(DATA)
        for pruning in PRUNINGS:
            project.run(Bagging(RefinedTree(DecisionTree(), pruning), size=5, seed=1), data=data)
        assert physical(project, "DecisionTree") == 5
        assert physical(project, "PrunedTree") == 5 * 7


def test_the_committees_of_the_book_train_each_member_once() -> None:
    with Project() as project:
        data = project.given(DATA)
        bagged = [
            project.request(Bagging(learner, size, rule, seed=1), data=data)
            for learner in LEARNERS
            for size in SIZES
            for rule in (Vote(), Average())
        ]
        assert len(bagged) == 560
        project.wait(*bagged)
        assert physical(project, "RefinedTree") == physical(project, "PrunedTree") == 280
        assert physical(project, "DecisionTree") == 40
        assert project.counts().logical["RefinedTree"] == 3080
        boosted = [
            project.request(
                Boosting(learner, size, variant, mode="resample", high="reset_keep", zero="reset", seed=1),
                data=data,
            )
            for learner in LEARNERS
            for size in SIZES
            for variant in VARIANTS
        ]
        project.wait(*boosted)
        assert len(boosted) == 1120
        assert physical(project, "RefinedTree") == 280 + 1036 - 28


def test_a_committee_in_a_folder_goes_on_with_the_members_of_another_process(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        project.run(Bagging(DecisionTree(), size=5, seed=1), data=project.given(DATA))
    with Project(tmp_path) as project:
        larger = project.run(Bagging(DecisionTree(), size=8, seed=1), data=project.given(DATA))
        assert physical(project, "DecisionTree") == 3
        found = larger.outputs["classifier"]
    with Project() as project:
        at_once = project.run(Bagging(DecisionTree(), size=8, seed=1), data=project.given(DATA))
        assert content_digest(at_once.outputs["classifier"]) == content_digest(found)
