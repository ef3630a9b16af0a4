from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Series, SeriesError

MODEST = st.floats(-1e6, 1e6)

KNN = Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1], "seed": [5, 6]})
SVM = Series({"Fold": [1, 0], "Accuracy": [0.5, 0.4], "path": ["a", "b"]}, main="Accuracy")


def test_rows_are_paired_by_the_labels_that_both_have() -> None:
    assert Series({"Accuracy": [0.9 + 0.4, 0.8 + 0.5], "Fold": [0, 1]}) == KNN + SVM


def test_series_that_share_no_other_label_are_paired_by_position_if_equally_long() -> None:
    a, b = Series({"a": [1, 2]}), Series({"b": [3, 4], "x": [0, 0]})
    assert a + b == Series({"a": [4, 6]})
    with pytest.raises(SeriesError, match=r"\+: series that share no label .* must be equally long, got 2"):
        a + b[:1]


def test_labels_that_do_not_agree_are_refused_with_advice() -> None:
    message = r"-: rows are paired by Fold; Fold=1 has no partner on the right; without\(…\) leaves out labels"
    with pytest.raises(SeriesError, match=message):
        KNN - SVM.with_column("Fold", [0, 2])
    with pytest.raises(SeriesError, match="Fold=0 is there twice on the right"):
        KNN - SVM.with_column("Fold", [0, 0])


def test_numbers_keep_all_labels() -> None:
    assert (1 - KNN).labels == KNN.labels
    assert np.float64(2) * KNN == KNN * 2 == KNN + KNN
    assert (np.int64(2) / Series({"a": [4]})).values.tolist() == [0.5]


def test_the_result_may_be_of_another_kind() -> None:
    assert (Series({"a": [1, 2]}) + 0.5).values.tolist() == [1.5, 2.5]
    assert (Series({"a": [1, 2]}) / 2).values.tolist() == [0.5, 1.0]
    assert (Series({"Correct": [True, False]}) - Series({"Correct": [False, True]})).values.tolist() == [1, -1]


def test_ints_do_not_overflow() -> None:
    large = Series({"a": [2**63 - 1, -(2**63)]})
    assert list((large + 1).values) == [2**63, -(2**63) + 1]
    assert list((large * large).values) == [(2**63 - 1) ** 2, 2**126]
    assert list((-large).values) == [1 - 2**63, 2**63]
    assert list(abs(large).values) == [2**63 - 1, 2**63]
    assert large.sum() == -1
    assert (large - large).values.tolist() == [0, 0]
    with pytest.raises(SeriesError, match="too large"):
        Series({"a": [2**2000]}) / 2
    with pytest.raises(SeriesError, match="too large"):
        Series({"a": [2**2000]}) + 0.5


def test_division_by_zero_follows_ieee_754() -> None:
    quotients = (Series({"a": [1, -1, 0]}) / 0).values.tolist()
    assert quotients[:2] == [math.inf, -math.inf]
    assert math.isnan(quotients[2])


@pytest.mark.parametrize("value", ["knn", None, np.array([1, 2])], ids=repr)
def test_what_is_no_number_is_refused(value: Any) -> None:
    series = Series({"a": [1, value]})
    for act in (lambda: series + 1, lambda: -series, lambda: abs(series), series.mean, series.sum, series.max):
        with pytest.raises(SeriesError, match=r"a must hold numbers, got .* in row 1"):
            act()


@pytest.mark.parametrize("other", ["x", None, True, np.array([1, 2]), [1, 2]], ids=repr)
def test_nothing_else_is_calculated_with(other: Any) -> None:
    with pytest.raises(TypeError, match="operand"):
        KNN + other


@given(st.lists(MODEST, min_size=2, max_size=20))
def test_statistics_agree_with_those_of_the_standard_library(numbers: list[float]) -> None:
    series = Series({"a": numbers})
    assert series.mean() == pytest.approx(statistics.fmean(numbers), abs=1e-6)
    assert series.sd() == pytest.approx(statistics.stdev(numbers), rel=1e-9, abs=1e-6)
    assert series.median() == pytest.approx(statistics.median(numbers))
    assert (series.min(), series.max(), series.count()) == (min(numbers), max(numbers), len(numbers))
    assert series.sum() == pytest.approx(math.fsum(numbers), abs=1e-6)


def test_statistics_are_plain_numbers() -> None:
    series = Series({"a": [1, 2, 4]})
    assert [type(each) for each in (series.sum(), series.min(), series.max())] == [int] * 3
    assert [type(each) for each in (series.mean(), series.sd(), series.median())] == [float] * 3
    assert Series({"Correct": [True, True, False]}).sum() == 2


def test_what_one_row_or_none_does_not_have() -> None:
    one, none = Series({"a": [1]}), Series({"a": []})
    assert math.isnan(one.sd())
    assert (none.sum(), none.count()) == (0, 0)
    for act in (none.mean, none.sd, none.median, none.min, none.max):
        with pytest.raises(SeriesError, match="the series must have rows, got none"):
            act()


def test_nan_is_the_statistic_of_what_has_nan() -> None:
    series = Series({"a": [1.0, math.nan, 2.0]})
    assert all(map(math.isnan, (series.mean(), series.sd(), series.median(), series.sum(), series.min(), series.max())))


def test_functions_of_the_values_make_one_row() -> None:
    assert KNN.aggregate(Mean=np.mean, N=len) == Series({"Mean": [np.mean([0.9, 0.8])], "N": [2]})
    with pytest.raises(SeriesError, match="at least one label"):
        KNN.aggregate()
