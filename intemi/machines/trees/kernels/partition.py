"""What is done to the rows, the cells and the features of a node when it is split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS_2D,
    GIVEN_CODES,
    WIDE,
    WIDE_2D,
    Wide,
    apart,
    inner,
    int64,
    types,
    void,
)
from intemi.machines.trees.kernels.feature import CONSTANT, POSITION

SIDES = types.int16[::1]


@apart(void(WIDE_2D, CODES, int64, GIVEN_CODES, CODES, int64, int64, int64, WIDE, SIDES, CODES, int64, WIDE, WIDE))
def partition(
    cells: Wide,
    live: Codes,
    live_count: int,
    place_of: Codes,
    rows: Codes,
    start: int,
    end: int,
    skipped: int,
    layout: Wide,
    side: NDArray[np.int16],
    sizes: Codes,
    branches: int,
    places: Wide,
    buffer: Wide,
) -> None:
    """Bring the rows and the cells of each branch together, without changing their order.

    A feature with one value stays as it is: it has one value in all nodes below, and that is all they look at.
    """
    rank_shift, class_shift = layout[0], layout[1]
    row_mask = (1 << class_shift) - 1
    for j in range(-1, live_count):
        f = -1 if j < 0 else int(place_of[live[j]])
        if j >= 0 and (f < 0 or f == skipped or cells[f, start] >> rank_shift == cells[f, end - 1] >> rank_shift):
            continue
        if branches == 2:
            left, right = start, 0
            if f < 0:
                for i in range(start, end):
                    row = rows[np.uint64(i)]
                    goes_right = side[np.uint64(row)]
                    rows[np.uint64(left)] = row
                    buffer[np.uint64(right)] = row
                    left += 1 - goes_right
                    right += goes_right
                for i in range(right):
                    rows[left + i] = buffer[i]
                continue
            for i in range(start, end):
                cell = cells[f, np.uint64(i)]
                goes_right = side[np.uint64(cell & row_mask)]
                cells[f, np.uint64(left)] = cell
                buffer[np.uint64(right)] = cell
                left += 1 - goes_right
                right += goes_right
            for i in range(right):
                cells[f, left + i] = buffer[i]
            continue
        place = 0
        for b in range(branches):
            places[b] = place
            place += sizes[b]
        for i in range(start, end):
            cell = int(rows[i]) if f < 0 else cells[f, i]
            b = side[cell & row_mask]
            buffer[places[b]] = cell
            places[b] += 1
        for i in range(start, end):
            if f < 0:
                rows[i] = buffer[i - start]
            else:
                cells[f, i] = buffer[i - start]


@inner(int64(CODES, int64, FLOATS_2D))
def still_live(live: Codes, live_count: int, found: Floats) -> int:
    """Bring the features that are not constant to the front; how many these are.

    Nodes that wait are not disturbed: the last one is split first, so up to their own number features stay the same
    ones, in whatever order.
    """
    kept = 0
    for j in range(live_count):
        f = live[j]
        if found[f, POSITION] != CONSTANT:
            live[j], live[kept] = live[kept], f
            kept += 1
    return kept
