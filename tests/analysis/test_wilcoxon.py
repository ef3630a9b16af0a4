from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.analysis import Wilcoxon
from intemi.analysis.wilcoxon import exact_probability
from intemi.kernel import ConfigurationError
from intemi.series import Series


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(0, 255))
def test_the_exact_distribution_is_that_of_all_signs(sizes: list[int], chosen: int) -> None:
    ranks = stats.rankdata(sizes)
    sums = [float(np.dot(ranks, signs)) for signs in product((1, -1), repeat=len(sizes))]
    w = abs(sums[chosen % len(sums)])
    assert exact_probability(ranks, w) == pytest.approx(np.mean([abs(each) >= w for each in sums]), abs=1e-12)


def test_the_normal_approximation_takes_over_beyond_fifty_differences() -> None:
    def variant(n: int) -> str:
        values = [((each * 37) % 101) / 100 + 0.001 for each in range(n)]
        return str(Wilcoxon()(Series({"x": values}), Series({"x": [0.5] * n})).row(0)["variant"])

    assert "exact distribution" in variant(50)
    assert "normal approximation" in variant(51)


def test_errors_of_rounding_break_no_ties() -> None:
    first, second = Series({"x": [0.9, 0.8, 0.3, 0.1 + 0.2]}), Series({"x": [0.8, 0.7, 0.4, 0.3]})
    found = Wilcoxon()(first, second).row(0)
    assert (found["R+"], found["R-"], found["n"]) == (4, 2, 3)


def test_no_difference_at_all_is_a_draw() -> None:
    same = Series({"x": [0.9, 0.8, 0.7]})
    for test in (Wilcoxon(), Wilcoxon(zeros="split"), Wilcoxon(distribution="plain normal")):
        assert test(same, same).row(0)["p"] == 1


def test_zeros_that_are_split_have_no_exact_distribution() -> None:
    with pytest.raises(ConfigurationError, match="Wilcoxon: the exact distribution"):
        Wilcoxon(zeros="split", distribution="exact")
