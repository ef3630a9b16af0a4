from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Series, SeriesError
from tests.series.strategies import all_series

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["nan", "float", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["float", "int", "shape"]), inner),
    max_leaves=6,
)


def refused(constant: str) -> Any:
    raise AssertionError(constant)


@given(all_series())
def test_it_is_the_json_of_the_standard(series: Series) -> None:
    content = json.loads(series.to_json(), parse_constant=refused)
    assert content["main"] == series.main
    assert list(content["columns"]) == list(series.labels)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (1.0, "1.0"),
        (1, "1"),
        (True, "true"),
        (None, "null"),
        ("1", '"1"'),
        (float("-inf"), '{"float": "-inf"}'),
        (np.array([1, 2]), '{"int": [1, 2]}'),
        (np.array([0.5, np.nan]), '{"float": [0.5, "nan"]}'),
        (np.array([[True], [False]]), '{"bool": [[true], [false]]}'),
        (np.zeros((0, 3)), '{"float": [], "shape": [0, 3]}'),
    ],
    ids=repr,
)
def test_how_cells_are_written(cell: Any, text: str) -> None:
    assert Series({"a": [cell]}).to_json() == f'{{"main": "a", "columns": {{\n"a": [{text}]\n}}}}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text: found no JSON"),
        ("[]", "text: found .*, expected {"),
        ('{"main": 5, "columns": {}}', "text: found .*, expected {"),
        ('{"main": "a", "columns": {}}', "text: Series: columns must be"),
        ('{"main": "b", "columns": {"a": []}}', "text: Series: main must be one of a, got 'b'"),
        ('{"main": "a", "columns": {"a": 5}}', "text: found 5, expected a list of the cells of a"),
        ('{"main": "a", "columns": {"a": [1], "a": [2]}}', "one of a twice"),
        ('{"main": "a", "columns": {"a": [NaN]}}', "NaN is not JSON"),
        ('{"main": "a", "columns": {"a": [1], "b": []}}', "text: Series: columns must be equally long"),
        ('{"main": "a", "columns": {"a": [0, [1]]}}', r"text: a, row 1: found \[1\], expected a cell"),
        ('{"main": "a", "columns": {"a": [{"int": [1.5]}]}}', "text: a, row 0: found .*, expected a cell"),
        ('{"main": "a", "columns": {"a": [{"int": [true]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"int": [[1], 2]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"int": [[1], [2, 3]]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"int": [9223372036854775808]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"float": ["x"]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"float": [1.0], "shape": [0, 1]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"float": [], "shape": [0, -1]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"float": [], "shape": [0, 1e9]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": [{"float": [], "shape": [0, 99999999999999999999]}]}}', "expected a cell"),
        ('{"main": "a", "columns": {"a": ["\\ud800"]}}', "text: Series: a: a text must be valid Unicode"),
        pytest.param("[" * 100_000, "text: found no JSON", id="deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SeriesError, match=message):
        Series.from_json(text=text)


@given(VALUES)
def test_any_json_is_a_series_or_one_clear_error(value: Any) -> None:
    text = json.dumps({"main": "a", "columns": {"a": [value]}})
    message = ""
    try:
        series = Series.from_json(text=text)
        assert Series.from_json(text=series.to_json()) == series
    except SeriesError as error:
        message = str(error)
    assert not message or message.startswith("text:")
