from __future__ import annotations

import math

import numpy as np
import pytest

from intemi.analysis import BasicStatistics, InvalidComparison
from intemi.series import Series


def test_the_statistics_are_those_of_numpy() -> None:
    values = [0.93, 1.0, 0.97, 0.93, 0.97]
    found = BasicStatistics()(Series({"Accuracy": values, "Fold": [1, 2, 3, 4, 5]}))
    assert found.main == "mean"
    assert found.row(0) == {
        "mean": np.mean(values),
        "sd": np.std(values, ddof=1),
        "min": 0.93,
        "median": 0.97,
        "max": 1.0,
        "n": 5,
    }


def test_they_describe_each_repetition_of_a_cross_validation() -> None:
    series = Series({"Accuracy": [0.5, 1.0, 0.25, 0.75], "Repetition": [1, 1, 2, 2], "Fold": [1, 2, 1, 2]})
    found = series.group_by("Repetition").map(BasicStatistics()).ungroup()
    assert (found["Repetition"].tolist(), found["mean"].tolist()) == ([1, 2], [0.75, 0.5])


def test_a_single_value_has_no_deviation_and_an_empty_series_no_statistics() -> None:
    assert math.isnan(BasicStatistics()(Series({"Accuracy": [0.5]})).row(0)["sd"])
    with pytest.raises(InvalidComparison, match="BasicStatistics: the series is empty"):
        BasicStatistics()(Series({"Accuracy": []}))
