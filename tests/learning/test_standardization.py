"""Standardization and normalization: the same up to shift and scale comes out the same."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.classifiers import NaiveBayes
from intemi.machines.interfaces import ColumnsError
from intemi.machines.transformations import Normalization, Standardization
from intemi.testing import check_machine
from tests.learning.tables import classified, duplicated, mixed, nominal, numeric, outputs

BOTH = [Standardization(), Normalization()]


@pytest.mark.parametrize("machine", [Standardization(), Standardization(ddof=0), Normalization(-1, 1)], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scaling_does_what_any_machine_must(machine: Any, weighted: bool) -> None:
    check_machine(machine, data=mixed(weighted=weighted))


@given(data=classified(), ddof=st.sampled_from([0, 1]))
def test_known_values_get_mean_0_and_deviation_1(data: Data, ddof: int) -> None:
    data = Data(Table(data.columns, data.features))
    for values in outputs(Standardization(ddof), data=data)["transformed"].features:
        known = values[~np.isnan(values)]
        if len(known) > 1 and known.any():
            assert known.mean() == pytest.approx(0, abs=1e-9)
            assert known.std(ddof=ddof) == pytest.approx(1)


@given(data=classified(), low=st.sampled_from([-3.0, 0.0]), high=st.sampled_from([1.0, 50.0]))
def test_known_values_reach_from_low_to_high(data: Data, low: float, high: float) -> None:
    for before, after in zip(
        data.features, outputs(Normalization(low, high), data=data)["transformed"].features, strict=True
    ):
        known = ~np.isnan(before)
        assert np.isnan(after[~known]).all()
        if len(set(before[known])) > 1:
            assert after[known].min() == low
            assert after[known].max() == pytest.approx(high)
        assert (after[known] == low).all() or len(set(before[known])) > 1


@given(data=classified(), shift=st.sampled_from([0.0, -7.5, 1000.0]), scale=st.sampled_from([0.25, 3.0, 1000.0]))
@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_units_of_measurement_do_not_matter(machine: Any, data: Data, shift: float, scale: float) -> None:
    other = data.with_features(data.columns, data.features * scale + shift)
    expected = outputs(machine, data=data)["transformed"].features
    np.testing.assert_allclose(outputs(machine, data=other)["transformed"].features, expected, atol=1e-7)


@given(data=classified())
@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_other_data_are_transformed_as_the_data_themselves_were(machine: Any, data: Data) -> None:
    given = outputs(machine, data=data)
    half = np.arange(len(data)) % 2 == 0
    transformed = given["transformation"].transform(data.select_rows(half))
    np.testing.assert_array_equal(transformed.features, given["transformed"].features[:, half])


@pytest.mark.parametrize("machine", [Standardization(ddof=0), Normalization()], ids=repr)
def test_a_weight_is_a_number_of_rows(machine: Any) -> None:
    data = mixed(weighted=True)
    once, often = (outputs(machine, data=each)["transformation"] for each in (data, duplicated(data)))
    np.testing.assert_allclose(once.center, often.center)
    np.testing.assert_allclose(once.factor, often.factor)


def test_twice_all_weights_is_the_same() -> None:
    data = mixed(weighted=True)
    table = data.table
    heavier = Data(Table(table.columns, table.features, table.target, table.classes, data.weights * 2.5))
    once, twice = (outputs(Standardization(), data=each)["transformation"] for each in (data, heavier))
    np.testing.assert_allclose(once.factor, twice.factor)


@pytest.mark.parametrize(
    ("machine", "constant"),
    [(Standardization(), 0), (Normalization(2, 3), 2)],
    ids=str,
)
def test_constant_columns_become_constant_and_nothing_is_divided_by_zero(machine: Any, constant: float) -> None:
    data = numeric([0.1] * 7, [1e300] * 7, [0.0] * 7)
    assert (outputs(machine, data=data)["transformed"].features == constant).all()


@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_one_row_and_columns_without_values_are_no_problem(machine: Any) -> None:
    assert outputs(machine, data=numeric([5.0], [np.nan]))["transformed"].features[:, 0] == pytest.approx(
        [0, np.nan], nan_ok=True
    )


@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_nominal_columns_and_target_and_weights_stay(machine: Any) -> None:
    data = mixed(weighted=True)
    after = outputs(machine, data=data)["transformed"]
    assert after.columns == data.columns
    np.testing.assert_array_equal(after.features[3:], data.features[3:])
    np.testing.assert_array_equal(after.classes, data.classes)
    np.testing.assert_array_equal(after.weights, data.weights)


@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_data_without_numeric_columns_stay_the_same_data(machine: Any) -> None:
    data = nominal([0, 1, 2])
    assert outputs(machine, data=data)["transformed"] is data


def test_data_with_other_columns_are_refused() -> None:
    transformation = outputs(Standardization(), data=numeric([1, 2], [3, 4]))["transformation"]
    with pytest.raises(ColumnsError, match="Scaling: the column 'x1' is missing"):
        transformation.transform(numeric([1, 2]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("machine", BOTH, ids=repr)
def test_the_greatest_numbers_are_scaled_like_any_others(machine: Any) -> None:
    small = numeric([-1, 1, 0.5, -0.25, 0.75, 1, -1], [3, 4, 5, 6, 7, 8, 9])
    great = numeric(small.features[0] * 1.5e308, small.features[1])
    expected = outputs(machine, data=small)["transformed"].features
    np.testing.assert_allclose(outputs(machine, data=great)["transformed"].features, expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_deviation_that_exceeds_all_numbers_and_infinite_values_are_refused() -> None:
    words = "Standardization: the deviation of the column 'x1' exceeds all numbers"
    with pytest.raises(ConfigurationError, match=words):
        outputs(Standardization(), data=numeric([1, 2], [1.7e308, -1.7e308]))
    for machine in BOTH:
        with pytest.raises(ConfigurationError, match="the column 'x1' has infinite values"):
            outputs(machine, data=numeric([1, 2], [1, np.inf]))


@pytest.mark.parametrize("machine", [Standardization(), Normalization(), NaiveBayes()], ids=repr)
@pytest.mark.parametrize("rows", [20_000, 18_000], ids=["a table", "a part of it"])
def test_beside_what_it_gives_it_takes_a_fraction_of_the_memory_of_the_table(machine: Any, rows: int) -> None:
    rng = np.random.default_rng(0)
    table = numeric(*rng.random((50, 20_000)), classes=rng.integers(3, size=20_000))
    data = table.select_rows(np.arange(rows))
    outputs(machine, data=data.select_rows(np.arange(100)))  # what is loaded once is no matter
    tracemalloc.start()
    try:
        given = outputs(machine, data=data)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert given
    assert peak - kept < 0.3 * table.table.nbytes


@pytest.mark.parametrize("machine", [Standardization(), Normalization(2, 3)], ids=repr)
def test_a_large_table_is_scaled_like_a_small_one(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = mixed(rows=60, weighted=False)
    at_once = [each.features for each in outputs(machine, data=data).values() if isinstance(each, Data)]
    monkeypatch.setattr("intemi.machines.weighted.AT_ONCE", 130)
    in_parts = [each.features for each in outputs(machine, data=data).values() if isinstance(each, Data)]
    np.testing.assert_array_equal(in_parts, at_once)
