from __future__ import annotations

import math

import pytest

from intemi.analysis import FiveByTwoFTest, InvalidComparison
from intemi.series import Series


def results(first: float, step: float) -> Series:
    folds = {"Repetition": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "Fold": [1, 2] * 5}
    return Series({"Accuracy": [first + step * position for position in range(10)], **folds})


def test_differences_without_spread_are_none_or_certain() -> None:
    assert FiveByTwoFTest()(results(0.5, 0.01), results(0.5, 0.01)).row(0)["p"] == 1
    found = FiveByTwoFTest()(results(0.6, 0.01), results(0.5, 0.01)).row(0)
    assert (found["F"], found["p"]) == (math.inf, 0)


def test_anything_but_five_times_two_folds_is_refused() -> None:
    series = results(0.5, 0.01)
    with pytest.raises(InvalidComparison, match="FiveByTwoFTest: there must be 5 repetitions of 2 folds, got 8 items"):
        FiveByTwoFTest()(series[:8], series[:8])
    ten_folds = Series({"Accuracy": series.values, "Repetition": [1] * 10, "Fold": range(10)})
    with pytest.raises(InvalidComparison, match=r"got 10 items, folds 10$"):
        FiveByTwoFTest()(ten_folds, ten_folds)
    with pytest.raises(InvalidComparison, match="both series must have the label 'Repetition'"):
        FiveByTwoFTest()(series.without("Repetition", "Fold"), series.without("Repetition", "Fold"))
