from __future__ import annotations

import math

import pytest

from intemi.analysis import InvalidComparison, PairedTTest
from tests.analysis.published import over_folds


def test_no_difference_at_all_is_a_draw() -> None:
    found = PairedTTest()(over_folds([0.3, 0.5, 0.7]), over_folds([0.1 + 0.2, 0.5, 0.7])).row(0)
    assert (found["t"], found["p"]) == (0, 1)


def test_the_same_difference_everywhere_is_certain() -> None:
    found = PairedTTest()(over_folds([0.8, 0.7, 0.6]), over_folds([0.9, 0.8, 0.7])).row(0)
    assert (found["t"], found["p"]) == (-math.inf, 0)


def test_a_single_pair_is_refused() -> None:
    with pytest.raises(InvalidComparison, match="PairedTTest: there must be at least 2 pairs, got 1"):
        PairedTTest()(over_folds([0.8]), over_folds([0.9]))
