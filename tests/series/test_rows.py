from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from intemi.series import Series, SeriesError

S = Series({"Accuracy": [0.9, 0.8, 0.7], "Fold": [0, 1, 2], "machine": ["knn", "knn", "svm"]})


def test_labels_keep_their_order_and_the_first_one_is_the_main_one() -> None:
    assert S.labels == ("Accuracy", "Fold", "machine")
    assert S.main == "Accuracy"
    assert Series({"a": [1], "b": [2]}, main="b").values.tolist() == [2]


def test_columns_rows_and_length() -> None:
    assert len(S) == 3
    assert S["Fold"].tolist() == [0, 1, 2]
    assert S["machine"] == ("knn", "knn", "svm")
    assert S.row(-1) == {"Accuracy": 0.7, "Fold": 2, "machine": "svm"}
    assert list(S) == [S.row(0), S.row(1), S.row(2)]
    assert [type(each) for each in S.row(0).values()] == [float, int, str]


@pytest.mark.parametrize(
    ("key", "folds"),
    [
        (slice(1, None), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        ([2, 0], [2, 0]),
        ([-1], [2]),
        ([1, 1], [1, 1]),
        ([], []),
        ([True, False, True], [0, 2]),
        (np.array([False, True, False]), [1]),
        (np.array([2, 1]), [2, 1]),
    ],
    ids=repr,
)
def test_rows_are_taken_by_slice_mask_or_positions(key: Any, folds: list[int]) -> None:
    assert S[key]["Fold"].tolist() == folds
    assert S[key].labels == S.labels


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("fold", "a label must be one of Accuracy, Fold, machine, got 'fold'"),
        (0, r"row\(n\) gives one row"),
        ([0.5], "a label, a slice, a mask or a list of positions"),
        ([3], "a position must be less than 3, the number of rows, got 3"),
        ([-4], "a position must be less than 3, the number of rows, got -4"),
        ([True], "a mask must have a bool for each of 3 rows, got 1"),
    ],
)
def test_wrong_keys_are_refused(key: Any, message: str) -> None:
    with pytest.raises(SeriesError, match=message):
        S[key]


@pytest.mark.parametrize(
    ("columns", "main", "message"),
    [
        ({}, None, "a mapping of at least one label"),
        ([1, 2], None, "a mapping of at least one label"),
        ({"": [1]}, None, "a label must be a text and not empty, got ''"),
        ({5: [1]}, None, "a label must be a text and not empty, got 5"),
        ({"a": [1]}, "b", "main must be one of a, got 'b'"),
        ({"a": [1], "b": [1, 2]}, None, "equally long, got 1 cells of a and 2 of b"),
        ({"a": [object]}, None, "Series: a: a cell must be"),
        ({"a": "text"}, None, "Series: a: a column must be a sequence of cells, got str 'text'"),
    ],
)
def test_a_series_that_cannot_be_is_refused(columns: Any, main: str | None, message: str) -> None:
    with pytest.raises(SeriesError, match=message):
        Series(columns, main)


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(SeriesError, match="row: a position must be less than 3, the number of rows, got 3"):
        S.row(3)


def test_a_series_does_not_change_with_what_it_was_made_of() -> None:
    given = np.array([1.0, 2.0])
    columns = {"a": given}
    series = Series(columns)
    given[0] = 9
    columns["b"] = given
    assert series == Series({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match="read-only"):
        series["a"][0] = 9


def test_series_are_equal_if_everything_is() -> None:
    assert Series({"a": [np.nan, 1]}) == Series({"a": [np.nan, 1.0]})
    different = [
        Series({"a": [1, 2], "b": [1, 2]}),
        Series({"b": [1, 2], "a": [1, 2]}),
        Series({"a": [1, 2], "b": [1, 2]}, main="b"),
        Series({"a": [1.0, 2.0], "b": [1, 2]}),
        Series({"a": [2, 1], "b": [1, 2]}),
        Series({"a": [1, 2]}),
        Series({"a": [1], "b": [1]}),
        Series({"a": ["1", "2"], "b": [1, 2]}),
    ]
    assert all((one == other) == (one is other) for one in different for other in different)
    assert S != "S"


@pytest.mark.parametrize("again", [lambda s: pickle.loads(pickle.dumps(s)), copy.copy, copy.deepcopy])
def test_a_copy_is_equal_and_cannot_be_changed_either(again: Any) -> None:
    assert again(S) == S
    assert not again(S)["Fold"].flags.writeable
