"""Rules: 1R and CN2, what they find and what they do where nothing fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from intemi.data import Column, Data, Table
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode_once
from intemi.machines import CN2, OneR
from intemi.machines.classifiers.rule_conditions import RuleCondition
from intemi.machines.classifiers.rule_set import RuleSet
from tests.learning.tables import CLASSES, classified, duplicated, mixed, nominal, numeric, outputs

SIGNS = Column("class", ("+", "-"))
TOY = Data(Table([Column("x")], [np.arange(10)], SIGNS, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]))


def test_one_rule_with_buckets_of_three_is_that_of_weka() -> None:
    rule = outputs(OneR(bucket=3), data=TOY)["classifier"]
    assert rule.cuts.tolist() == [2.5, 5.5, 8.5]
    assert (rule.classify(TOY) == TOY.classes).all()


@pytest.mark.parametrize("bucket", [7, 10])
def test_one_rule_with_a_bucket_too_large_answers_the_majority(bucket: int) -> None:
    rule = outputs(OneR(bucket=bucket), data=TOY)["classifier"]
    assert len(rule.cuts) == 0
    assert set(rule.classify(TOY).tolist()) == {0}


def test_missing_values_are_a_category_of_one_rule() -> None:
    data = nominal([0, 0, 1, np.nan, np.nan], classes=[0, 0, 1, 2, 2])
    rule = outputs(OneR(), data=data)["classifier"]
    assert rule.classify(data).tolist() == [0, 0, 1, 2, 2]


def test_without_features_one_rule_answers_the_majority() -> None:
    data = Data(Table([], np.empty((0, 3)), CLASSES, [1, 1, 0]))
    assert outputs(OneR(), data=data)["classifier"].classify(data).tolist() == [1, 1, 1]


def test_rules_that_fire_together_add_up_what_they_cover() -> None:
    data = nominal([0, 0, 1, 1, 0], [0, 1, 0, 1, 2], classes=[0, 0, 0, 1, 2])
    coverage = np.packbits(np.array([[1, 1, 0, 0, 1], [1, 0, 1, 0, 0]], dtype=bool), axis=1)
    conditions = (RuleCondition(0, "=", 0.0),), (RuleCondition(1, "=", 0.0),)
    rules = RuleSet(data.columns, data.labels, conditions, coverage, data.classes, data.weights)
    both, neither = data.select_rows([0]), data.select_rows([3])
    assert rules.probabilities(both).tolist() == [[0.8, 0.0, 0.2]]  # 2 of 3, and 2 of 2
    assert rules.supports(both).tolist() == [[3.0, 0.0, 1.0]]  # the first row once
    assert rules.probabilities(neither).tolist() == [[0.6, 0.2, 0.2]]
    assert rules.supports(neither).tolist() == [[3.0, 1.0, 1.0]]


def test_rules_say_what_they_ask() -> None:
    data = mixed(missing=0)
    text = str(outputs(CN2(), data=data)["classifier"])
    assert all(line.startswith("if ") and " then " in line for line in text.splitlines())


def test_a_conjunction_that_no_single_condition_shows_is_found() -> None:
    first, second = np.array([0, 0, 1, 1] * 5), np.array([0, 1, 0, 1] * 5)
    data = nominal(first, second, classes=(first == second).astype(int))
    rules = outputs(CN2(), data=data)["classifier"]
    assert (rules.classify(data) == data.classes).all()


@given(classified())
def test_rules_cover_the_rows_that_they_say(data: Data) -> None:
    rules = outputs(CN2(), data=data)["classifier"]
    assert (rules.fired(data) == np.unpackbits(rules.covered, axis=1, count=len(data)).T).all()
    again = decode(encode_once(rules))
    assert (again.probabilities(data) == rules.probabilities(data)).all()


@given(classified())
def test_a_weight_is_as_good_as_copies_to_rules(data: Data) -> None:
    rules, copied = (outputs(CN2(), data=each)["classifier"] for each in (data, duplicated(data)))
    assert rules.rules == copied.rules
    assert np.allclose(rules.probabilities(data), copied.probabilities(data))


def test_an_infinite_threshold_is_not_needed() -> None:
    data = numeric([1.0, 2.0, 3.0, 4.0], classes=[0, 0, 1, 1])
    assert str(outputs(CN2(), data=data)["classifier"]).splitlines()[0] == "if x0 <= 2.5 then a (2, 0, 0)"
