from __future__ import annotations

import numpy as np
import pandas
import pytest

from intemi.series import Series, SeriesError


def test_arrays_keep_their_types_and_tuples_are_objects() -> None:
    series = Series({"a": [True], "b": [1], "c": [0.5], "d": ["x"], "e": [None], "f": [[1, 2]]}, main="c")
    frame = series.to_pandas()
    assert [str(dtype) for dtype in frame.dtypes] == ["bool", "int64", "float64", "object", "object", "object"]
    assert Series.from_pandas(frame) == series
    assert Series.from_pandas(frame, main="a").main == "a"


def test_a_frame_can_be_changed_and_the_series_stays() -> None:
    series = Series({"a": [1, 2]})
    frame = series.to_pandas()
    frame.loc[0, "a"] = 9
    assert series["a"].tolist() == [1, 2]


def test_frames_of_other_programs_are_read() -> None:
    frame = pandas.DataFrame(
        {
            "text": pandas.Series(["a", None], dtype="str"),
            "some": pandas.Series([1, None], dtype="Int64"),
            "kind": pandas.Categorical(["x", None]),
            "float": [0.5, np.nan],
            "small": np.array([1, 2], dtype=np.int8),
            "object": pandas.Series([pandas.NA, "b"], dtype=object),
        }
    ).set_index(pandas.Index(["one", "two"]))
    assert Series.from_pandas(frame) == Series(
        {
            "text": ["a", None],
            "some": [1, None],
            "kind": ["x", None],
            "float": [0.5, np.nan],
            "small": [1, 2],
            "object": [None, "b"],
        }
    )


def test_what_is_no_series_is_refused() -> None:
    with pytest.raises(SeriesError, match="from_pandas: Series: a label must be a text and not empty, got 0"):
        Series.from_pandas(pandas.DataFrame([[1, 2]]))
    with pytest.raises(SeriesError, match="from_pandas: labels must differ, got a, a"):
        Series.from_pandas(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SeriesError, match="from_pandas: Series: day: a cell must be"):
        Series.from_pandas(pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])}))
