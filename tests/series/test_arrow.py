from __future__ import annotations

import datetime

import numpy as np
import pyarrow
import pytest

from intemi.series import Series, SeriesError

VECTORS = [np.array([1, 2]), np.array([], dtype=np.int64)]
TABLES = [np.zeros((2, 2)), np.zeros((1, 0))]


def test_columns_have_types_of_arrow_where_there_are() -> None:
    series = Series(
        {
            "bool": [True, False],
            "int": [1, 2],
            "float": [0.5, float("nan")],
            "text": ["a", None],
            "some": [1, None],
            "vector": VECTORS,
            "table": TABLES,
            "none": [None, None],
        },
        main="int",
    )
    table = series.to_arrow()
    found = {field.name: str(field.type) for field in table.schema}
    assert found == {
        "bool": "bool",
        "int": "int64",
        "float": "double",
        "text": "string",
        "some": "int64",
        "vector": "list<item: int64>",
        "table": "list<item: list<item: double>>",
        "none": "null",
    }
    assert table["float"].null_count == 0
    assert Series.from_arrow(table) == series
    assert Series.from_arrow(table, main="text").main == "text"


def test_columns_that_have_no_type_of_arrow_are_texts_of_json() -> None:
    series = Series({"mixed": [1, "a"], "large": [2**70, 1], "kinds": [[1], [0.5]], "empty": [np.zeros((0, 2)), None]})
    table = series.to_arrow()
    assert {str(field.type) for field in table.schema} == {"string"}
    assert table["mixed"].to_pylist() == ["1", '"a"']
    assert Series.from_arrow(table) == series


def test_tables_of_other_programs_are_read() -> None:
    table = pyarrow.table(
        {
            "small": pyarrow.array([1, 2], pyarrow.int8()),
            "half": pyarrow.array([0.5, None], pyarrow.float32()),
            "kind": pyarrow.array(["a", "b"]).dictionary_encode(),
            "large": pyarrow.array(["a", None], pyarrow.large_string()),
            "fixed": pyarrow.array([[1.0], [2.0]], pyarrow.list_(pyarrow.float32(), 1)),
        }
    )
    assert Series.from_arrow(table) == Series(
        {"small": [1, 2], "half": [0.5, None], "kind": ["a", "b"], "large": ["a", None], "fixed": [[1.0], [2.0]]}
    )


def test_chunks_do_not_show() -> None:
    series = Series({"a": [1, 2], "b": ["x", "y"]})
    table = pyarrow.concat_tables([series[:1].to_arrow(), series[1:].to_arrow()])
    assert Series.from_arrow(table) == series


def test_what_is_no_series_is_refused() -> None:
    days = pyarrow.table({"day": [datetime.date(2020, 1, 1)]})
    with pytest.raises(SeriesError, match="from_arrow: Series: day: a cell must be"):
        Series.from_arrow(days)
    with pytest.raises(SeriesError, match="labels must differ"):
        Series.from_arrow(pyarrow.Table.from_arrays([pyarrow.array([1])] * 2, names=["a", "a"]))
    with pytest.raises(SeriesError, match="a cell must be"):
        Series.from_arrow(pyarrow.table({"words": [["a", "b"]]}))
