from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.analysis import InvalidComparison, MannWhitney
from intemi.kernel import ConfigurationError
from intemi.series import Series

samples = st.lists(st.integers(0, 12), min_size=1, max_size=6)
distinct = st.lists(st.integers(0, 10**6), min_size=2, max_size=20, unique=True)


@given(distinct, st.integers(1, 19))
def test_the_exact_test_is_scipys_where_there_are_no_ties(values: list[int], size: int) -> None:
    size = min(size, len(values) - 1)
    first, second = values[:size], values[size:]
    found = MannWhitney(distribution="exact")(Series({"x": first}), Series({"x": second})).row(0)
    expected = stats.mannwhitneyu(first, second, method="exact")
    assert found["U"] == expected.statistic
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-9)


@given(samples, samples)
def test_with_ties_the_exact_test_counts_all_arrangements(first: list[int], second: list[int]) -> None:
    ranks = stats.rankdata([*first, *second])
    mean = ranks.mean() * len(first)
    sums = [ranks[list(chosen)].sum() for chosen in combinations(range(len(ranks)), len(first))]
    observed = abs(ranks[: len(first)].sum() - mean)
    expected = np.mean([abs(each - mean) >= observed - 1e-9 for each in sums])
    found = MannWhitney()(Series({"x": first}), Series({"x": second})).row(0)
    assert found["p"] == pytest.approx(expected, rel=1e-9)
    assert found["U"] == stats.mannwhitneyu(first, second, method="asymptotic").statistic


@given(st.lists(st.integers(0, 30), min_size=2, max_size=40), st.lists(st.integers(0, 30), min_size=2, max_size=40))
def test_the_normal_approximation_is_scipys(first: list[int], second: list[int]) -> None:
    found = MannWhitney(distribution="normal")(Series({"x": first}), Series({"x": second})).row(0)
    expected = stats.mannwhitneyu(first, second, method="asymptotic").pvalue
    assert found["p"] == pytest.approx(1.0 if np.isnan(expected) else expected, rel=1e-9)


def test_it_says_which_variant_it_is_and_refuses_what_means_nothing() -> None:
    few, many = Series({"x": [1, 2, 3]}), Series({"x": list(range(21))})
    assert "exact distribution" in MannWhitney()(few, few).row(0)["variant"]
    assert "normal approximation" in MannWhitney()(few, many).row(0)["variant"]
    with pytest.raises(InvalidComparison, match="one of them is empty"):
        MannWhitney()(few, Series({"x": []}))
    with pytest.raises(InvalidComparison, match="the main labels must be the same"):
        MannWhitney()(few, Series({"y": [1.0]}))
    with pytest.raises(ConfigurationError, match="distribution must be one of 'automatic', 'exact', 'normal'"):
        MannWhitney(distribution="t")  # type: ignore[arg-type]
