from __future__ import annotations

import pytest

from intemi.analysis import CorrectedTTest, InvalidComparison, PairedTTest
from intemi.kernel import ConfigurationError
from intemi.series import Series
from tests.analysis.published import table_4_3


def test_the_correction_makes_differences_less_certain() -> None:
    plain, corrected = PairedTTest()(*table_4_3()).row(0), CorrectedTTest(folds=10)(*table_4_3()).row(0)
    assert corrected["t"] == pytest.approx(plain["t"] * ((1 / 10) / (1 / 10 + 1 / 9)) ** 0.5)
    assert corrected["p"] > plain["p"]


def test_differences_in_ten_times_ten_folds() -> None:
    """Computed by hand: (1/100 + 1/9) times the variance of the differences, 99 degrees of freedom."""
    labels = {"Repetition": [each // 10 for each in range(100)], "Fold": [each % 10 for each in range(100)]}
    first = Series({"Accuracy": [1, 2, 0, 3, -1, 2, 1, 0, 2, 1] * 10, **labels})
    second = Series({"Accuracy": [0] * 100, **labels})
    found = CorrectedTTest(folds=10)(first, second).row(0)
    assert (round(found["t"], 6), round(found["p"], 6)) == (2.769003, 0.006714)
    assert round(PairedTTest()(first, second).row(0)["t"], 4) == 9.6364


def test_folds_that_are_not_all_there_are_refused() -> None:
    knn, svm = table_4_3()
    with pytest.raises(InvalidComparison, match="CorrectedTTest: there must be 10 folds, but 7 are in the series"):
        CorrectedTTest(folds=10)(knn[:7], svm[:7])
    mixed = Series({"Accuracy": [0.9, 0.8, 0.7, 0.6, 0.5], "Repetition": [1, 1, 2, 2, 2], "Fold": [1, 2, 1, 2, 3]})
    with pytest.raises(InvalidComparison, match="there must be 2 folds, but 3 of Repetition 2 are in the series"):
        CorrectedTTest(folds=2)(mixed, mixed)
    with pytest.raises(InvalidComparison, match="both series must have the label 'Fold'"):
        CorrectedTTest(folds=2)(mixed.without("Repetition", "Fold"), mixed.without("Repetition", "Fold"))


@pytest.mark.parametrize("options", [{}, {"folds": 10, "test_to_training": 0.1}, {"folds": 1}, {"test_to_training": 0}])
def test_how_training_samples_overlap_must_be_said(options: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError):
        CorrectedTTest(**options)  # type: ignore[arg-type]
