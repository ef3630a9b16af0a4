"""Nemenyi's and Holm's tests and the critical difference tell the same story."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import CriticalDifference, Dunn, Holm, InvalidComparison, Nemenyi
from intemi.analysis.holm import holm_adjusted
from tests.analysis.published import demsar_ranks, many


def test_machines_differ_by_nemenyis_test_where_ranks_differ_by_more_than_the_critical_difference() -> None:
    series = many({f"set {number}": (4, 3, 2, 1) for number in range(6)}, ("a", "b", "c", "d"), "Accuracy")
    limit = CriticalDifference()(series).values[0]
    for item in Nemenyi()(series):
        assert item["different"] == (abs(item["rank difference"]) > limit)


def test_dunns_test_is_that_of_average_ranks_computed_by_hand() -> None:
    series = many({f"set {number}": (3, 2, 1) for number in range(8)}, ("a", "b", "c"), "Accuracy")
    found = list(Dunn()(series))
    assert [item["z"] for item in found] == pytest.approx([2.0, 4.0, 2.0])  # the error is √(3 · 4 / (6 · 8)) = 0.5
    assert found[0]["p"] == pytest.approx(3 * 0.0455003, abs=1e-6)
    assert [item["different"] for item in found] == [False, True, False]
    for conservative, item in zip(found, Nemenyi()(series), strict=True):
        assert conservative["p"] >= item["p"]


def test_all_pairs_are_compared_if_there_is_no_control() -> None:
    found = Holm(best="lowest")(demsar_ranks())
    assert len(found) == 6
    assert "all pairs, 6 comparisons" in found.row(0)["variant"]
    assert list(zip(found["machine"], found["against"], strict=True)) == list(
        zip(Nemenyi()(demsar_ranks())["machine"], Nemenyi()(demsar_ranks())["against"], strict=True)
    )


def test_a_control_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidComparison, match=r"Holm: the control must be one of 'C4.5', .*, got 'knn'"):
        Holm(control="knn")(demsar_ranks())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_adjusted_probabilities_grow_and_keep_their_order(p: list[float]) -> None:
    adjusted = holm_adjusted(p)
    assert all(before <= after <= 1 for before, after in zip(p, adjusted, strict=True))
    assert [after for _, after in sorted(zip(p, adjusted, strict=True))] == sorted(adjusted)
