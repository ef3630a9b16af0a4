"""The order of a table is that of a stable sort, however it is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intemi.data import Column, Table
from intemi.data import table as tables

NEXT_TO_ONE = [float(np.nextafter(1.0, side)) for side in (0.0, 2.0)]
AWKWARD = [0.0, -0.0, 1.0, -1.0, *NEXT_TO_ONE, -NEXT_TO_ONE[1], 5e-324, -5e-324, np.inf, -np.inf, np.nan, -np.nan]


def order_of(values: np.ndarray) -> np.ndarray:
    return Table([Column(f"x{index}") for index in range(len(values))], values).order


@given(st.tuples(st.integers(1, 4), st.integers(0, 40)).flatmap(lambda shape: arrays(float, shape)))
def test_any_values_are_ordered_as_by_a_stable_sort(values: np.ndarray) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "WORTH_PACKING", 2)
        assert (order_of(values) == np.argsort(values, axis=1, kind="stable")).all()


@pytest.mark.parametrize("seed", range(20))
def test_values_that_differ_in_their_last_bits_are_ordered_too(seed: int) -> None:
    values = np.random.default_rng(seed).choice(AWKWARD, size=(3, 2_000))
    assert (order_of(values) == np.argsort(values, axis=1, kind="stable")).all()


def test_a_large_table_is_ordered_a_few_columns_at_a_time() -> None:
    values = np.random.default_rng(0).normal(size=(5, tables.SORTED_AT_ONCE // 2))
    assert (order_of(values) == np.argsort(values, axis=1, kind="stable")).all()
