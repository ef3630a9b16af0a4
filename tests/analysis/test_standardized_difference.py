from __future__ import annotations

import re
import statistics

import pytest
from hypothesis import given

from intemi.analysis import InvalidComparison, StandardizedDifference
from intemi.series import Series
from tests.analysis.test_wins import results, tables

Folds = dict[tuple[str, str], list[float]]

FOLDS: Folds = {
    ("knn", "iris"): [0.9, 0.8, 0.7],
    ("svm", "iris"): [0.8, 0.8, 0.5],
    ("knn", "wine"): [0.6, 0.4, 0.2],
    ("svm", "wine"): [0.8, 0.8, 0.5],
}


def cells(found: Series, label: str = "difference") -> dict[str, float]:
    return {item["machine"]: item[label] for item in found}


def test_differences_are_in_deviations_of_the_reference_and_averaged() -> None:
    found = StandardizedDifference(against="knn")(results(FOLDS))
    assert cells(found) == {"knn": 0, "svm": pytest.approx((-0.1 / 0.1 + 0.3 / 0.2) / 2)}
    assert cells(found, "data sets") == {"knn": 2, "svm": 2}
    each = StandardizedDifference(against="knn").of_each(results(FOLDS)).where(machine="svm")
    assert dict(zip(each["data"], each.values, strict=True)) == {"iris": pytest.approx(-1), "wine": pytest.approx(1.5)}


def test_without_a_reference_the_best_machine_of_each_data_set_is_it() -> None:
    spread = statistics.stdev([0.8, 0.8, 0.5])
    found = cells(StandardizedDifference()(results(FOLDS)))
    assert found == {"knn": pytest.approx(-0.3 / spread / 2), "svm": pytest.approx(-1 / 2)}
    found = cells(StandardizedDifference(best="lowest")(results(FOLDS)))
    assert found == {"knn": pytest.approx(0.1 / spread / 2), "svm": pytest.approx(1.5 / 2)}


@given(tables)
def test_no_machine_is_better_than_the_best(folds: Folds) -> None:
    if all(len(set(values)) > 1 for values in folds.values()):
        assert StandardizedDifference()(results(folds)).max() <= 0


def test_data_sets_on_which_the_reference_has_no_spread_are_left_out_and_named() -> None:
    folds = {**FOLDS, ("knn", "mushroom"): [1.0] * 3, ("svm", "mushroom"): [0.9, 1.0, 1.0]}
    found = StandardizedDifference(against="knn")(results(folds))
    assert found.row(0)["left out"] == "mushroom"
    assert cells(found) == cells(StandardizedDifference(against="knn")(results(FOLDS)))
    assert set(StandardizedDifference(against="knn").of_each(results(folds))["data"]) == {"iris", "wine"}
    with pytest.raises(InvalidComparison, match="no spread on any data set"):
        StandardizedDifference(against="knn")(results({key: [1.0, 1.0] for key in FOLDS}))


def test_a_reference_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidComparison, match=re.escape("against must be one of 'knn', 'svm', got 'oracle'")):
        StandardizedDifference(against="oracle")(results(FOLDS))
