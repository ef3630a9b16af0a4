from __future__ import annotations

import pytest

from intemi.analysis import AverageRanks, Friedman, InvalidComparison, Ranks
from intemi.series import Series

# Three machines on two data sets, two folds each.
RESULTS = Series(
    {
        "Accuracy": [0.9, 0.7, 0.8, 0.8, 0.6, 0.7, 0.5, 0.6, 0.4, 0.3, 0.2, 0.1],
        "machine": ["knn", "knn", "svm", "svm", "tree", "tree"] * 2,
        "data": ["iris"] * 6 + ["wine"] * 6,
        "Fold": [1, 2] * 6,
    }
)


def refused(series: Series, why: str, test: Friedman | None = None) -> None:
    with pytest.raises(InvalidComparison) as error:
        (test or Friedman())(series)
    assert str(error.value).startswith(f"Friedman: {why}")


def test_the_mean_over_folds_counts_and_errors_of_rounding_do_not() -> None:
    assert Ranks()(RESULTS).values.tolist() == [1.5, 1.5, 3, 1, 2, 3]


def test_lowest_values_may_be_best() -> None:
    assert list(AverageRanks(best="lowest")(RESULTS)["machine"]) == ["tree", "svm", "knn"]


def test_a_machine_that_was_not_tested_on_a_data_set_is_named() -> None:
    refused(RESULTS[:10], "there is no item of machine tree on data wine")


def test_folds_that_differ_between_machines_are_refused() -> None:
    refused(RESULTS[:11], "Fold 2 is in machine knn on data wine only")
    refused(RESULTS[[0, *range(12)]], "Fold 1 is twice in machine knn on data iris")


def test_items_that_nothing_tells_apart_are_refused() -> None:
    refused(RESULTS.without("Fold"), "2 items of machine knn on data iris have no labels to tell them apart")


def test_missing_labels_and_too_few_machines_or_data_sets_are_refused() -> None:
    refused(RESULTS.without("data"), "the series must have the label 'data'")
    refused(RESULTS.where(machine=["knn", "svm"]), "there must be at least 3 values of 'machine', got 2")
    refused(RESULTS.where(data="iris"), "there must be at least 2 values of 'data', got 1")


def test_labels_that_do_not_tell_items_apart_are_left_out_by_naming_those_that_do() -> None:
    series = RESULTS.with_column("Leaves", list(range(12)))
    refused(series, "Fold 1, Leaves 0 is in machine knn on data iris only; on= names")
    assert Friedman(on="Fold")(series) == Friedman()(RESULTS)
