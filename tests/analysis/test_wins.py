from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import InvalidComparison, Wilcoxon, Wins, WinsDrawsLosses
from intemi.series import Series
from tests.analysis.published import AUC, VARIANTS, many

MACHINES = ("knn", "svm", "tree")


def results(folds: dict[tuple[str, str], list[float]]) -> Series:
    rows = [(v, m, d, n) for (m, d), values in folds.items() for n, v in enumerate(values)]
    labels = ("Accuracy", "machine", "data", "Fold")
    return Series({label: [row[place] for row in rows] for place, label in enumerate(labels)})


accuracies = st.lists(st.integers(0, 10).map(lambda hits: hits / 10), min_size=4, max_size=4)
tables = st.fixed_dictionaries({(m, d): accuracies for m in MACHINES for d in ("iris", "wine", "glass")})


@given(tables)
def test_wins_of_one_are_losses_of_the_other_and_all_data_sets_count(folds: dict[tuple[str, str], list[float]]) -> None:
    found = WinsDrawsLosses(alpha=0.1)(results(folds))
    cells = {(item["machine"], item["against"]): item for item in found}
    assert len(cells) == 9
    for (machine, against), item in cells.items():
        assert item["wins"] + item["draws"] + item["losses"] == 3
        assert item["wins"] == cells[against, machine]["losses"]
        assert machine != against or item["draws"] == 3


@given(tables)
def test_every_data_set_has_a_winner(folds: dict[tuple[str, str], list[float]]) -> None:
    assert Wins(alpha=0.1)(results(folds)).sum() >= 3


def test_wins_by_means_alone_are_counted_in_demsars_table() -> None:
    series = many(AUC, VARIANTS, "AUC")
    found = WinsDrawsLosses(test=None, against="C4.5")(series)
    cell = found.where(machine="C4.5+m").row(0)
    assert (cell["W-D-L"], cell["variant"]) == ("10-2-2", "by the means alone")
    assert len(found) == 4


def test_lowest_values_may_be_best() -> None:
    series = many({"iris": (1, 2), "wine": (1, 2)}, ("knn", "svm"), "Error")
    assert Wins(test=None, best="lowest")(series).values.tolist() == [2, 0]
    assert WinsDrawsLosses(test=None, best="lowest")(series).where(machine="knn", against="svm").values[0] == 2


def test_the_level_is_shared_among_all_comparisons() -> None:
    folds = {(m, d): [0.5, 0.6, 0.7] for m in MACHINES for d in ("iris", "wine")}
    for correction, level in (("none", 0.01), ("bonferroni", 0.01 / 6), ("sidak", 1 - 0.99 ** (1 / 6))):
        item = WinsDrawsLosses(correction=correction)(results(folds)).row(0)  # type: ignore[arg-type]
        assert (item["comparisons"], item["level"]) == (6, pytest.approx(level))
    assert Wins()(results(folds)).row(0)["comparisons"] == 4


def test_any_test_of_two_series_will_do() -> None:
    folds = {("knn", "iris"): [0.9 - n / 100 for n in range(10)], ("svm", "iris"): [0.5 + n / 100 for n in range(10)]}
    found = WinsDrawsLosses(test=Wilcoxon(), alpha=0.05)(results(folds))
    assert found.where(machine="knn", against="svm").row(0)["W-D-L"] == "1-0-0"
    assert "Wilcoxon()" in found.row(0)["variant"]


def test_single_results_are_not_tested() -> None:
    series = many({"iris": (1, 2), "wine": (1, 2)}, ("knn", "svm"), "Accuracy")
    with pytest.raises(InvalidComparison, match="PairedTTest: there must be at least 2 pairs, got 1"):
        WinsDrawsLosses()(series)


def test_an_opponent_that_is_not_there_is_refused() -> None:
    series = many({"iris": (1, 2)}, ("knn", "svm"), "Accuracy")
    with pytest.raises(InvalidComparison, match=re.escape("against must be one of 'knn', 'svm', got 'tree'")):
        WinsDrawsLosses(test=None, against="tree")(series)
