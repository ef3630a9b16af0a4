"""Tests on rows that members never saw: out-of-bag errors, bootstrap estimates and permutation importance are fair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data, from_numpy
from intemi.kernel import ConfigurationError, MachineFailed, Project
from intemi.machines import (
    Average,
    Backfit,
    Bagging,
    BootstrapEstimates,
    Count,
    CVDistributor,
    DecisionTree,
    FeatureSelection,
    ForestRanking,
    FScoreRanking,
    Majority,
    OutOfBag,
    PermutationImportance,
    PermutationRanking,
    RandomForest,
    Standardization,
    Vote,
)
from intemi.machines.fairness.leaks import TransductiveWarning
from intemi.machines.roles import FairTest

HELD_OUT = [OutOfBag, BootstrapEstimates, PermutationImportance]


def noise(features: int = 5) -> Data:
    """Two classes at random, so that no classifier is right more often than in half of all cases."""
    rng = np.random.default_rng(0)
    return from_numpy(rng.normal(size=(300, features)), rng.integers(0, 2, 300).astype(str))


def results_of(project: Project, kind: Any, data: Any, members: Any, left: Any, **options: Any) -> Any:
    inputs: dict[str, Any] = {"members": members, "left": left}
    if kind is not PermutationImportance:
        inputs["data"] = data
    if kind is BootstrapEstimates:
        inputs["classifier"] = project.request(Majority(), data=data).classifier
    return project.run(kind(**options), **inputs).results


@pytest.mark.parametrize("rule", [Vote(), Average()], ids=repr)
@pytest.mark.parametrize("backfit", [False, True], ids=["as learned", "backfitted"])
def test_the_out_of_bag_error_on_random_labels_is_near_one_half(rule: Any, backfit: bool) -> None:
    bagging = Bagging(DecisionTree(), size=30, rule=rule, backfit=backfit, out_of_bag=True, seed=1)
    with Project() as project:
        results = project.run(bagging, data=project.given(noise())).results
    assert abs(results["Out-of-bag error"] - 0.5) < 0.06
    assert set(results) == {"Out-of-bag error", "Out-of-bag rows"}


def test_the_out_of_bag_error_of_a_backfitted_committee_is_that_of_its_members_before() -> None:
    bagging = Bagging(DecisionTree(), size=5, out_of_bag=True, seed=1)
    with Project() as project:
        data = project.given(noise())
        before, after = (project.run(bagging.replace("backfit", way), data=data) for way in (False, True))
        assert before.results == after.results
        assert before.outputs["members"] != after.outputs["members"]


@pytest.mark.parametrize("kind", HELD_OUT)
def test_members_of_bagging_are_tested_on_the_rows_that_they_never_saw(kind: Any) -> None:
    assert issubclass(kind, FairTest)
    with Project() as project:
        data = project.given(noise())
        bagging = project.run(Bagging(DecisionTree(), size=5, seed=1), data=data)
        assert not {"Leak", "Unverified"} & set(results_of(project, kind, data, bagging.members, bagging.left))
        some = [2, 0]
        members, left = ([part[number] for number in some] for part in (bagging.members, bagging.left))
        assert not {"Leak", "Unverified"} & set(results_of(project, kind, data, members, left))


@pytest.mark.parametrize("kind", HELD_OUT)
def test_backfitted_members_are_refused_or_stamped(kind: Any) -> None:
    with Project() as project:
        data = project.given(noise())
        plain = project.request(Bagging(DecisionTree(), size=3, seed=1), data=data)
        own = project.request(Bagging(DecisionTree(), size=3, backfit=True, seed=1), data=data)
        plain.wait()
        later = [project.request(Backfit(), classifier=each, data=data).fitted for each in plain.members]
        for members, left, reader in (own.members, own.left, "Bagging"), (later, plain.left, "Backfit"):
            with pytest.raises(
                MachineFailed, match=f"{reader}.* learned from targets of rows that a member is said to"
            ):
                results_of(project, kind, data, members, left)
            assert reader in results_of(project, kind, data, members, left, allow_leak=True)["Leak"]


@pytest.mark.parametrize("kind", HELD_OUT)
def test_members_tested_on_the_rows_of_other_members_are_refused(kind: Any) -> None:
    with Project() as project:
        data = project.given(noise())
        bagging = project.run(Bagging(DecisionTree(), size=3, seed=1), data=data)
        turned = [bagging.left[number] for number in (1, 2, 0)]
        with pytest.raises(MachineFailed, match="LeakageError"):
            results_of(project, kind, data, bagging.members, turned)


def test_features_that_were_selected_by_all_targets_spoil_an_out_of_bag_error() -> None:
    bagging = Bagging(DecisionTree(), size=5, out_of_bag=True, seed=1)
    with Project() as project:
        data = project.given(noise(100))
        ranking = project.request(FScoreRanking(), data=data).ranking
        best = project.request(FeatureSelection(Count(5)), data=data, ranking=ranking).transformed
        done = project.run(bagging, data=best)
        assert "FScoreRanking" in done.results["Leak"]
        with pytest.raises(MachineFailed, match="FScoreRanking learned from targets"):
            results_of(project, OutOfBag, best, done.members, done.left)
        ranked = project.run(PermutationRanking(DecisionTree(), CVDistributor(folds=2)), data=best)
        assert ranked.outputs["ranking"]  # a ranking claims nothing: what it chooses is tested outside


def test_features_that_were_standardized_over_all_rows_make_an_out_of_bag_error_transductive() -> None:
    with Project() as project:
        data = project.request(Standardization(), data=project.given(noise())).transformed
        bagging = project.run(Bagging(DecisionTree(), size=5, seed=1), data=data)
        with pytest.warns(TransductiveWarning) as caught:
            results = results_of(project, OutOfBag, data, bagging.members, bagging.left)
        assert results["Transductive"] == "Standardization"
        assert len(caught) == 1


def test_a_forest_of_backfitted_trees_does_not_rank() -> None:
    with pytest.raises(ConfigurationError, match="as Bagging without backfitting and RandomForest do, got Bagging"):
        ForestRanking(RandomForest(trees=3).replace("backfit", True))
