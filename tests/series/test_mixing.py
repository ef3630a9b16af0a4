"""When a mean would mix data sets, and when a table would show bare means."""

from __future__ import annotations

import pytest

from intemi.series import Series
from intemi.series.mixing import COMPARABLE, is_bare_mean, mixed_data


def test_several_data_sets_are_mixed_and_one_is_not() -> None:
    assert mixed_data(Series({"Accuracy": [0.9, 0.8], "data": ["iris", "wine"]})) is not None
    assert mixed_data(Series({"Accuracy": [0.9, 0.8], "data": ["iris", "iris"]})) is None
    assert mixed_data(Series({"Accuracy": [0.9, 0.8], "Fold": [1, 2]})) is None


def test_data_sets_that_are_told_apart_by_type_only_are_different() -> None:
    assert mixed_data(Series({"Accuracy": [0.9, 0.8], "data": [1, "1"]})) is not None


def test_a_number_that_is_called_data_is_no_data_set() -> None:
    assert mixed_data(Series({"data": [0.9, 0.8]})) is None


@pytest.mark.parametrize("label", sorted(COMPARABLE))
def test_what_has_a_common_unit_may_be_averaged(label: str) -> None:
    assert Series({label: [1, 2], "data": ["iris", "wine"]}, main=label).mean() == 1.5


def test_the_first_data_sets_are_named() -> None:
    why = mixed_data(Series({"Accuracy": [0.5] * 5, "data": [*"abcde"]}))
    assert why is not None
    assert "5 data sets (a, b, c and 2 more)" in why


def test_means_are_bare_without_deviations() -> None:
    assert is_bare_mean(Series({"mean": [0.9], "n": [3]}))
    assert not is_bare_mean(Series({"mean": [0.9], "sd": [0.1], "n": [3]}))
    assert not is_bare_mean(Series({"Accuracy": [0.9]}))
