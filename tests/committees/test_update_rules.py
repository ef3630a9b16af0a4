"""Properties of the update rules of boosting, for any weights and answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines import (
    SAMME,
    AdaBoost,
    AdaBoostAlpha,
    AdaBoostM2,
    ArcX4,
    Averaged,
    AveragedConservative,
    AveragedConservativeNormalized,
    Conservative,
    CostBoosting,
    Inverse,
    LeastCostRule,
    UpdateRule,
)
from intemi.machines.classifiers.training import one_hot
from intemi.machines.committees.update_rules import Round

RULES = [
    AdaBoost(),
    AdaBoostAlpha(),
    Conservative(),
    Inverse(),
    Averaged(),
    AveragedConservative(),
    AveragedConservativeNormalized(),
    SAMME(),
    ArcX4(),
    AdaBoostM2(),
    CostBoosting(cost=((0, 2), (1, 0))),
]


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """A round of two classes whose member is better than chance and not perfect."""
    size = draw(st.integers(3, 12))
    weights = np.array(draw(st.lists(st.floats(0.01, 1), min_size=size, max_size=size)))
    true = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)), dtype=np.int32)
    wrong = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    answers = np.where(wrong, 1 - true, true).astype(np.int32)
    step = draw(st.integers(1, 9))
    made = Round(weights / weights.sum(), true, answers, 2, step, probabilities=one_hot(answers, 2))
    assume(0.001 < made.shares @ made.wrong < 0.499)
    return made


@given(rounds())
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_weights_add_up_to_one_after_every_update(rule: UpdateRule, given: Round) -> None:
    shares = rule.updated(given, rule.error(given)).shares
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert (shares >= 0).all()


@given(rounds())
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_votes_are_never_negative(rule: UpdateRule, given: Round) -> None:
    assert rule.vote(rule.error(given), 2) >= 0


@given(rounds())
@pytest.mark.parametrize("rule", [AdaBoost(), AdaBoostAlpha(), SAMME(), AdaBoostM2()], ids=lambda rule: rule.kind)
def test_half_of_the_weight_is_on_what_was_wrong(rule: UpdateRule, given: Round) -> None:
    shares = rule.updated(given, rule.error(given)).shares
    assert abs(shares @ given.wrong - 0.5) < 1e-12


@given(rounds())
@pytest.mark.parametrize("rule", [AdaBoostAlpha(), SAMME(), AdaBoostM2()], ids=lambda rule: rule.kind)
def test_of_two_classes_these_are_adaboost(rule: UpdateRule, given: Round) -> None:
    plain = AdaBoost().updated(given, AdaBoost().error(given)).shares
    assert rule.error(given) == pytest.approx(AdaBoost().error(given))
    np.testing.assert_allclose(rule.updated(given, rule.error(given)).shares, plain, atol=1e-12)


def test_inverse_boosting_looks_away_from_what_was_wrong() -> None:
    given = Round(np.full(4, 0.25), np.zeros(4), np.array([1, 0, 0, 0]), classes=2)
    assert Inverse().updated(given, 0.25).shares[0] < 0.25 < Conservative().updated(given, 0.25).shares[0]


@pytest.mark.parametrize("kind", [CostBoosting, LeastCostRule])
def test_a_right_answer_costs_nothing(kind: type[CostBoosting] | type[LeastCostRule]) -> None:
    with pytest.raises(ConfigurationError, match=f"{kind.__name__}: cost must be 0 where the answer is right"):
        kind(cost=((1, 2), (1, 0)))
