from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.analysis import SignTest
from intemi.analysis.distributions import two_sided_binomial
from intemi.series import Series


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_binomial_probability_is_that_of_scipy(wins: int, losses: int) -> None:
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert two_sided_binomial(wins, wins + losses) == pytest.approx(expected, rel=1e-9)


def test_of_an_odd_number_of_zeros_one_is_dropped_when_they_are_split() -> None:
    first, second = Series({"x": [3, 3, 3, 2, 2, 2]}), Series({"x": [1, 1, 1, 2, 2, 2]})
    found = SignTest(zeros="split")(first, second).row(0)
    assert (found["higher"], found["equal"], found["n"]) == (3, 3, 5)
    assert found["p"] == pytest.approx(stats.binomtest(4, 5).pvalue)


def test_no_difference_at_all_is_a_draw() -> None:
    same = Series({"x": [0.9, 0.8]})
    assert SignTest()(same, same).row(0)["p"] == 1
