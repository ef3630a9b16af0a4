from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intemi.analysis import Friedman, Ranks
from tests.analysis.published import many

tables = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=10)


@given(tables)
def test_the_corrected_test_is_that_of_scipy_for_any_table_that_is_not_all_ties(rows: list[tuple[int, ...]]) -> None:
    series = many({f"set {number}": row for number, row in enumerate(rows)}, ("a", "b", "c"), "Accuracy")
    found = Friedman()(series).row(0)
    if all(len(set(row)) == 1 for row in rows):
        assert (found["chi2"], found["p"]) == (0, 1)
        return
    expected = stats.friedmanchisquare(*np.array(rows).T)
    assert found["chi2"] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert Friedman(ties="ignored")(series).row(0)["chi2"] <= found["chi2"] + 1e-12


@given(tables)
def test_ranks_of_a_data_set_sum_to_that_of_one_to_k(rows: list[tuple[int, ...]]) -> None:
    series = many({f"set {number}": row for number, row in enumerate(rows)}, ("a", "b", "c"), "Accuracy")
    assert {group.sum() for group in Ranks()(series).group_by("data")} == {6.0}


def test_machines_that_are_ranked_alike_everywhere_differ_for_certain() -> None:
    found = Friedman()(many({"iris": (3, 2, 1), "wine": (6, 5, 4)}, ("a", "b", "c"), "Accuracy")).row(0)
    assert (found["F"], found["p of F"]) == (math.inf, 0)
