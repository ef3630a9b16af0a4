from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Series, SeriesError
from tests.series.strategies import INTS, pairable, results

S = Series(
    {
        "Accuracy": [0.9, 0.8, 0.7, 0.6],
        "machine": ["knn", "svm", "knn", "svm"],
        "Fold": [0, 0, 1, 1],
        "seed": [None, 1, True, 1.5],
    }
)


def test_another_main_label() -> None:
    assert S.with_main("Fold").main == "Fold"
    assert S.with_main("Fold").labels == S.labels
    with pytest.raises(SeriesError, match="the main label must be one of Accuracy, machine, Fold, seed, got 'fold'"):
        S.with_main("fold")


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 2, 3, 4], [1, 2, 3, 4]), ("iris", ["iris"] * 4), (None, [None] * 4), (np.float32(0.5), [0.5] * 4)],
    ids=repr,
)
def test_a_column_more(values: Any, expected: list[Any]) -> None:
    more = S.with_column("x", values)
    assert more.labels == (*S.labels, "x")
    assert list(more["x"]) == expected
    assert more.without("x") == S


def test_another_column_in_its_place() -> None:
    changed = S.with_column("machine", range(4))
    assert changed.labels == S.labels
    assert changed["machine"].tolist() == [0, 1, 2, 3]
    with pytest.raises(SeriesError, match="equally long"):
        S.with_column("x", [1])


def test_the_main_label_stays() -> None:
    assert S.without("Fold", "seed").labels == ("Accuracy", "machine")
    assert S.without() == S
    with pytest.raises(SeriesError, match="the main label Accuracy must stay; with_main names another one"):
        S.without("Accuracy")


def test_labels_get_other_names() -> None:
    assert S.renamed({"Accuracy": "acc"}, Fold="fold").labels == ("acc", "machine", "fold", "seed")
    assert S.renamed({"Accuracy": "acc"}).main == "acc"
    assert S.renamed(Fold="machine", machine="Fold")["Fold"] == S["machine"]
    with pytest.raises(SeriesError, match="labels must differ, got 'Fold' twice"):
        S.renamed(machine="Fold")
    with pytest.raises(SeriesError, match="got 'fold'"):
        S.renamed(fold="Fold")


@pytest.mark.parametrize(
    ("condition", "cells", "rows"),
    [
        (None, {"machine": "knn"}, [0, 2]),
        (None, {"machine": "knn", "Fold": 1}, [2]),
        (None, {"Fold": [0, 1], "machine": ("svm",)}, [1, 3]),
        (None, {"Fold": np.array([1])}, [2, 3]),
        (None, {"Fold": range(1)}, [0, 1]),
        (None, {"Fold": 1.0}, [2, 3]),
        (None, {"Fold": "1"}, []),
        (None, {"seed": None}, [0]),
        (None, {"seed": 1}, [1]),
        (None, {"seed": True}, [2]),
        (lambda row: row["Accuracy"] > 0.65, {}, [0, 1, 2]),
        (lambda row: row["Accuracy"] > 0.65, {"Fold": 1}, [2]),
        ({"Fold": 0}, {"machine": "svm"}, [1]),
        (None, {}, [0, 1, 2, 3]),
    ],
)
def test_rows_are_selected_by_cells_or_a_predicate(condition: Any, cells: dict[str, Any], rows: list[int]) -> None:
    assert S.where(condition, **cells) == S[rows]


def test_a_label_that_is_not_there_selects_nothing_silently() -> None:
    with pytest.raises(SeriesError, match="a label must be one of Accuracy, machine, Fold, seed, got 'fold'"):
        S.where(fold=1)


def test_rows_are_sorted_by_several_labels() -> None:
    assert S.sort_by("machine", "Accuracy")["Accuracy"].tolist() == [0.7, 0.9, 0.6, 0.8]
    assert S.sort_by("machine", descending=True)["Accuracy"].tolist() == [0.8, 0.6, 0.9, 0.7]


@given(results(cells=st.floats(-2, 2) | st.just(float("nan"))), st.booleans())
def test_sorting_agrees_with_pandas(series: Series, descending: bool) -> None:
    series = series.without("key").with_column("row", range(len(series)))
    by = ["Fold", "Accuracy"]
    frame = series.to_pandas().sort_values(by, ascending=not descending, kind="stable")
    assert series.sort_by(*by, descending=descending)["row"].tolist() == frame["row"].tolist()


@given(pairable(INTS))
def test_joining_agrees_with_pandas(pair: tuple[Series, Series]) -> None:
    left, right = pair
    on = ["Repetition", "Fold"]
    merged = pandas.merge(
        left.to_pandas(), right.to_pandas(), on=on, how="left", suffixes=(" (left)", " (right)"), validate="one_to_one"
    )
    assert left.join(right) == Series.from_pandas(merged, main="Accuracy (left)")


@given(results(cells=INTS))
def test_grouping_agrees_with_pandas(series: Series) -> None:
    grouped = series.to_pandas().groupby(["machine", "Fold"], sort=False, dropna=False)
    sums = series.group_by("machine", "Fold").map(Series.sum).ungroup()
    assert list(sums["Accuracy"]) == [sum(map(int, group["Accuracy"])) for _, group in grouped]


def test_labels_that_both_have_get_suffixes() -> None:
    knn, svm = S.without("seed").group_by("machine")
    joined = knn.join(svm, suffixes=(" of knn", " of svm"))
    assert joined.labels == ("Accuracy of knn", "Fold", "Accuracy of svm")
    assert joined.main == "Accuracy of knn"
    with pytest.raises(SeriesError, match="join: labels must differ, got 'Accuracy' twice"):
        knn.join(svm, suffixes=("", ""))


def test_a_join_needs_labels_to_join_on() -> None:
    lonely = Series({"Accuracy": [0.9]})
    with pytest.raises(SeriesError, match="join: on must name at least one label that both series have"):
        S.join(lonely)
    with pytest.raises(SeriesError, match="join: on must be one of Accuracy, got 'Fold'"):
        S.join(lonely, on="Fold")
    with pytest.raises(SeriesError, match="Fold=0 is there twice on the left, in rows 0 and 1; on= names other labels"):
        S.join(S, on="Fold")


def test_a_join_may_be_on_the_main_label() -> None:
    other = Series({"Accuracy": [0.6, 0.7, 0.8, 0.9], "rank": [4, 3, 2, 1]})
    assert S.join(other, on="Accuracy")["rank"].tolist() == [1, 2, 3, 4]


def test_what_a_transformation_makes_becomes_a_series() -> None:
    assert S.map(lambda s: s[:1]) == S[:1]
    assert S.map(Series.max) == Series({"Accuracy": [0.9]})
    assert S.map(lambda s: {"n": len(s), "values": s.values}).row(0)["n"] == 4
    with pytest.raises(SeriesError, match="a cell must be"):
        S.map(lambda s: object())


def test_series_of_the_same_labels_are_put_together() -> None:
    assert Series.concat(S[:1], S[1:]) == S
    assert Series.concat(S[:0], S) == S
    assert Series.concat(Series({"a": [1]}), Series({"a": ["x"]}))["a"] == (1, "x")
    with pytest.raises(SeriesError, match="concat: series must have the same labels"):
        Series.concat(S, S.without("Fold"))
    with pytest.raises(SeriesError, match="concat: series must have the same labels"):
        Series.concat(S, S.with_main("Fold"))
    with pytest.raises(SeriesError, match="concat: takes at least one series, got none"):
        Series.concat()


def test_sizes_must_sum_up() -> None:
    with pytest.raises(SeriesError, match=r"sizes must sum up to 4, the number of rows, got \(1, 2\)"):
        S.split(1, 2)
    with pytest.raises(SeriesError, match="sizes must sum up"):
        S.split(5, -1)
    with pytest.raises(SeriesError, match="n must be at least 1, got 0"):
        S.group_modulo(0)


def test_groups_need_labels_other_than_the_main_one() -> None:
    for labels, message in [
        ((), "one or more different labels, got none"),
        (("Fold", "Fold"), "one or more different labels"),
        (("fold",), "got 'fold'"),
        (("Accuracy",), "the main label Accuracy must stay"),
    ]:
        with pytest.raises(SeriesError, match=message):
            S.group_by(*labels)
