"""Pruning by a second sample that is drawn by weights, as arc-x4 does it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, MachineFailed, Project
from intemi.machines import (
    ArcX4,
    Boosting,
    ClassificationTest,
    DecisionStump,
    DecisionTree,
    RefinedTree,
    Repeater,
    Scheme,
    TwoSamples,
)
from intemi.machines.committees.sampling import roulette
from intemi.machines.trees import CostComplexity, ReducedError

EIGHT = Data(Table([Column("x")], [range(8)], Column("class", ("a", "b")), [0, 0, 0, 1, 0, 1, 1, 1]))
PRUNED = RefinedTree(DecisionTree(), ReducedError(passes=TwoSamples()))


def origins(capsule: Any) -> list[list[int]]:
    """The rows of both samples."""
    parts = capsule.child("passes").child("parts").outputs
    return [sorted(sample.origins.tolist()) for sample in (*parts["training"], *parts["test"])]


def test_both_samples_are_drawn_by_the_roulette_wheel() -> None:
    weights = np.array([2, 1, 4, 4, 16, 1, 4, 4])
    drawn = TwoSamples().run(EIGHT.with_weights(weights), np.random.default_rng(5)).outputs
    growth, validation = np.random.default_rng(5).random((2, 8))
    assert drawn["training"][0].origins.tolist() == sorted(roulette(weights / 36, growth))
    assert drawn["test"][0].origins.tolist() == sorted(roulette(weights / 36, validation))
    assert drawn["training"][0].weights.tolist() == drawn["test"][0].weights.tolist() == [1] * 8


def test_a_tree_of_the_first_sample_is_pruned_by_the_second() -> None:
    with Project() as project:
        done = project.run(Boosting(PRUNED, size=1, variant=ArcX4(), seed=4), data=project.given(EIGHT))
        member = done.child("learner")
        assert origins(member) == [[1, 2, 2, 2, 3, 3, 3, 4], [0, 1, 2, 4, 5, 5, 6, 7]]
        grown = member.child("passes").child("tree").outputs["tree"]
        assert str(grown).split("\n") == [
            "x <= 2.5: a (4)",
            "x > 2.5",
            "|   x <= 3.5: b (3)",
            "|   x > 3.5: a (1)",
        ]
        # Of the second sample 4, 5, 5, 6, 7 are right of 2.5: the split errs on 5, 5, 6, 7, a leaf of b on 4 alone.
        assert str(member.outputs["tree"]).split("\n") == ["x <= 2.5: a (4)", "x > 2.5: b (4/1)"]
        assert member.results["Validation error"] == 1 / 8
        # The error of the member is that on all rows, of which it gets 4 wrong.
        update = done.child("update")
        assert update.results["Error"] == 1 / 8
        assert update.outputs["updated"].shares * 9 == pytest.approx([1, 1, 1, 1, 2, 1, 1, 1])


def test_every_step_draws_both_samples_by_its_own_weights() -> None:
    """Of each x there are 50 rows. A stump is wrong about 3 or 4: 50 rows weigh 1 + 1⁴, and after two errors 1 + 2⁴."""
    stump = RefinedTree(DecisionStump(), ReducedError(passes=TwoSamples()))
    with Project() as project:
        given = project.given(EIGHT.select_rows(np.arange(400) % 8))
        done = project.run(Boosting(stump, size=4, variant=ArcX4(), seed=1), data=given)
        samples = [origins(each) for each in done.children if each.config == stump]
        weights = [each.outputs["updated"].shares for each in done.children if each.config.kind == "BoostUpdate"]
    following = [(shares.reshape(8, 50)[:, 0] / shares.min()).round(6).tolist() for shares in weights]
    assert following == [
        [1, 1, 1, 2, 1, 1, 1, 1],
        [1, 1, 1, 2, 2, 1, 1, 1],
        [1, 1, 1, 17, 2, 1, 1, 1],
        [1, 1, 1, 17, 17, 1, 1, 1],
    ]
    for drawn, before in zip(samples, [[1] * 8, *following[:-1]], strict=True):
        shares = np.array(before) / sum(before)
        deviations = np.sqrt(400 * shares * (1 - shares))
        assert drawn[0] != drawn[1]
        for sample in drawn:
            assert (np.abs(np.bincount(sample, minlength=8) - 400 * shares) < 4 * deviations).all()


def test_heavy_rows_are_in_both_samples_and_rows_that_weigh_next_to_nothing_in_none() -> None:
    heavy = EIGHT.with_weights([1e-12, 1e-12, 1, 1e-12, 1e-12, 1, 1e-12, 1e-12])
    drawn = TwoSamples().run(heavy, np.random.default_rng(0)).outputs
    assert set(drawn["training"][0].origins.tolist()) == set(drawn["test"][0].origins.tolist()) == {2, 5}


def test_other_validators_take_it_as_a_single_pass() -> None:
    with Project() as project:
        given = project.given(EIGHT)
        done = project.run(RefinedTree(DecisionTree(), CostComplexity(passes=TwoSamples()), seed=4), data=given)
        assert done.outputs["tree"].weights[0] == 8
        assert [len(sample) for sample in origins(done)] == [8, 8]


def test_a_fair_test_on_the_second_sample_is_refused() -> None:
    test = Scheme(training=Data, test=Data)
    tree = test.add(DecisionTree(), data=test.training)
    test.add(ClassificationTest(), data=test.test, classifier=tree.classifier)
    with Project() as project, pytest.raises(MachineFailed, match="learned from targets of rows that are tested here"):
        project.run(Repeater(TwoSamples(), test, seed=1), data=project.given(EIGHT))


def test_no_rows_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="TwoSamples: at least one row is needed, got none"):
        TwoSamples().run(EIGHT.select_rows([]), np.random.default_rng(0))
