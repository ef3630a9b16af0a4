"""Thresholds that are values of the training data."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS_2D,
    Bytes,
    kernel,
    void,
)

SLACK = 4
"""How many times the distance of numbers next to each other, of the largest size of a column, is rounding."""


@kernel(void(GIVEN_CODES_2D, GIVEN_FLOATS_2D, BYTES, GIVEN_CODES, FLOATS))
def move_to_values(order: Codes, values: Floats, is_there: Bytes, columns: Codes, cuts: Floats) -> None:
    """Replace each cut of a column by the largest value that is not above it, but for rounding.

    That is what `statistics.rounding.largest_values` does, of the rows of a table that are there. `order` is that of
    the table. No column with a cut is without values.
    """
    for i in range(len(cuts)):
        column, cut = columns[i], cuts[i]
        low, high = 0, order.shape[1]
        while low < high:
            middle = (low + high) // 2
            value = values[column, order[column, middle]]
            if value <= cut:
                low = middle + 1
            else:
                high = middle
        below, above, last = low - 1, low, order.shape[1] - 1
        while not is_there[order[column, below]]:
            below -= 1
        while above <= last and not is_there[order[column, above]]:
            above += 1
        first = 0
        while not is_there[order[column, first]]:
            first += 1
        while not is_there[order[column, last]] or np.isnan(values[column, order[column, last]]):
            last -= 1
        smallest, largest = values[column, order[column, first]], values[column, order[column, last]]
        value_below, value_above = values[column, order[column, below]], largest
        if above <= last:
            value_above = values[column, order[column, above]]
        slack = SLACK * np.spacing(max(abs(smallest), abs(largest)))
        is_above = value_above - cut <= slack and cut - value_below > 4 * slack
        cuts[i] = value_above if is_above else value_below
