"""Tails of distributions agree with scipy.stats, which takes seconds to import and is not used for them."""

from __future__ import annotations

import math

import pytest

from intemi.analysis.distributions import range_quantile, upper_range


@pytest.mark.parametrize("samples", [2, 3, 10, 50])
def test_the_range_of_normal_values_is_distributed_as_scipy_says(samples: int) -> None:
    from scipy import stats

    for q in (0.0, 0.1, 1.0, 3.0, 5.0, 8.0, 40.0):
        assert upper_range(q, samples) == pytest.approx(stats.studentized_range.sf(q, samples, math.inf), abs=1e-12)
    for upper in (0.5, 0.1, 0.05, 0.001):
        theirs = stats.studentized_range.ppf(1 - upper, samples, math.inf)
        assert range_quantile(upper, samples) == pytest.approx(theirs, rel=1e-10)
