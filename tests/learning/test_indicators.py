"""Indicators: one column for each category."""

from __future__ import annotations

import numpy as np

from intemi.data import Column, Data, Table
from intemi.machines.transformations import NominalToIndicators
from tests.learning.tables import mixed, nominal, numeric, outputs


def test_each_category_becomes_a_column_at_the_place_of_the_nominal_one() -> None:
    table = Table([Column("n", ("p", "q")), Column("x")], [[0, 1, np.nan], [7, 8, 9]])
    after = outputs(NominalToIndicators(), data=Data(table))["transformed"]
    assert [column.name for column in after.columns] == ["n=p", "n=q", "x"]
    assert not any(column.is_nominal for column in after.columns)
    np.testing.assert_array_equal(after.features, [[1, 0, np.nan], [0, 1, np.nan], [7, 8, 9]])


def test_indicators_of_a_value_sum_to_one() -> None:
    after = outputs(NominalToIndicators(), data=mixed(missing=0))["transformed"]
    assert (after.features[3:6].sum(axis=0) == 1).all()


def test_a_category_that_does_not_occur_has_its_column_too() -> None:
    transformation = outputs(NominalToIndicators(), data=nominal([0, 0]))["transformation"]
    assert transformation.transform(nominal([2])).features.tolist() == [[0], [0], [1]]


def test_data_without_nominal_columns_stay_the_same_data() -> None:
    data = numeric([1, 2])
    assert outputs(NominalToIndicators(), data=data)["transformed"] is data


def test_names_that_others_have_get_a_number() -> None:
    columns = [Column("n", ("1", "2")), Column("n=1"), Column("n=2", ("1",)), Column("n=1 (2)")]
    table = Table(columns, [[0, 1], [5, 6], [0, 0], [7, 8]])
    after = outputs(NominalToIndicators(), data=Data(table))["transformed"]
    assert [column.name for column in after.columns] == ["n=1 (3)", "n=2", "n=1", "n=2=1", "n=1 (2)"]
    np.testing.assert_array_equal(after.features, [[1, 0], [0, 1], [5, 6], [1, 1], [7, 8]])
