"""Vectors unpacked into one long series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Series, SeriesError

FOLDS = Series({"Correct": [[1, 0], [1, 1, 0]], "Predicted": [[7, 8], [8, 8, 7]], "Fold": [1, 2]})


def test_other_labels_are_repeated_and_the_position_is_told() -> None:
    long = FOLDS.without("Predicted").unpack()
    assert long.labels == ("Correct", "Fold", "Position")
    assert [list(row.values()) for row in long] == [[1, 1, 0], [0, 1, 1], [1, 2, 0], [1, 2, 1], [0, 2, 2]]
    assert long.main == "Correct"


def test_several_vectors_are_unpacked_side_by_side() -> None:
    long = FOLDS.unpack("Correct", "Predicted", position="row")
    assert list(long["Predicted"]) == [7, 8, 8, 8, 7]
    assert long["row"].tolist() == [0, 1, 0, 1, 2]


def test_a_vector_that_is_not_unpacked_is_repeated_whole() -> None:
    long = FOLDS.unpack()
    assert [list(each) for each in long["Predicted"]] == [[7, 8]] * 2 + [[8, 8, 7]] * 3


def test_of_a_matrix_rows_are_unpacked_and_of_nothing_no_row() -> None:
    matrices = Series({"Confusion matrix": [np.eye(2), None], "Fold": [1, 2]})
    long = matrices.unpack()
    assert [each.tolist() for each in long.values] == [[1.0, 0.0], [0.0, 1.0]]
    assert long["Fold"].tolist() == [1, 1]
    assert long.unpack(position="Column").values.tolist() == [1, 0, 0, 1]


def test_what_cannot_be_unpacked_is_refused() -> None:
    with pytest.raises(SeriesError, match="unpack: cells of Fold must be vectors, got 1"):
        FOLDS.unpack("Fold")
    with pytest.raises(SeriesError, match="there is a label Fold already; position= names another one"):
        FOLDS.unpack(position="Fold")
    with pytest.raises(SeriesError, match="got 2 values of a and 1 of b in row 0"):
        Series({"a": [[1, 2]], "b": [[1]]}).unpack("a", "b")
    with pytest.raises(SeriesError, match="nowhere"):
        FOLDS.unpack("nowhere")


@given(st.lists(st.lists(st.integers(-5, 5), max_size=5), max_size=6))
def test_nothing_is_lost_and_groups_give_the_vectors_back(vectors: list[list[int]]) -> None:
    series = Series({"x": [np.array(each, dtype=np.int64) for each in vectors], "row": range(len(vectors))})
    if not vectors:
        return
    long = series.unpack()
    assert list(long["x"]) == [each for vector in vectors for each in vector]
    groups = long.group_by("row")
    found = {int(key[0]): list(group["x"]) for key, group in zip(groups.keys(), groups, strict=True)}
    assert found == {row: vector for row, vector in enumerate(vectors) if vector}
