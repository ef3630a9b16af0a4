"""Superclasses."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.trees.grouping import TwoMeans


def test_the_middle_class_joins_the_nearer_extreme() -> None:
    assert TwoMeans().lower(np.array([9.0, 2.0, 5.0]), np.ones(3)).tolist() == [False, True, True]
    assert TwoMeans().lower(np.array([1.0, 5.0, 8.0]), np.ones(3)).tolist() == [True, False, False]


def test_equal_means_leave_the_heaviest_class_alone() -> None:
    assert TwoMeans().lower(np.array([0.1, 0.1, 0.1]), np.array([2.0, 5.0, 5.0])).tolist() == [False, True, False]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8, unique=True))
def test_groups_are_not_empty_and_every_mean_is_nearer_to_its_own_group(means: list[float]) -> None:
    values = np.array(means)
    lower = TwoMeans().lower(values, np.ones(len(values)))
    assert 0 < lower.sum() < len(values)
    if np.ptp(values) > 1e-9 * np.abs(values).max():
        low, high = values[lower].mean(), values[~lower].mean()
        assert (np.abs(values[lower] - low) <= np.abs(values[lower] - high) + 1e-9).all()
        assert (np.abs(values[~lower] - high) <= np.abs(values[~lower] - low) + 1e-9).all()
        assert lower[np.argmin(values)]
