from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import SeriesError
from intemi.series.columns import cells_of, chained, column, same_columns, taken
from tests.series.strategies import columns


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([True, False], "bool"),
        ([1, 2], "int64"),
        ([0.5, 1], "float64"),
        (np.array([1, 2], dtype=np.int8), "int64"),
        (np.array([1, 2], dtype=np.float32), "float64"),
        (range(3), "int64"),
        ([], "float64"),
        ((), "float64"),
    ],
    ids=repr,
)
def test_cells_of_one_kind_are_a_read_only_array(values: Any, dtype: str) -> None:
    found = column(values)
    assert isinstance(found, np.ndarray)
    assert found.dtype == dtype
    assert not found.flags.writeable
    assert found.tolist() == list(values)


@pytest.mark.parametrize(
    "values", [["a", "b"], [None, 1.0], [True, 1], [2**70, 1], [1, "a"], [None], ["a", None, 0.5]], ids=repr
)
def test_other_cells_are_a_tuple(values: list[Any]) -> None:
    assert column(values) == tuple(values)


def test_an_int_beside_floats_becomes_one_if_a_float_can_hold_it() -> None:
    assert [type(each) for each in column([1, 0.5, 2**60 + 1, 2**2000, "a"])] == [float, float, int, int, str]


def test_the_rows_of_a_two_dimensional_array_are_vectors() -> None:
    assert [each.tolist() for each in cells_of(column(np.array([[1, 2], [3, 4]])))] == [[1, 2], [3, 4]]


@pytest.mark.parametrize("values", ["text", 5, None])
def test_a_column_is_a_sequence(values: Any) -> None:
    with pytest.raises(SeriesError, match="a column must be a sequence of cells"):
        column(values)


@given(st.integers(0, 6).flatmap(columns))
def test_a_column_made_of_its_own_cells_is_the_same(values: list[Any]) -> None:
    found = column(values)
    assert same_columns(column(cells_of(found)), found)
    assert len(found) == len(values)


@given(st.integers(0, 6).flatmap(columns), st.data())
def test_parts_of_a_column_put_together_are_the_column(values: list[Any], data: st.DataObject) -> None:
    whole = column(values)
    at = data.draw(st.integers(0, len(values)))
    parts = [taken(whole, np.arange(at)), taken(whole, np.arange(at, len(values)))]
    assert same_columns(chained(parts), whole)
    assert all(same_columns(part, column(cells_of(part))) for part in parts)
