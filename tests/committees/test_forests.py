"""Forests: settings of bagging and randomization that differ in what their trees draw."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import ConfigurationError, Machine, Project
from intemi.machines import (
    Average,
    Bagging,
    CombinationForest,
    DecisionTree,
    OutOfBag,
    PermutationImportance,
    RandomForest,
    Randomization,
    SklearnDataset,
    TopSplitForest,
    Vote,
)
from intemi.machines.trees import RandomSubset
from tests.learning.tables import mixed

WINE: Data = SklearnDataset("wine").run().outputs["data"]


@pytest.mark.parametrize(
    "forest", [RandomForest(trees=15), CombinationForest(trees=5), TopSplitForest(trees=5, k=5)], ids=lambda f: f.kind
)
def test_a_forest_is_right_where_its_trees_are_grown_fully(forest: Machine) -> None:
    with Project() as project:
        for data in (WINE, mixed(120, missing=0)):
            classifier = project.run(forest, data=project.given(data)).outputs["classifier"]
            assert (classifier.classify(data) == data.classes).mean() > 0.9


def test_trees_of_a_forest_differ_and_the_forest_is_the_same_for_a_seed() -> None:
    with Project() as project:
        data = project.given(WINE)
        runs = [project.run(RandomForest(trees=10, seed=seed), data=data) for seed in (1, 2)]
        assert len({str(member) for member in runs[0].outputs["members"]}) == 10
        assert {str(member) for member in runs[0].outputs["members"]}.isdisjoint(map(str, runs[1].outputs["members"]))
    with Project(workers=2) as project:
        again = project.run(RandomForest(trees=10, seed=1), data=project.given(WINE))
    assert list(map(str, again.outputs["members"])) == list(map(str, runs[0].outputs["members"]))


def test_the_out_of_bag_error_is_what_trees_answer_for_rows_that_they_never_saw() -> None:
    with Project() as project:
        data = project.given(WINE)
        forest = project.run(RandomForest(trees=12, seed=1), data=data)
        votes = np.zeros((len(WINE), len(WINE.labels)))
        for member, left in zip(forest.outputs["members"], forest.outputs["left"], strict=True):
            votes[left.rows, member.classify(left)] += 1
        answered = votes.any(axis=1)
        wrong = votes[answered].argmax(axis=1) != WINE.classes[answered]
        assert forest.results["Out-of-bag error"] == pytest.approx(wrong.mean())
        assert forest.results["Out-of-bag rows"] == answered.sum()
        told = project.run(OutOfBag(Average()), data=data, members=forest.members, left=forest.left)
        assert (told.outputs["predictions"].answers >= 0).sum() == answered.sum()


def test_a_feature_that_tells_the_classes_ranks_before_one_that_does_not() -> None:
    rng = np.random.default_rng(1)
    noise = WINE.with_features(WINE.columns[:3], np.vstack([WINE.feature(6), rng.random((2, len(WINE)))]))
    with Project() as project:
        forest = project.request(RandomForest(trees=20, seed=1), data=project.given(noise))
        found = project.run(PermutationImportance(seed=1), members=forest.members, left=forest.left)
    assert found.outputs["ranking"].order[0] == 0


def test_committees_of_the_same_trees_by_other_rules_grow_none() -> None:
    with Project() as project:
        data = project.given(WINE)
        project.run(RandomForest(trees=10, seed=1), data=data)
        project.run(RandomForest(trees=10, seed=1, rule=Average()), data=data)
        project.run(Bagging(DecisionTree(splitter=RandomSubset()), size=7, rule=Vote(), seed=1), data=data)
        assert project.counts().physical["DecisionTree"] == 10


def test_a_learner_that_draws_nothing_has_no_committee_of_its_own() -> None:
    with pytest.raises(ConfigurationError, match="must make random choices"):
        Randomization(DecisionTree())
    assert Randomization().missing()
