"""Where results of several configurations are pooled, samples are dependent, and the test says so (1.2.8)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intemi.analysis import (
    InvalidComparison,
    MannWhitney,
    PairedTTest,
    SignTest,
    TTest,
    Wilcoxon,
    Wins,
    WinsDrawsLosses,
)
from intemi.series import Series

STAMP = "descriptive (dependent samples)"
TESTS = [PairedTTest(), TTest(), Wilcoxon(), SignTest(), MannWhitney()]


def results(inducers: int) -> Series:
    """Accuracies of three sizes of ensembles, made of trees of several inducers."""
    rng = np.random.default_rng(1)
    places = list(product(("iris", "wine"), (1, 5, 9), range(inducers), (1, 2), (1, 2, 3)))
    labels = zip(*places, strict=True)
    named = dict(zip(("data", "size", "inducer", "Repetition", "Fold"), map(list, labels), strict=True))
    return Series({"Accuracy": rng.random(len(places)), **named}, main="Accuracy")


def of_size(series: Series, size: int) -> Series:
    return series.where(data="iris", size=size).without("size", "data")


@pytest.mark.parametrize("test", TESTS, ids=repr)
def test_a_test_of_two_pooled_series_is_descriptive(test: object) -> None:
    pooled, alone = results(inducers=4), results(inducers=1)
    assert test(of_size(pooled, 1), of_size(pooled, 5)).row(0)["variant"].endswith(STAMP)  # type: ignore[operator]
    assert STAMP not in test(of_size(alone, 1), of_size(alone, 5)).row(0)["variant"]  # type: ignore[operator]


@pytest.mark.parametrize("counted", [Wins(of="size"), WinsDrawsLosses(of="size")], ids=repr)
def test_wins_of_pooled_results_are_descriptive(counted: Wins | WinsDrawsLosses) -> None:
    assert STAMP in counted(results(inducers=4))["variant"][0]
    assert STAMP not in counted(results(inducers=1))["variant"][0]


def test_means_over_configurations_on_each_split_are_not_pooled() -> None:
    splits = results(inducers=4).group_by("data", "size", "Repetition", "Fold").map(Series.mean).ungroup()
    assert STAMP not in Wins(of="size")(splits)["variant"][0]


def test_data_sets_are_not_pooled_at_all() -> None:
    series = results(inducers=1).without("inducer")
    one, five = (series.where(size=size).without("size") for size in (1, 5))
    for test in TESTS:
        with pytest.raises(InvalidComparison, match="data sets"):
            test(one, five)  # type: ignore[operator]
