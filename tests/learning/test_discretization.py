"""Discretization: numbers become intervals, in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.transformations import MDL, Discretization, EqualFrequency, EqualWidth
from intemi.machines.transformations.discretization import interval_names
from intemi.testing import check_machine
from tests.learning.tables import classified, duplicated, mixed, nominal, numeric, outputs

STRATEGIES = [EqualWidth(4), EqualFrequency(4), MDL()]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_discretization_does_what_any_machine_must(strategy: Any, weighted: bool) -> None:
    check_machine(Discretization(strategy), data=mixed(weighted=weighted))


@given(data=classified())
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_intervals_keep_order_and_missing_values(strategy: Any, data: Data) -> None:
    after = outputs(Discretization(strategy), data=data)["transformed"]
    for before, codes, column in zip(data.features, after.features, after.columns, strict=True):
        np.testing.assert_array_equal(np.isnan(before), np.isnan(codes))
        known = codes[~np.isnan(codes)][np.argsort(before[~np.isnan(before)], kind="stable")]
        assert (np.diff(known) >= 0).all()
        assert len(set(column.categories or ())) == len(column.categories or ())
        assert known.max(initial=0) < len(column.categories or ())


@given(data=classified(), scale=st.sampled_from([0.5, 8.0]))
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_units_of_measurement_do_not_matter(strategy: Any, data: Data, scale: float) -> None:
    other = data.with_features(data.columns, data.features * scale)
    expected = outputs(Discretization(strategy), data=data)["transformed"].features
    np.testing.assert_array_equal(outputs(Discretization(strategy), data=other)["transformed"].features, expected)


@pytest.mark.parametrize("strategy", [EqualWidth(4), EqualFrequency(4)], ids=repr)
def test_a_weight_is_a_number_of_rows(strategy: Any) -> None:
    data = mixed(weighted=True)
    once, often = (outputs(Discretization(strategy), data=each)["transformation"] for each in (data, duplicated(data)))
    for left, right in zip(once.thresholds[:3], often.thresholds[:3], strict=True):
        np.testing.assert_allclose(left, right)


def test_equal_widths_divide_the_range_and_equal_frequencies_the_rows() -> None:
    data = numeric([0, 1, 2, 3, 4, 5, 6, 100])
    wide = outputs(Discretization(EqualWidth(4)), data=data)["transformed"].feature(0)
    frequent = outputs(Discretization(EqualFrequency(4)), data=data)["transformed"].feature(0)
    assert wide.tolist() == [0, 0, 0, 0, 0, 0, 0, 3]
    assert frequent.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_other_data_fall_into_the_same_intervals() -> None:
    cut = outputs(Discretization(EqualWidth(2)), data=numeric([0, 10]))["transformation"]
    assert cut.transform(numeric([-99, 4.9, 5, 99])).feature(0).tolist() == [0, 0, 1, 1]
    assert cut.transform(numeric([1])).columns[0].categories == ("below 5", "5 and above")


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_constant_columns_and_columns_without_values_are_one_interval(strategy: Any) -> None:
    after = outputs(Discretization(strategy), data=numeric([3, 3, 3], [np.nan] * 3, classes=[0, 1, 1]))["transformed"]
    assert [column.categories for column in after.columns] == [("all",), ("all",)]


def test_nominal_columns_stay_and_data_without_numeric_ones_are_the_same_data() -> None:
    data = nominal([0, 1, 2])
    assert outputs(Discretization(), data=data)["transformed"] is data
    data = mixed()
    after = outputs(Discretization(), data=data)["transformed"]
    assert after.columns[3:] == data.columns[3:]
    np.testing.assert_array_equal(after.features[3:], data.features[3:])


def test_intervals_that_differ_little_have_different_names() -> None:
    assert len(set(interval_names(np.array([1.0, 1.0 + 1e-12, 1.0 + 2e-12])))) == 4


def test_mdl_without_a_target_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="MDL: data without a target"):
        outputs(Discretization(MDL()), data=numeric([1, 2, 3]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_the_greatest_numbers_are_cut_like_any_others(strategy: Any) -> None:
    values, classes = np.array([-1, -0.75, -0.5, -0.25, 0.5, 0.75, 0.8, 1]), [0, 0, 0, 0, 1, 1, 1, 1]
    small, great = (
        outputs(Discretization(strategy), data=numeric(values * scale, classes=classes))["transformed"].features
        for scale in (1, 1.5e308)
    )
    np.testing.assert_array_equal(great, small)
