"""Effect sizes: values by their formulas, by scipy and from papers; words for magnitudes; refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, ttest_ind

from intemi.analysis import CliffsDelta, CohensD, EffectSizes, InvalidComparison, VarghaDelaney
from intemi.analysis.effect_sizes import EFFECT_SIZES
from intemi.kernel import ConfigurationError
from intemi.series import Series

SIZES = [CohensD(), CliffsDelta(), VarghaDelaney()]
samples = st.lists(st.integers(0, 20).map(lambda value: value / 20), min_size=2, max_size=12)


def series(values: Any, **labels: Any) -> Series:
    return Series({"Accuracy": [float(value) for value in values], **labels})


@given(first=samples, second=samples)
def test_the_probability_is_that_of_the_mann_whitney_statistic(first: list[float], second: list[float]) -> None:
    expected = mannwhitneyu(first, second).statistic / (len(first) * len(second))
    found = VarghaDelaney()(series(first), series(second))["A12"][0]
    assert found == pytest.approx(expected)
    assert CliffsDelta()(series(first), series(second))["delta"][0] == pytest.approx(2 * expected - 1)


@given(first=samples, second=samples)
def test_d_is_that_of_the_t_statistic(first: list[float], second: list[float]) -> None:
    found = CohensD()(series(first), series(second))["d"][0]
    if np.ptp(first) == np.ptp(second) == 0:
        assert found in (0.0, math.inf, -math.inf)
    else:
        t = ttest_ind(first, second).statistic
        assert found == pytest.approx(t * math.sqrt(1 / len(first) + 1 / len(second)))


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_exchanged_series_have_the_opposite_size(size: Any) -> None:
    a, b = series([0.9, 0.8, 0.85]), series([0.7, 0.8, 0.75])
    there, back = size(a, b).values[0], size(b, a).values[0]
    assert there - size.none == pytest.approx(size.none - back)
    assert size(a, a).row(0)["magnitude"] == "negligible"
    assert size(a, b).row(0)["magnitude"] == size(b, a).row(0)["magnitude"] == "large"


def test_magnitudes_begin_where_their_authors_say() -> None:
    words = ["negligible", "small", "medium", "large"]
    assert [CohensD().magnitude(value) for value in (0.19, 0.2, 0.5, -0.8)] == words
    assert [CliffsDelta().magnitude(value) for value in (0.1, 0.147, -0.33, 0.474)] == words
    assert [VarghaDelaney().magnitude(value) for value in (0.55, 0.56, 0.36, 0.71)] == words
    assert CohensD()(series([0.5]), series([0.6])).row(0)["magnitude"] == "not defined"


def test_sizes_of_many_machines_are_against_one_and_better_is_higher() -> None:
    labels = {"machine": ["knn"] * 3 + ["svm"] * 3, "data": ["iris"] * 6, "Fold": [1, 2, 3] * 2}
    losses = Series({"Log loss": [0.9, 0.8, 0.7, 0.1, 0.2, 0.3], **labels})
    assert EffectSizes(against="svm")(losses).values.tolist() == [1.0]
    assert EffectSizes(against="svm", best="lowest")(losses).values.tolist() == [0.0]
    assert EffectSizes(against="svm", best="lowest", size=CliffsDelta())(losses).main == "delta"
    with pytest.raises(InvalidComparison, match="against must be one of 'knn', 'svm', got 'tree'"):
        EffectSizes(against="tree")(losses)


def test_what_says_nothing_is_refused() -> None:
    with pytest.raises(InvalidComparison, match="one of them is empty"):
        CohensD()(series([]), series([0.5]))
    with pytest.raises(InvalidComparison, match="2 data sets"):
        CohensD()(series([0.5, 0.6], data=["a", "b"]), series([0.5, 0.6], data=["a", "b"]))
    with pytest.raises(ConfigurationError, match="did you mean 'CohensD'"):
        EFFECT_SIZES.named("CohenD")
