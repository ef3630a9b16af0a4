"""Steps: linear and exponential, ints where all are ints, decimal as written, within bounds."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.classifiers import KNN, SVM
from intemi.machines.search import Steps
from tests.search.driving import candidates_of


def test_the_values_of_c_are_those_of_the_book() -> None:
    values = Steps("svm.C", base=2, start=-1, step=2, count=7).values()
    assert values == (0.5, 2, 8, 32, 128, 512, 2048)
    assert {type(value) for value in values} == {float}


def test_all_values_are_proposed_at_once_in_order() -> None:
    assert [each["k"] for each in candidates_of(Steps("k", start=9, step=-4, count=3))] == [9, 5, 1]


@given(start=st.integers(-50, 50), step=st.integers(-9, 9).filter(bool), count=st.integers(1, 9))
def test_whole_linear_steps_are_a_range_of_ints(start: int, step: int, count: int) -> None:
    values = Steps("k", start, step, count).values()
    assert values == tuple(range(start, start + count * step, step))
    assert all(type(value) is int for value in values)


@given(start=st.decimals(-9, 9, places=3), step=st.decimals("0.001", 2, places=3), count=st.integers(1, 20))
def test_decimal_steps_are_the_numbers_that_one_would_type(start: Decimal, step: Decimal, count: int) -> None:
    values = Steps("x", float(start), float(step), count).values()
    assert values == tuple(float(start + index * step) for index in range(count))
    assert all(type(value) is float for value in values)


@given(base=st.sampled_from([2, 10]), start=st.integers(-9, 9), step=st.integers(1, 3), count=st.integers(1, 5))
def test_powers_are_ints_exactly_if_all_are_whole(base: int, start: int, step: int, count: int) -> None:
    values = Steps("x", start, step, count, base=base).values()
    assert values == tuple(base**exponent for exponent in range(start, start + count * step, step))
    assert {type(value) for value in values} == {int if start >= 0 else float}
    assert {type(value) for value in Steps("x", start, step, count, base=float(base)).values()} == {float}


def test_ints_are_taken_by_whole_and_by_real_parameters() -> None:
    for candidate in candidates_of(Steps("k", base=2, start=0, step=1, count=3)):
        assert candidate.applied_to(KNN()).k == candidate["k"]
    assert candidates_of(Steps("C", start=3, step=1, count=1))[0].applied_to(SVM()) == SVM(C=3.0)


def test_ints_stay_ints_between_and_beyond_the_steps() -> None:
    linear = Steps("k", start=1, step=2, count=3)
    assert [linear.value(position) for position in (0.25, 1.5, 4)] == [2, 4, 9]
    powers = Steps("k", base=2, start=0, step=1, count=3)
    assert [powers.value(position) for position in (-3, 1.5, 2.5)] == [1, 3, 6]
    assert all(type(each.value(position)) is int for each in (linear, powers) for position in (-1.5, 0.3, 7.7))


def test_reals_between_the_steps_are_real() -> None:
    assert Steps("C", base=2, start=-1, step=2, count=3).value(0.25) == pytest.approx(2**-0.5)
    assert Steps("x", start=0.1, step=0.2, count=3).value(0.5) == 0.2


def test_values_stay_within_bounds() -> None:
    assert Steps("k", start=-3, step=4, count=4, at_least=1, at_most=7).values() == (1, 1, 5, 7)
    bounded = Steps("x", start=0.5, step=1, count=2, at_least=0, at_most=1)
    assert bounded.values() == (0.5, 1.0)
    assert [type(value) for value in bounded.values()] == [float, float]
    assert [each["k"] for each in candidates_of(Steps("k", start=0, step=1, count=4, at_most=2.5))] == [0, 1, 2]


def test_what_is_too_large_for_a_float_ends_at_the_bound_or_is_refused() -> None:
    assert Steps("x", base=2.0, start=1000, step=100, count=2, at_most=1e9).values() == (1e9, 1e9)
    with pytest.raises(ConfigurationError, match="Steps: the value of x at step 1 is too large; set at_most"):
        Steps("x", base=2.0, start=1000, step=100, count=2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0}, "Steps: count must be at least 1, got 0"),
        ({"step": 0}, "Steps: step must not be 0"),
        ({"base": 1}, "Steps: base must not be 1"),
        ({"base": -2}, "Steps: base must be above 0, got -2"),
        ({"start": math.inf}, "Steps: start must be finite, got inf"),
        ({"at_least": math.nan}, "Steps: at_least must be finite, got nan"),
        ({"at_least": 3, "at_most": 2}, "Steps: at_least must be at most at_most, 2, got 3"),
        ({"path": "a..b"}, "Steps: a path must be written like"),
        ({"start": "1"}, "Steps: start must be an int or a float, got '1'"),
    ],
)
def test_steps_that_lead_nowhere_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Steps(**{"path": "x", "start": 0, "step": 1, "count": 3, **given})
