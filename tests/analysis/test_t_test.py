from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.analysis import InvalidComparison, TTest
from intemi.series import Series

scores = st.lists(st.integers(0, 100), min_size=2, max_size=15).filter(lambda values: len(set(values)) > 1)


@given(scores, scores, st.booleans())
def test_t_is_that_of_scipy_for_any_samples_that_vary(first: list[int], second: list[int], equal: bool) -> None:
    found = TTest(variances="equal" if equal else "unequal")(Series({"x": first}), Series({"x": second})).row(0)
    expected = stats.ttest_ind(first, second, equal_var=equal)
    assert found["t"] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found["n"], found["n of second"]) == (len(first), len(second))


def test_samples_without_spread_are_equal_or_infinitely_far_apart() -> None:
    same, higher = Series({"x": [0.1 + 0.2, 0.3]}), Series({"x": [0.5, 0.5]})
    assert TTest()(same, same).row(0)["p"] == 1
    found = TTest(variances="unequal")(same, higher).row(0)
    assert (found["t"], found["p"]) == (-math.inf, 0)


def test_samples_of_different_data_or_of_one_item_are_refused() -> None:
    iris, wine = (Series({"Accuracy": [0.9, 0.8], "data": [name] * 2}) for name in ("iris", "wine"))
    with pytest.raises(InvalidComparison, match=r"TTest: the items are of 2 data sets \(iris, wine\)"):
        TTest()(iris, wine)
    with pytest.raises(InvalidComparison, match="TTest: both series must have at least 2 items, got 2 and 1"):
        TTest()(iris, iris[:1])
