"""Data from numpy, pandas and scikit-learn, and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn import datasets as bunches

from intemi.data import Column, Data
from intemi.data.arff import parse_arff
from intemi.data.exchange import from_bunch, from_numpy, from_pandas, needed, to_pandas
from intemi.kernel import ConfigurationError
from tests.data.tables import tables, target_of


def test_an_array_has_a_row_for_each_case() -> None:
    data = from_numpy([[1, 2, 3], [4, np.nan, 6]], [7, 5], names=["a", "b", "c"], nominal=["c"], weights=[1, 2])
    assert data.columns == (Column("a"), Column("b"), Column("c", ("3", "6")))
    np.testing.assert_array_equal(data.features, [[1, 4], [2, np.nan], [0, 1]])
    assert data.target == Column("class", ("5", "7"))
    assert data.classes.tolist() == [1, 0]
    assert data.weights.tolist() == [1, 2]


def test_an_array_that_is_changed_afterwards_does_not_change_the_data() -> None:
    array = np.zeros((3, 2))
    data = from_numpy(array, target="y")
    array[:] = 1
    assert data.features.sum() == 0


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (["b", "a", None], ("a", "b")),
        ([2.0, 1.0, np.nan], ("1", "2")),
        ([True, False, True], ("0", "1")),
    ],
)
def test_classes_of_any_kind_are_sorted(classes: list[object], labels: tuple[str, ...]) -> None:
    data = from_numpy(np.zeros((3, 1)), classes)
    assert data.labels == labels
    assert data.classes[:2].tolist() == [1, 0]


def test_with_labels_classes_are_their_indices() -> None:
    assert from_numpy(np.zeros((2, 1)), [2, 0], labels=["a", "b", "c"]).classes.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([1.0, 2.0],), "features must have two dimensions"),
        (([["a"]],), "features must be numbers"),
        (([[1.0]], [1, 2]), "classes must be 1, one for each row, got 2"),
        (([[1.0]], [[1]]), "classes must have one dimension"),
    ],
)
def test_arrays_that_are_no_table_are_refused(arguments: tuple[object, ...], error: str) -> None:
    with pytest.raises(ConfigurationError, match=f"from_numpy: {error}"):
        from_numpy(*arguments)


def test_names_and_nominal_columns_must_fit() -> None:
    with pytest.raises(ConfigurationError, match="names must be 1, one for each column, got 2"):
        from_numpy([[1.0]], names=["a", "b"])
    with pytest.raises(ConfigurationError, match="nominal must be indices or names of columns, got 3"):
        from_numpy([[1.0]], nominal=[3])


def test_a_frame_keeps_what_its_types_say() -> None:
    frame = pd.DataFrame(
        {
            "height": [1.5, np.nan, 2],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "size": pd.Categorical(["big", "small", None], categories=["small", "middle", "big"]),
            "colour": ["red", None, "blue"],
            "open": [True, False, True],
            "class": [1, 0, 1],
        }
    )
    data = from_pandas(frame)
    assert data.columns == (
        Column("height"),
        Column("count"),
        Column("size", ("small", "middle", "big")),
        Column("colour", ("blue", "red")),
        Column("open", ("False", "True")),
    )
    np.testing.assert_array_equal(
        data.features, [[1.5, np.nan, 2], [1, np.nan, 3], [2, 0, np.nan], [1, np.nan, 0], [1, 0, 1]]
    )
    assert (data.labels, data.classes.tolist()) == (("0", "1"), [1, 0, 1])


def test_a_frame_with_anything_else_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'day' must hold numbers, texts or categories, got datetime"):
        from_pandas(pd.DataFrame({"day": pd.to_datetime(["2026-01-01"]), "class": ["a"]}))
    with pytest.raises(ConfigurationError, match="must differ, got 'a' twice"):
        from_pandas(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ConfigurationError, match="target must be one of a, got 'b'"):
        from_pandas(pd.DataFrame({"a": [1]}), target="b")
    with pytest.raises(ConfigurationError, match="the target 'a' must have classes"):
        from_pandas(pd.DataFrame({"a": [1.5]}))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(tables())
def test_a_frame_and_back_is_the_same(data: Data) -> None:
    frame = to_pandas(data, weights="the weight of a row")
    weights = "the weight of a row" if data.is_weighted else None
    assert from_pandas(frame, target_of(data), weights=weights) == data


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_a_bunch_is_read(name: str) -> None:
    bunch = getattr(bunches, f"load_{name}")()
    data = from_bunch(bunch, name=name)
    np.testing.assert_array_equal(data.features.T, bunch.data)
    np.testing.assert_array_equal(data.classes, bunch.target)
    assert data.labels == tuple(map(str, bunch.target_names))
    assert [column.name for column in data.columns] == list(bunch.feature_names)
    framed = from_bunch(getattr(bunches, f"load_{name}")(as_frame=True))
    np.testing.assert_array_equal(framed.features, data.features)


def test_a_bunch_without_classes_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="from_bunch: the target must have classes, got numbers such as"):
        from_bunch(_regression())


def _regression() -> object:
    features, target = bunches.make_regression(5, 2, random_state=0)
    return {"data": features, "target": target}


def test_a_library_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationError, match="read_x: no_such_library is needed and not installed; pip install"):
        needed("no_such_library.part", "read_x")


def test_readers_agree_with_pandas() -> None:
    text = "@attribute a real\n@attribute class {x,y}\n@data\n1.5,y\n?,x\n"
    frame = pd.DataFrame({"a": [1.5, np.nan], "class": ["y", "x"]})
    assert parse_arff(text.encode(), "a.arff") == from_pandas(frame)
