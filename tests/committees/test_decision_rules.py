"""Decision rules and tie rules, on arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intemi.kernel import ConfigurationError
from intemi.machines import (
    Average,
    LargestMeanProbability,
    LargestPrior,
    LeastCostRule,
    LowestClass,
    MaximumRule,
    MedianRule,
    MinimumRule,
    ProductRule,
    RandomClass,
    Support,
    Vote,
    WeightedAverage,
    WeightedVote,
)
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.decision_rules import DecisionRule
from intemi.machines.committees.tie_rules import decision, decisions

RULES = [
    Vote(),
    Vote(inner="split"),
    WeightedVote(),
    Average(),
    WeightedAverage(),
    Support(),
    ProductRule(),
    MinimumRule(),
    MaximumRule(),
    MedianRule(),
    LeastCostRule(cost=((0, 1, 2), (1, 0, 1), (4, 1, 0)), rule=Average()),
]


def answers(probabilities: object, weights: object = None, priors: object = None) -> Answers:
    """Members × rows × classes; labels are the most probable classes."""
    told = np.array(probabilities, dtype=float)
    members, rows, classes = told.shape
    return Answers(
        weights=np.ones(members) if weights is None else np.array(weights, dtype=float),
        priors=np.full(classes, 1 / classes) if priors is None else np.array(priors),
        rows=np.arange(rows, dtype=np.int32),
        labels=np.where(told.sum(axis=2) > 0, told.argmax(axis=2), -1).astype(np.int32),
        probabilities=told,
        supports=10 * told,
    )


tables = st.integers(1, 5).flatmap(
    lambda members: arrays(
        np.float64, (members, 4, 3), elements=st.floats(0, 1).map(lambda share: round(share, 2)), fill=st.nothing()
    )
)


@given(tables)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_last_of_the_running_scores_are_those_of_all_members(rule: DecisionRule, told: np.ndarray) -> None:
    given = answers(told, np.arange(len(told)) + 0.5)
    running = list(rule.running(given))
    assert len(running) == len(told)
    np.testing.assert_array_equal(running[-1], rule.scores(given))
    for size, scores in enumerate(running, 1):
        np.testing.assert_array_equal(scores, rule.scores(given.first(size)))


@given(tables)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_probabilities_of_a_committee_add_up_to_one(rule: DecisionRule, told: np.ndarray) -> None:
    _, shares = decision(rule, LowestClass(), answers(told))
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (shares >= 0).all()


@given(tables, st.integers(1, 4))
@pytest.mark.parametrize("rule", [Vote(), Average(), MinimumRule(), MaximumRule(), MedianRule()], ids=repr)
def test_a_committee_of_equal_members_is_the_member(rule: DecisionRule, told: np.ndarray, count: int) -> None:
    member = answers(told[:1])
    several = answers(np.repeat(told[:1], count, axis=0))
    alone, together = decision(rule, LowestClass(), member), decision(rule, LowestClass(), several)
    np.testing.assert_array_equal(alone[0], together[0])
    np.testing.assert_allclose(alone[1], together[1], atol=1e-12)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_members_that_abstain_are_skipped(rule: DecisionRule) -> None:
    some = answers([[[0.2, 0.5, 0.3]], [[0.1, 0.2, 0.7]]])
    more = answers([[[0.2, 0.5, 0.3]], [[0, 0, 0]], [[0.1, 0.2, 0.7]]])
    np.testing.assert_allclose(rule.scores(more), rule.scores(some))
    left_out = answers([[[0.2, 0.5, 0.3]], [[0.9, 0.1, 0]], [[0.1, 0.2, 0.7]]]).without(
        np.array([[False], [True], [False]])
    )
    np.testing.assert_allclose(rule.scores(left_out), rule.scores(some))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_where_every_member_abstains_the_priors_decide(rule: DecisionRule) -> None:
    labels, shares = decision(rule, LowestClass(), answers(np.zeros((2, 1, 3)), priors=[0.2, 0.5, 0.3]))
    assert shares.tolist() == [[0.2, 0.5, 0.3]]
    if not isinstance(rule, LeastCostRule):
        assert labels.tolist() == [1]


def test_a_product_of_many_small_probabilities_does_not_vanish() -> None:
    told = np.tile([[[1e-5, 2e-5, 1 - 3e-5]], [[2e-5, 1 - 3e-5, 1e-5]]], (200, 1, 1))
    _, shares = decision(ProductRule(), LowestClass(), answers(told))
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1)


def test_a_product_that_is_zero_for_all_classes_falls_back_to_the_average() -> None:
    _, shares = decision(ProductRule(), LowestClass(), answers([[[1, 0]], [[0, 1]], [[0, 1]]]))
    assert shares.tolist() == [[1 / 3, 2 / 3]]


def test_ties_go_where_the_tie_rule_says() -> None:
    tied = answers([[[0.6, 0.4, 0]], [[0, 0.9, 0.1]]], priors=[0.5, 0.2, 0.3])
    assert decision(Vote(), LowestClass(), tied)[0].tolist() == [0]
    assert decision(Vote(), LargestMeanProbability(), tied)[0].tolist() == [1]
    assert decision(Vote(), LargestPrior(), tied)[0].tolist() == [0]


def test_a_random_tie_depends_on_the_row_and_the_seed_alone() -> None:
    told = answers(np.tile([[[1.0, 0]], [[0, 1.0]]], (1, 200, 1)))
    whole = decision(Vote(), RandomClass(seed=5), told)[0]
    assert 60 < whole.sum() < 140
    part = np.arange(50, 80)
    np.testing.assert_array_equal(decision(Vote(), RandomClass(seed=5), told.at(part))[0], whole[part])
    assert (decision(Vote(), RandomClass(seed=6), told)[0] != whole).any()


def test_scores_that_differ_by_rounding_alone_are_tied() -> None:
    tied = answers([[[0.1 + 0.2, 0.3, 0.4]], [[0.4, 0.4, 0.2]]], priors=[0.2, 0.5, 0.3])
    assert decision(Average(), LargestPrior(), tied)[0].tolist() == [1]


def test_decisions_of_all_sizes_are_those_of_each_size() -> None:
    rng = np.random.default_rng(1)
    told = answers(rng.dirichlet(np.ones(3), (7, 20)), rng.random(7))
    for rule in RULES:
        for size, (labels, shares) in enumerate(decisions(rule, LargestMeanProbability(), told), 1):
            single = decision(rule, LargestMeanProbability(), told.first(size))
            np.testing.assert_array_equal(labels, single[0])
            np.testing.assert_array_equal(shares, single[1])


def test_costs_must_be_for_as_many_classes() -> None:
    with pytest.raises(ConfigurationError, match="LeastCostRule: cost is for 2 classes, but the data have 3"):
        decision(LeastCostRule(cost=((0, 1), (1, 0))), LowestClass(), answers([[[1, 0, 0]]]))
