"""Indicators: one column for each category."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.transformations import NominalToIndicators
from intemi.testing import check_machine
from tests.learning.tables import mixed, nominal, numeric, outputs


@pytest.mark.parametrize("weighted", [False, True])
def test_indicators_do_what_any_machine_must(weighted: bool) -> None:
    check_machine(NominalToIndicators(), data=mixed(weighted=weighted))


def test_each_category_becomes_a_column_at_the_place_of_the_nominal_one() -> None:
    table = Table([Column("n", ("p", "q")), Column("x")], [[0, 1, np.nan], [7, 8, 9]])
    after = outputs(NominalToIndicators(), data=Data(table))["indicators"]
    assert [column.name for column in after.columns] == ["n=p", "n=q", "x"]
    assert not any(column.is_nominal for column in after.columns)
    np.testing.assert_array_equal(after.features, [[1, 0, np.nan], [0, 1, np.nan], [7, 8, 9]])


def test_indicators_of_a_value_sum_to_one() -> None:
    after = outputs(NominalToIndicators(), data=mixed(missing=0))["indicators"]
    assert (after.features[3:6].sum(axis=0) == 1).all()


def test_a_category_that_does_not_occur_has_its_column_too() -> None:
    transformation = outputs(NominalToIndicators(), data=nominal([0, 0]))["transformation"]
    assert transformation.transform(nominal([2])).features.tolist() == [[0], [0], [1]]


def test_data_without_nominal_columns_stay_the_same_data() -> None:
    data = numeric([1, 2])
    assert outputs(NominalToIndicators(), data=data)["indicators"] is data


def test_a_column_that_is_called_like_an_indicator_is_refused() -> None:
    table = Table([Column("n", ("p",)), Column("n=p")], [[0], [1]])
    with pytest.raises(ConfigurationError, match="the names of columns must differ, got 'n=p' twice"):
        outputs(NominalToIndicators(), data=Data(table))
