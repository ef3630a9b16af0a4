from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import BayesianSignedRank, InvalidComparison, PairedTTest, SignTest, Transformation, Wilcoxon
from intemi.series import Series

FOLDS = {"Repetition": [1, 1, 2, 2], "Fold": [1, 2, 1, 2]}
A, B = [0.9, 0.8, 0.85, 0.7], [0.7, 0.75, 0.8, 0.72]


def series(values: list[float], **labels: Any) -> Series:
    return Series({"Accuracy": values, **labels})


def refused(test: Any, first: Series, second: Series, why: str) -> None:
    with pytest.raises(InvalidComparison) as error:
        test(first, second)
    assert str(error.value).startswith(f"{type(test).__name__}: {why}")


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_the_order_of_items_does_not_matter(one: list[int], other: list[int]) -> None:
    expected = PairedTTest()(series(A, **FOLDS), series(B, **FOLDS)).row(0)
    found = PairedTTest()(series(A, **FOLDS)[one], series(B, **FOLDS)[other]).row(0)
    assert found["t"] == pytest.approx(expected["t"], rel=1e-12)


@pytest.mark.parametrize("test", [PairedTTest(), Wilcoxon(), SignTest()])
@given(values=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=12))
def test_tests_are_symmetric(test: Any, values: list[tuple[int, int]]) -> None:
    first, second = (series([pair[side] / 20 for pair in values]) for side in (0, 1))
    one, other = test(first, second).row(0), test(second, first).row(0)
    assert one["p"] == pytest.approx(other["p"], rel=1e-9)
    assert one["mean difference"] == -other["mean difference"]
    assert 0 <= one["p"] <= 1


def test_the_label_of_what_is_compared_does_not_pair() -> None:
    found = PairedTTest()(series(A, machine=["knn"] * 4, **FOLDS), series(B, machine=["svm"] * 4, **FOLDS))
    assert found.row(0)["paired by"] == "Repetition, Fold"
    refused(
        PairedTTest(),
        series(A, machine=["knn", "knn", "svm", "svm"], **FOLDS),
        series(B, machine=["svm"] * 4, **FOLDS),
        "the first series is of 2 values of 'machine', not of one",
    )


def test_items_without_a_partner_are_refused() -> None:
    first, second = series(A, **FOLDS), series(B, **FOLDS)
    refused(PairedTTest(), first, second[:3], "Repetition 2, Fold 2 is in the first series only")
    refused(PairedTTest(), first[1:], second, "Repetition 1, Fold 1 is in the second series only")
    refused(PairedTTest(), first, second[:0], "the second series is empty")


def test_items_that_are_twice_in_a_series_are_refused() -> None:
    twice = series(A, Fold=[1, 2, 3, 2])
    refused(PairedTTest(), twice, twice, "Fold 2 is twice in the first series, at items 1 and 3")


def test_labels_that_only_one_series_has_are_refused() -> None:
    refused(PairedTTest(), series(A, **FOLDS), series(B), "label 'Fold' is in the first series only")
    refused(PairedTTest(on="Fold"), series(A, **FOLDS), series(B), "both series must have the label 'Fold'")


def test_labels_that_do_not_tell_items_apart_are_left_out_by_naming_those_that_do() -> None:
    first, second = series(A, Leaves=[9, 8, 7, 9], **FOLDS), series(B, Leaves=[3, 3, 4, 5], **FOLDS)
    refused(PairedTTest(), first, second, "Leaves 9, Repetition 1, Fold 1 is in the first series only; on= names")
    assert PairedTTest(on=("Repetition", "Fold"))(first, second).row(0)["n"] == 4


def test_vectors_tell_no_items_apart() -> None:
    vectors = series(A, Correct=[np.array([1, 0])] * 4)
    refused(PairedTTest(), vectors, vectors, "Correct [1 0] cannot identify an item")


def test_series_without_labels_are_paired_by_position_if_they_are_equally_long() -> None:
    assert PairedTTest()(series(A), series(B)).row(0)["paired by"] == "position"
    refused(
        PairedTTest(), series(A), series(B[:3]), "items without labels are paired by position, but there are 4 and 3"
    )


def test_different_measures_are_refused() -> None:
    refused(PairedTTest(), series(A), Series({"AUC": B}), "the main labels must be the same, got 'Accuracy' and 'AUC'")


def test_different_data_are_refused() -> None:
    iris, wine = series(A, data=["iris"] * 4, **FOLDS), series(B, data=["wine"] * 4, **FOLDS)
    refused(PairedTTest(), iris, wine, "data iris, Repetition 1, Fold 1 is in the first series only")
    refused(PairedTTest(on=("Repetition", "Fold")), iris, wine, "pair 0 is of data 'iris' and of data 'wine'")


@pytest.mark.parametrize("test", [Wilcoxon(), SignTest(), BayesianSignedRank(samples=10)])
def test_folds_of_several_data_sets_are_not_mixed(test: Transformation) -> None:
    data = ["iris", "iris", "wine", "wine"]
    refused(test, series(A, data=data, Fold=[1, 2, 1, 2]), series(B, data=data, Fold=[1, 2, 1, 2]), "4 items are of 2")
    means = series(A, data=data, Fold=[1, 2, 1, 2]).group_by("data").map(Series.mean).ungroup()
    assert test(means, means).row(0)["n"] in (0, 2)  # type: ignore[operator]


def test_means_over_data_sets_are_not_averaged_by_a_t_test() -> None:
    data = ["iris", "wine", "glass", "zoo"]
    refused(
        PairedTTest(), series(A, data=data), series(B, data=data), "the items are of 4 data sets (iris, wine, glass, …)"
    )
