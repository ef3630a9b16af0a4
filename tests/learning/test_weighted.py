"""Weighted statistics: weights are relative frequencies."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines import Standardization, weighted
from tests.learning.tables import numeric

values = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=1, max_size=30).map(np.array)
counts = st.lists(st.integers(1, 6), min_size=30, max_size=30).map(lambda each: np.array(each, float))


@given(values, counts, st.sampled_from([0.01, 1.0, 3.0, 1e6]))
def test_a_weight_is_a_number_of_equal_values(x: np.ndarray, w: np.ndarray, scale: float) -> None:
    w = w[: len(x)]
    repeated = np.repeat(x, w.astype(int))
    assert weighted.mean(x, scale * w) == pytest.approx(repeated.mean())
    assert weighted.mean_and_deviation(x, scale * w, 0)[1] == pytest.approx(repeated.std())
    assert weighted.quantiles(x, scale * w, 4) == pytest.approx(weighted.quantiles(repeated, np.ones(len(repeated)), 4))
    assert weighted.most_frequent(x, scale * w) == weighted.most_frequent(repeated, np.ones(len(repeated)))


@given(values, st.sampled_from([0, 1]))
def test_without_weights_all_values_count_the_same(x: np.ndarray, ddof: int) -> None:
    rows = np.array([x, x + 1])
    for given_values in (x, rows):
        np.testing.assert_array_equal(
            weighted.mean_and_deviation(given_values, None, ddof),
            weighted.mean_and_deviation(given_values, np.ones(len(x)), ddof),
        )


@given(values, st.integers(1, 12))
def test_quantiles_are_those_of_numpy(x: np.ndarray, parts: int) -> None:
    expected = np.percentile(x, np.linspace(0, 100, parts + 1), method="averaged_inverted_cdf")
    found = weighted.quantiles(x, np.ones(len(x)), parts)
    exact = np.isclose(np.arange(parts + 1) * len(x) % parts, 0)  # elsewhere numpy's rounding decides
    assert found[~exact] == pytest.approx(expected[~exact])
    assert found[0] == x.min()
    assert found[-1] == x.max()


@given(values)
def test_the_second_of_two_parts_begins_at_the_median(x: np.ndarray) -> None:
    assert weighted.quantiles(x, np.ones(len(x)), 2)[1] == pytest.approx(np.median(x))


def test_the_mean_of_equal_values_is_exactly_that_value() -> None:
    assert weighted.mean(np.full(7, 0.1), np.linspace(0.3, 1.7, 7)) == 0.1
    assert weighted.mean_and_deviation(np.full(7, 0.1), np.ones(7), 1)[1] == 0


def test_a_deviation_is_exact_for_the_greatest_and_the_least_numbers() -> None:
    for scale in (1e300, 1.0, 1e-300):
        assert weighted.mean_and_deviation(np.array([scale, 2 * scale, 3 * scale]), np.ones(3), 1)[1] == pytest.approx(
            scale
        )


def test_means_and_deviations_are_exact_where_differences_and_sums_exceed_the_greatest_number() -> None:
    x = np.array([1.5e308, -1.5e308, 0.5e308, -0.5e308])
    average, found = weighted.mean_and_deviation(np.array([x, x / 1e300]), None, 0)
    assert average == pytest.approx([0, 0], abs=1e-9)
    assert found[0] == pytest.approx((x / 1e300).std() * 1e300)
    assert weighted.mean(np.array([1.5e308, 1.7e308, -1.7e308]), np.ones(3)) == pytest.approx(0.5e308)
    assert weighted.mean_and_deviation(np.array([1.7e308, -1.7e308]), None, 1)[1] == np.inf


def test_what_rounding_leaves_is_no_deviation() -> None:
    assert weighted.mean_and_deviation(np.array([1.0, 1 + 2e-16] * 500), np.ones(1000), 0)[1] == 0
    assert weighted.mean_and_deviation(np.array([0, 5e-324]), np.ones(2), 0)[1] == 0


def test_what_is_missing_or_weighs_nothing_takes_no_part() -> None:
    known = weighted.known(numeric([1, np.nan, 3, 4], classes=[0, 1, 2, 0], weights=[1, 1, 0, 2]), 0)
    assert known.values.tolist() == [1, 4]
    assert known.weights.tolist() == [1, 2]
    assert known.classes is not None
    assert known.classes.tolist() == [0, 0]


def test_complete_columns_are_measured_together_and_others_one_by_one() -> None:
    data = numeric([1, 2, 3], [4, np.nan, 6], [7, 8, 9])
    found = [(indices, values.tolist()) for indices, values, _ in weighted.known_of_each(data, [0, 1, 2])]
    assert found == [([0, 2], [[1, 2, 3], [7, 8, 9]]), ([1], [4, 6])]
    some = numeric([1, 2, 3], [4, 5, 6], weights=[1, 0, 2])
    found = [(indices, values.tolist()) for indices, values, _ in weighted.known_of_each(some, [1])]
    assert found == [([1], [4, 6])]


@pytest.mark.parametrize("weights", [None, np.linspace(1, 2, 6), np.arange(6.0)], ids=["none", "positive", "some zero"])
@pytest.mark.parametrize("view", ["all", "rows", "columns"])
def test_known_values_of_many_columns_are_those_of_each(
    weights: np.ndarray | None, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intemi.machines.weighted.AT_ONCE", 30)  # five columns of six rows
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 6))
    values[rng.random(40) < 0.3, 2] = np.nan
    values[10:15, 3] = np.nan  # a part without a complete column
    data = numeric(*values, weights=weights)
    data = {"all": data, "rows": data.select_rows([0, 2, 3, 5]), "columns": data.select_columns(range(3, 38))}[view]
    asked = [index for index in range(len(data.columns)) if index % 7]
    found: dict[int, tuple[list[float], list[float]]] = {}
    for indices, rows, own in weighted.known_of_each(data, asked):
        for index, row in zip(indices, np.atleast_2d(rows), strict=True):
            assert index not in found
            found[index] = row.tolist(), (np.ones(len(row)) if own is None else own).tolist()
    each = {index: weighted.known(data, index) for index in asked}
    assert found == {index: (one.values.tolist(), one.weights.tolist()) for index, one in each.items()}


def test_the_time_to_standardize_grows_with_the_number_of_columns_and_not_with_its_square() -> None:
    def seconds(columns: int) -> float:
        data = numeric(*np.random.default_rng(0).normal(size=(columns, 60)))
        taken = []
        for _ in range(3):
            before = process_time()
            Standardization().run(data)
            taken.append(process_time() - before)
        return min(taken)

    assert seconds(40_000) < 80 * seconds(2_000)  # 20 times as many columns; their square is 400 times as large


def test_infinite_values_are_refused_by_the_name_of_their_column() -> None:
    with pytest.raises(ConfigurationError, match="the column 'x0' has infinite values"):
        weighted.known(numeric([1, np.inf]), 0)
