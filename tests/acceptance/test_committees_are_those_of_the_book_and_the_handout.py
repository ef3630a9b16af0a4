"""Committees, samples and boosting give the numbers of worked examples, of which a handout has some."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines import (
    SAMME,
    AdaBoost,
    AdaBoostAlpha,
    AdaBoostM2,
    ArcX4,
    Average,
    Averaged,
    AveragedConservative,
    AveragedConservativeNormalized,
    Boosting,
    BoostUpdate,
    Conservative,
    CostBoosting,
    DecisionStump,
    Inverse,
    LargestMeanProbability,
    LowestClass,
    MaximumRule,
    MedianRule,
    MinimumRule,
    ProductRule,
    UpdateRule,
    Vote,
)
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.bootstrap_estimates import err632, err632_plus, share_drawn
from intemi.machines.committees.decision_rules import DecisionRule
from intemi.machines.committees.sampling import roulette
from intemi.machines.committees.tie_rules import decision, decisions
from intemi.machines.committees.update_rules import Round

PRECISION = 1.5e-6
"""The examples have six digits."""


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, atol=PRECISION, rtol=0)


def signs(text: str) -> np.ndarray:
    """Classes of + (0) and − (1)."""
    return np.array(["+-".index(each) for each in text.replace("−", "-")], dtype=np.int32)


def members(*labels: np.ndarray, weights: Any = None) -> Answers:
    count = len(labels)
    votes = np.ones(count) if weights is None else np.array(weights)
    rows = np.arange(len(labels[0]), dtype=np.int32)
    return Answers(votes, np.ones(2) / 2, rows, labels=np.array(labels))


# Decision rules (V2, V3)

FOUR = np.array([[0.40, 0.35, 0.25], [0.10, 0.50, 0.40], [0.45, 0.10, 0.45], [0.30, 0.30, 0.40]])[:, None, :]


@pytest.mark.parametrize(
    ("rule", "answer", "shares"),
    [
        (Vote(), 0, (0.5, 0.25, 0.25)),
        (Average(), 2, (0.3125, 0.3125, 0.375)),
        (ProductRule(), 2, (0.188482, 0.183246, 0.628272)),
        (MaximumRule(), 1, np.array((0.45, 0.5, 0.45)) / 1.4),
        (MinimumRule(), 2, np.array((0.1, 0.1, 0.25)) / 0.45),
        (MedianRule(), 2, np.array((0.35, 0.325, 0.4)) / 1.075),
    ],
    ids=repr,
)
def test_four_members_decide_by_each_rule(rule: DecisionRule, answer: int, shares: Any) -> None:
    answers = Answers(
        np.ones(4), np.ones(3) / 3, np.arange(1), labels=FOUR.argmax(axis=2).astype(np.int32), probabilities=FOUR
    )
    labels, probabilities = decision(rule, LowestClass(), answers)
    assert labels.tolist() == [answer]
    close(probabilities[0], shares)


def test_votes_that_are_split_and_ties_that_go_by_probability_answer_otherwise() -> None:
    answers = Answers(np.ones(4), np.ones(3) / 3, np.arange(1), probabilities=FOUR)
    close(Vote(inner="split").scores(answers)[0], (2, 1, 2))
    assert decision(Vote(inner="split"), LargestMeanProbability(), answers)[0].tolist() == [2]


TRUE = signs("++-++----+")
FIVE = [signs(text) for text in ("++--++---+", "+-+++----+", "+++++--+-+", "-+++--+--+", "++-++----+")]


def test_bagging_by_hand() -> None:
    errors = [int((each != TRUE).sum()) for each in FIVE]
    assert errors == [2, 2, 2, 4, 0]
    answers = members(*FIVE)
    sizes = [int((labels != TRUE).sum()) for labels, _ in decisions(Vote(), LowestClass(), answers)]
    assert sizes == [2, 2, 1, 1, 1]
    labels, _ = decision(Vote(), LowestClass(), answers)
    assert np.flatnonzero(labels != TRUE).tolist() == [2]
    assert labels.tolist() == signs("+++++----+").tolist()
    swapped = members(*[1 - each for each in FIVE])  # ties go to − now
    assert [int((1 - each != TRUE).sum()) for each, _ in decisions(Vote(), LowestClass(), swapped)][1] == 2


# Samples (V4 to V6)


@pytest.mark.parametrize(
    ("rows", "share"), [(2, 0.75), (10, 0.651322), (23, 0.640266), (24, 0.639921), (1000, 0.632305)]
)
def test_the_share_of_rows_in_a_sample(rows: int, share: float) -> None:
    close(share_drawn(rows), share)


def test_estimates_of_the_error() -> None:
    close(err632(0.05, 0.30), 0.208)
    close(err632_plus(0.05, 0.30, 0.5), 0.248603)
    close(err632_plus(0, 0.25, 0.5), 0.193627)
    assert err632_plus(0.3, 0.2, 0.5) == err632(0.3, 0.2)  # no overfitting


def test_the_roulette_wheel_chooses_the_objects_of_the_handout() -> None:
    weights = np.array([2, 1, 4, 4, 16, 1, 4, 2, 1, 1]) / 36
    draws = np.array([165, 327, 48, 348, 128, 142, 230, 337, 11, 106]) / 360
    assert (roulette(weights, draws) + 1).tolist() == [5, 8, 3, 9, 5, 5, 5, 8, 1, 4]
    assert (roulette(weights, np.array([20, 20.001, 360]) / 360) + 1).tolist() == [1, 2, 10]


# Boosting (V7 to V13, V22)


@pytest.mark.parametrize("rule", [AdaBoost(), AdaBoostAlpha()])
def test_adaboost_by_hand(rule: UpdateRule) -> None:
    given = Round(np.full(10, 0.1), signs("+-+++----+"), signs("++--++---+"), classes=2)
    assert np.flatnonzero(given.wrong).tolist() == [1, 2, 3, 5]
    error = rule.error(given)
    close(error, 0.4)
    close(rule.updated(given, error).shares, np.where(given.wrong > 0, 0.125, 1 / 12))
    close(AdaBoost().vote(error, 2), 0.4054651)
    close(AdaBoostAlpha().vote(error, 2), 0.2027326)


TOY = Data(Table([Column("x")], [range(10)], Column("class", ("+", "-")), signs("+++---+++-")))


def test_adaboost_of_stumps() -> None:
    with Project() as project:
        boosting = project.run(Boosting(DecisionStump(), size=6), data=project.given(TOY))
        updates = [each for each in boosting.children if each.name == "update"]
        weights = [step.outputs["updated"].shares for step in updates]
        errors = project.query(boosting, type=BoostUpdate, labels=["Error"]).values
    close(errors, [0.3, 0.214286, 0.181818, 0.194444, 0.189655, 0.191489])
    close(boosting.outputs["votes"][:3], [0.847298, 1.299283, 1.504077])
    groups = [0, 3, 6, 9]
    close(weights[0][groups], (0.071429, 0.071429, 0.166667, 0.071429))
    close(weights[1][groups], (0.045455, 0.166667, 0.106061, 0.045455))
    close(weights[2][groups], (0.125000, 0.101852, 0.064815, 0.125000))
    stumps = [str(each.tree).splitlines()[0] for each in boosting.outputs["members"][:3]]
    assert [each.split(" (")[0] for each in stumps] == ["x <= 2.5: +", "x <= 8.5: +", "x <= 5.5: -"]


def test_three_stumps_get_everything_right() -> None:
    with Project() as project:
        committee = project.run(Boosting(DecisionStump(), size=3), data=project.given(TOY)).outputs["classifier"]
    scores = committee.rule.scores(committee.member_answers(TOY))
    close((scores[:, 0] - scores[:, 1])[[0, 3, 6, 9]], (0.642503, -1.052092, 1.956063, -0.642503))
    assert committee.classify(TOY).tolist() == TOY.classes.tolist()


@pytest.mark.parametrize(
    ("rule", "first", "error", "second"),
    [
        (AdaBoost(), (0.5, 0.125), 0.125, (0.285714, 0.5, 0.071429)),
        (Conservative(), (0.333333, 0.166667), 0.166667, (0.276393, 0.309017, 0.138197)),
        (Inverse(), (0.111111, 0.222222), 0.222222, (0.123930, 0.132487, 0.247861)),
        (Averaged(), (0.35, 0.1625), 0.1625, (0.302985, 0.275, 0.140672)),
        (AveragedConservative(), (0.25, 0.1875), 0.1875, (0.240551, 0.218208, 0.180413)),
        (AveragedConservativeNormalized(), (0.266667, 0.183333), 0.183333, (0.251630, 0.229383, 0.172996)),
    ],
    ids=lambda each: repr(each) if isinstance(each, UpdateRule) else "",
)
def test_variants_of_boosting(rule: UpdateRule, first: Any, error: float, second: Any) -> None:
    true = np.zeros(5, dtype=np.int32)
    one = Round(np.full(5, 0.2), true, np.array([1, 0, 0, 0, 0]), classes=2, step=1)
    after_one = rule.updated(one, rule.error(one)).shares
    close(after_one[:2], first)
    two = Round(after_one, true, np.array([0, 1, 0, 0, 0]), classes=2, step=2)
    close(rule.error(two), error)
    close(rule.updated(two, rule.error(two)).shares[:3], second)


def test_arc_x4_weighs_by_the_number_of_errors() -> None:
    given = Round(
        np.full(5, 0.2), np.zeros(5), np.array([1, 0, 0, 1, 0]), classes=2, memory=np.array([2.0, 1, 0, 1, 0])
    )
    close(ArcX4().updated(given, 0.4).shares, (0.796117, 0.019417, 0.009709, 0.165049, 0.009709))


def test_samme_has_votes_and_weights_for_several_classes() -> None:
    for classes, error, vote in ((3, 0.3, 1.540445), (3, 0.5, 0.693147), (10, 0.85, 0.462624), (3, 2 / 3, 0)):
        close(SAMME().vote(error, classes), vote)
    for wrong, shares in ((2, (1 / 3, 1 / 12)), (3, (2 / 9, 1 / 9))):
        given = Round(np.full(6, 1 / 6), np.zeros(6), (np.arange(6) < wrong).astype(np.int32), classes=3)
        close(SAMME().updated(given, SAMME().error(given)).shares[[0, -1]], shares)


def test_adaboost_m2() -> None:
    probabilities = np.array([(0.6, 0.3, 0.1), (0.2, 0.5, 0.3), (0.3, 0.4, 0.3), (0.2, 0.7, 0.1)])
    true = np.array([0, 1, 2, 0], dtype=np.int32)
    given = Round(np.full(4, 0.25), true, probabilities.argmax(axis=1), 3, probabilities=probabilities)
    error = AdaBoostM2().error(given)
    close(error, 0.45)
    new = AdaBoostM2().updated(given, error)
    assert new.memory is not None
    close(new.memory[0], (0, 0.122465, 0.120032))
    close(new.memory[3], (0, 0.132701, 0.124948))
    close(new.shares, (0.242498, 0.246166, 0.253688, 0.257648))


def test_cost_boosting_by_hand() -> None:
    true = np.array([0] * 10 + [1] * 5, dtype=np.int32)
    rule = CostBoosting(cost=((0, 2), (1, 0)))  # 2 for answering + where − is right, 1 the other way round
    answers = [true.copy(), true.copy()]
    for given, wrong in zip(answers, ([2, 4, 5, 8, 14], [4, 6, 8, 13]), strict=True):
        given[np.array(wrong) - 1] = 1 - given[np.array(wrong) - 1]
    first = Round(np.full(15, 1 / 15), true, answers[0], classes=2)
    close(rule.error(first), 1 / 3)
    close(rule.vote(1 / 3, 2), 0.346574)
    after_one = rule.updated(first, 1 / 3).shares
    close(after_one, np.where(np.arange(1, 16) == 14, 0.125, 0.0625))
    second = Round(after_one, true, answers[1], classes=2)
    close(rule.error(second), 0.25)
    close(rule.vote(0.25, 2), 0.549306)
    expected = np.full(15, 0.057692)
    expected[[3, 5, 7]], expected[12], expected[13] = 0.061538, 0.123077, 0.115385
    close(rule.updated(second, 0.25).shares, expected)
    both = members(*answers, weights=[rule.vote(1 / 3, 2), rule.vote(0.25, 2)])
    labels, shares = decision(rule.rule, LowestClass(), both)
    assert (np.flatnonzero(labels == 0) + 1).tolist() == [1, 3, 7, 9, 10]
    costs = -rule.rule.preferences(shares)[1] * (0.346574 + 0.549306)
    close(costs, (0.693147, 0.549306))


def test_boosting_ends_where_nothing_is_wrong() -> None:
    data = Data(Table([Column("x")], [range(4)], Column("class", ("+", "-")), signs("++--")))
    with Project() as project:
        for zero in ("clip_stop", "weka", "sklearn"):
            found = project.run(Boosting(DecisionStump(), zero=zero), data=project.given(data))
            assert found.results["Members"] == 1
            assert found.outputs["classifier"].classify(data).tolist() == [0, 0, 1, 1]
        close(project.run(Boosting(DecisionStump()), data=project.given(data)).outputs["votes"], [np.log(7)])


def test_where_no_boosting_is_possible_one_member_decides() -> None:
    data = Data(Table([Column("x")], [[1] * 9], Column("class", ("a", "b", "c")), [0, 1, 2] * 3))
    with Project() as project:
        found = project.run(Boosting(DecisionStump(), variant=SAMME()), data=project.given(data))
        errors = project.query(found, type=BoostUpdate, labels=["Error"]).values
    close(errors, [2 / 3])
    assert found.results == {"Members": 1, "Status": "no boosting possible"}
    assert len(found.outputs["classifier"].members) == 1
