"""In the order of complexity, 47 of the book's 54 tests of mushroom end within a fifth of the time; wrong estimates
cost little of that, and a random order finishes a quarter (the book's section 6.3, its table of complexities).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.optimize import brentq

from intemi.machines.meta_learning import (
    Complexity,
    ComplexitySearch,
    KnowledgeBase,
    PassiveSearch,
    RandomOrder,
    Strategy,
    replay,
)
from intemi.machines.meta_learning.complexity import CYCLES_A_SECOND

# Rows: kNN (Euclid, mixed, Mahalanobis), NBC, SVM (Gaussian, linear), ExpectedClass + kNN, LVQ + kNN, boosted NBC.
# Columns: pure, behind selection by correlation and by F-score; the same with parameter search.
TABLE = """
3.56e8 1.13e7 1.12e7 1.87e10 3.18e8 3.17e8
3.61e8 1.79e8 1.79e8 2.48e9 3.75e9 3.75e9
1.97e9 2.91e8 2.91e8 1.35e10 6.06e9 6.06e9
6.50e6 5.91e6 5.89e6 6.72e6 1.81e8 1.81e8
2.40e9 1.08e9 1.08e9 9.24e10 2.41e10 2.41e10
1.65e9 1.01e9 1.01e9 1.65e9 2.18e10 2.18e10
8.79e6 9.22e6 9.21e6 8.91e7 2.65e8 2.65e8
9.49e7 2.11e7 2.11e7 8.19e9 5.64e8 5.64e8
1.04e8 5.41e7 5.41e7 1.04e8 1.60e9 1.60e9
"""


def seconds_of(complexity: float) -> float:
    """How long a test takes whose complexity, without its memory, is that."""
    cycles = brentq(lambda cycles: cycles / np.log(cycles) - complexity, 10.0, 1e14, xtol=1e-3, rtol=1e-12)
    return float(cycles) / CYCLES_A_SECOND


TRUE = {str(number): seconds_of(float(text)) for number, text in enumerate(TABLE.split(), start=1)}
SECONDS = np.array(list(TRUE.values()))
BASE = KnowledgeBase(("mushroom",), tuple(TRUE), np.full((1, 54, 1), 0.9), SECONDS[None, :])


def share_done(strategy: Strategy, seed: int = 0, expected: Mapping[str, float] = TRUE) -> float:
    """The share of the tests that end within a fifth of the time of all of them."""
    course, _ = replay(
        strategy,
        BASE,
        "mushroom",
        candidates=list(TRUE),
        seed=seed,
        deadline=SECONDS.sum() / 5,
        expected=lambda name: Complexity(expected[str(name)]),
    )
    return len(course.ranking) / len(TRUE)


def test_most_tests_end_within_a_fifth_of_the_time() -> None:
    assert share_done(ComplexitySearch(window=1)) == 47 / 54


def test_estimates_may_be_wrong_by_a_factor_of_two() -> None:
    shares = []
    for seed in range(100):
        error = 10 ** np.random.default_rng(seed).normal(0, 0.3, len(TRUE))
        expected = dict(zip(TRUE, (SECONDS * error).tolist(), strict=True))
        shares.append(share_done(ComplexitySearch(window=1), expected=expected))
    assert np.mean(shares) >= 0.8


def test_a_random_order_finishes_a_quarter() -> None:
    shares = [share_done(PassiveSearch(RandomOrder()), seed) for seed in range(200)]
    assert np.mean(shares) == pytest.approx(0.25, abs=0.05)
