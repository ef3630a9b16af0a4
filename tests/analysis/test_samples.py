from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import BasicStatistics, InvalidComparison
from intemi.analysis.samples import settled
from intemi.series import Series


@pytest.mark.parametrize(
    ("values", "shown"),
    [([0.9, None], "None at item 1"), (["high", 0.5], "'high' at item 0"), ([0.5, 0.5, np.nan], "nan at item 2")],
)
def test_values_that_are_no_numbers_are_refused_by_name(values: list[object], shown: str) -> None:
    with pytest.raises(InvalidComparison, match=re.escape(f"'Accuracy' must be a finite number, got {shown}")):
        BasicStatistics()(Series({"Accuracy": values}))


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=2), st.integers(0, 1000))
def test_equal_differences_of_decimals_are_equal_once_settled(pair: list[int], step: int) -> None:
    differences = np.array([(each + step) / 1000 - each / 1000 for each in pair])
    first, second = settled(differences, scale=2.0)
    assert first == second
