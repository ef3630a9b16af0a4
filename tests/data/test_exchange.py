"""Data from numpy, pandas and scikit-learn, and back."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn import datasets as bunches

from intemi.data import Column, Data
from intemi.data.arff import parse_arff
from intemi.data.exchange import from_bunch, from_numpy, from_pandas, to_pandas
from intemi.data.libraries import needed
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


def test_large_whole_numbers_are_classes_and_categories_of_their_own() -> None:
    large = np.array([2**53 + 1, 2**53])
    labels = ("9007199254740992", "9007199254740993")
    data = from_numpy(large[:, None], large, nominal=[0])
    assert (data.labels, data.columns[0].categories) == (labels, labels)
    assert data.classes.tolist() == [1, 0]
    assert from_numpy([[0], [0]], [2**64 + 1, 2**64]).labels == ("18446744073709551616", "18446744073709551617")
    for classes in (large, pd.array([*large, None], dtype="Int64"), pd.Series([*large, None], dtype=object)):
        framed = from_pandas(pd.DataFrame({"x": 1.0, "class": classes}))
        assert framed.labels == labels
        assert framed.classes[:2].tolist() == [1, 0]


def test_indices_of_labels_do_not_wrap_around() -> None:
    with pytest.raises(ConfigurationError, match=r"class has 2 categories.*got 4294967296"):
        from_numpy([[1.0], [2.0]], np.array([2**32, 1]), labels=["a", "b"])


def test_what_is_masked_is_missing() -> None:
    features = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    data = from_numpy(features, np.ma.array([7, 5], mask=[True, False]), nominal=[0])
    np.testing.assert_array_equal(data.features, [[0, 1], [np.nan, 4]])
    assert (data.labels, data.classes.tolist()) == (("5",), [-1, 0])
    indices = from_numpy(features, np.ma.array([1, 0], mask=[True, False], dtype=np.uint8), labels=["a", "b"])
    assert indices.classes.tolist() == [-1, 0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([1.0, 2.0],), "features must have two dimensions"),
        (([["a"]],), "features must be numbers"),
        (([[1.0]], [1, 2]), "classes must be 1, one for each row, got 2"),
        (([[1.0]], [[1]]), "classes must have one dimension"),
        (([[1j]],), "features must be numbers.*complex128"),
        (([[1.0]], [1j]), "classes must be numbers or texts, got complex128"),
        (([[1.0]], [0.5]), "the target 'class' must have classes, got numbers such as 0.5"),
        (([[1.0], [2.0]], np.array(["1", 1], dtype=object)), "values of 'class' must differ as texts, got 1 and '1'"),
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
    with pytest.raises(ConfigurationError, match="categories of 'class' must differ, got 'a' twice"):
        from_numpy([[1.0]], [0], labels=["a", "a"])
    with pytest.raises(ConfigurationError, match="weights must be numbers"):
        from_numpy([[1.0], [2.0]], weights=["a", "b"])


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


def test_plain_values_in_a_frame_are_what_they_are() -> None:
    frame = pd.DataFrame(
        {
            "price": [Decimal("1.25"), None, Decimal("NaN")],
            "count": pd.Series([1, 2.5, None], dtype=object),
            "open": pd.Series([True, None, True], dtype=object),
            "code": pd.Series(["a", 1, None], dtype=object),
            "class": pd.Series([10, 9, None], dtype=object),
        }
    )
    data = from_pandas(frame)
    np.testing.assert_array_equal(
        data.features, [[1.25, np.nan, np.nan], [1, 2.5, np.nan], [1, np.nan, 1], [1, 0, np.nan]]
    )
    assert [column.categories for column in data.columns] == [None, None, ("False", "True"), ("1", "a")]
    assert (data.labels, data.classes.tolist()) == (("9", "10"), [1, 0, -1])


@pytest.mark.parametrize("value", [b"a", [1], {"a": 1}, date(2026, 1, 1)])
def test_values_that_are_no_numbers_texts_or_categories_are_refused(value: object) -> None:
    frame = pd.DataFrame({"x": pd.Series([value, None], dtype=object), "class": ["a", "b"]})
    with pytest.raises(ConfigurationError, match=r"'x' must hold numbers, texts or categories, got values such as a"):
        from_pandas(frame)


@pytest.mark.parametrize(
    ("weights", "target", "error"),
    [
        ("w", None, "weights must be a column of numbers, got w .2 categories."),
        ("x", "x", "target and weights must be two columns, got 'x' for both"),
    ],
)
def test_weights_that_are_none_are_refused(weights: str, target: str | None, error: str) -> None:
    frame = pd.DataFrame({"x": [1, 2], "w": ["heavy", "light"], "class": ["a", "b"]})
    with pytest.raises(ConfigurationError, match=f"from_pandas: {error}"):
        from_pandas(frame, target, weights=weights)


def test_weights_do_not_replace_a_column_of_their_name() -> None:
    data = from_numpy([[1.0]], names=["weight"], weights=[2.0])
    with pytest.raises(
        ConfigurationError, match="to_pandas: weights must be the name of no other column, got 'weight'"
    ):
        to_pandas(data)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="from_pandas: a pandas frame is needed, got list"):
        from_pandas([1, 2])


@pytest.mark.parametrize("empty", [[None, None], [np.nan, np.nan]])
def test_a_last_column_without_a_class_is_no_target_unless_it_is_named(empty: list[object]) -> None:
    frame = pd.DataFrame({"x": [1, 2], "y": empty})
    with pytest.raises(ConfigurationError, match="the last column, 'y', must have classes, got none"):
        from_pandas(frame)
    assert from_pandas(frame, "y").classes.tolist() == [-1, -1]


def test_a_frame_with_anything_else_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'day' must hold numbers, texts or categories, got datetime"):
        from_pandas(pd.DataFrame({"day": pd.to_datetime(["2026-01-01"]), "class": ["a"]}))
    with pytest.raises(ConfigurationError, match="must differ, got 'a' twice"):
        from_pandas(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ConfigurationError, match="target must be one of a, got 'b'"):
        from_pandas(pd.DataFrame({"a": [1]}), target="b")
    with pytest.raises(ConfigurationError, match="the target 'a' must have classes"):
        from_pandas(pd.DataFrame({"a": [1.5]}))


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


@pytest.mark.parametrize("as_frame", [False, True])
def test_measurements_of_a_bunch_are_no_classes_though_they_are_whole(as_frame: bool) -> None:
    with pytest.raises(ConfigurationError, match="from_bunch: the target must have classes, got numbers such as 151"):
        from_bunch(bunches.load_diabetes(as_frame=as_frame, scaled=False))
    with pytest.raises(ConfigurationError, match=r"from_bunch: the target must be one column, got shape \(20, 3\)"):
        from_bunch(bunches.load_linnerud(as_frame=as_frame))


def test_a_bunch_has_data_and_a_target_of_another_name() -> None:
    with pytest.raises(ConfigurationError, match="from_bunch: data and target are needed, got data"):
        from_bunch({"data": [[1.0]]})
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]})
    with pytest.raises(ConfigurationError, match="the target must have another name than a feature, got 'a'"):
        from_bunch({"data": frame, "target": frame["b"].rename("a")})


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
