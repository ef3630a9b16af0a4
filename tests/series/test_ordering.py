from __future__ import annotations

import numpy as np
import pytest

from intemi.series.columns import column
from intemi.series.ordering import ordered


@pytest.mark.parametrize(
    ("cells", "ascending", "descending"),
    [
        ([3, 1, 2], [1, 2, 0], [0, 2, 1]),
        ([1, 2, 1, 2], [0, 2, 1, 3], [1, 3, 0, 2]),
        ([float("nan"), 2.0, 1.0], [2, 1, 0], [1, 2, 0]),
        ([None, "b", "a", None], [2, 1, 0, 3], [1, 2, 0, 3]),
        (["a", 2, True, 1.5], [2, 3, 1, 0], [0, 1, 3, 2]),
        ([np.array([2, 1]), np.array([1, 5]), np.array([[0]])], [1, 0, 2], [2, 0, 1]),
        ([], [], []),
    ],
)
def test_cells_of_all_kinds_have_an_order(cells: list[object], ascending: list[int], descending: list[int]) -> None:
    assert ordered(column(cells)).tolist() == ascending
    assert ordered(column(cells), descending=True).tolist() == descending
