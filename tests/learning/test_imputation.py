"""Imputation: nothing is missing afterwards, and what was known stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from intemi.data import Data
from intemi.machines.transformations import Imputation, Mean, Median, MostFrequent
from intemi.testing import check_machine
from tests.learning.tables import classified, duplicated, mixed, nominal, numeric, outputs

TYPICAL = [Mean(), Median(), MostFrequent()]


@pytest.mark.parametrize("typical", TYPICAL, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_an_imputation_does_what_any_machine_must(typical: Any, weighted: bool) -> None:
    check_machine(Imputation(typical), data=mixed(weighted=weighted))


@given(data=classified())
@pytest.mark.parametrize("typical", TYPICAL, ids=repr)
def test_nothing_is_missing_afterwards_and_what_was_known_stays(typical: Any, data: Data) -> None:
    after = outputs(Imputation(typical), data=data)["transformed"]
    assert not np.isnan(after.features).any()
    known = ~np.isnan(data.features)
    np.testing.assert_array_equal(after.features[known], data.features[known])


@pytest.mark.parametrize("typical", TYPICAL, ids=repr)
def test_a_weight_is_a_number_of_rows(typical: Any) -> None:
    data = mixed(weighted=True)
    once, often = (outputs(Imputation(typical), data=each)["transformation"] for each in (data, duplicated(data)))
    np.testing.assert_allclose(once.values, often.values)


@pytest.mark.parametrize(("typical", "value"), [(Mean(), 3.25), (Median(), 2.5), (MostFrequent(), 2)], ids=repr)
def test_the_typical_value_takes_the_place_of_missing_ones(typical: Any, value: float) -> None:
    data = numeric([2, 2, 3, 6, np.nan])
    assert outputs(Imputation(typical), data=data)["transformed"].feature(0).tolist() == [2, 2, 3, 6, value]


def test_nominal_values_are_replaced_by_the_most_frequent_category_and_the_first_of_several() -> None:
    data = nominal([2, 2, 1, np.nan], [2, 1, np.nan, np.nan])
    after = outputs(Imputation(Mean()), data=data)["transformed"].features
    assert after.tolist() == [[2, 2, 1, 2], [2, 1, 1, 1]]


def test_other_data_get_the_same_values() -> None:
    replacement = outputs(Imputation(), data=numeric([1, 3]))["transformation"]
    assert replacement.transform(numeric([np.nan, 7])).feature(0).tolist() == [2, 7]


def test_data_without_missing_values_stay_the_same_data() -> None:
    data = mixed(missing=0).select_rows(range(30))
    assert outputs(Imputation(), data=data)["transformed"] is data


def test_of_a_column_without_values_nothing_is_missing_either() -> None:
    assert outputs(Imputation(), data=numeric([np.nan, np.nan]))["transformed"].feature(0).tolist() == [0, 0]
    assert outputs(Imputation(), data=nominal([np.nan, np.nan]))["transformed"].feature(0).tolist() == [0, 0]
