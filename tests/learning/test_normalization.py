"""Normalization beside what it has in common with standardization."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intemi.kernel import ConfigurationError
from intemi.machines.transformations import Normalization
from tests.learning.tables import numeric, outputs


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (0, math.inf), (math.nan, 1)])
def test_an_empty_or_endless_range_is_refused(low: float, high: float) -> None:
    with pytest.raises(ConfigurationError, match="Normalization: high must be above low"):
        Normalization(low, high)


def test_other_values_may_leave_the_range() -> None:
    transformation = outputs(Normalization(), data=numeric([10, 20]))["transformation"]
    np.testing.assert_allclose(transformation.transform(numeric([0, 15, 40])).features, [[-1, 0.5, 3]])


def test_the_least_difference_there_is_does_not_overflow() -> None:
    after = outputs(Normalization(), data=numeric([0, 5e-324]))["transformed"]
    assert np.isfinite(after.features).all()


@pytest.mark.filterwarnings("error")
def test_a_wide_range_of_hardly_different_values_does_not_overflow() -> None:
    after = outputs(Normalization(0, 1e10), data=numeric([0, 1e-300, 3e-308]))["transformed"]
    assert np.isfinite(after.features).all()
