"""What is done to the rows, the cells and the features of a node when it is split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    Bytes,
    Wide,
    helper,
    inlined,
    types,
)
from intemi.machines.trees.kernels.found import CONSTANT, POSITION

SIDES = types.int16[::1]


@helper
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
    only: int,
    places: Wide,
    buffer: Wide,
) -> None:
    """Bring the rows and the cells of each branch together, without changing their order.

    If `only` one of two branches, 0 or 1, will be split, nothing is done for the other; -1: all matter. A feature with
    one value stays as it is: it has one value in all nodes below, and that is all they look at.
    """
    rank_shift, class_shift = layout[0], layout[1]
    row_mask = (1 << class_shift) - 1
    for j in range(-1, live_count):
        f = -1 if j < 0 else int(place_of[live[j]])
        if j >= 0 and (f < 0 or f == skipped or cells[f, start] >> rank_shift == cells[f, end - 1] >> rank_shift):
            continue
        if branches == 2:
            left, right = start, 0
            if only == 1:
                at = end - 1
                for i in range(end - 1, start - 1, -1):
                    if f < 0:
                        row = rows[np.uint64(i)]
                        rows[np.uint64(at)] = row
                        at -= side[np.uint64(row)]
                    else:
                        cell = cells[f, np.uint64(i)]
                        cells[f, np.uint64(at)] = cell
                        at -= side[np.uint64(cell & row_mask)]
                continue
            if f < 0:
                for i in range(start, end):
                    row = rows[np.uint64(i)]
                    goes_right = side[np.uint64(row)]
                    rows[np.uint64(left)] = row
                    buffer[np.uint64(right)] = row
                    left += 1 - goes_right
                    right += goes_right
                for i in range(right if only < 0 else 0):
                    rows[left + i] = buffer[i]
                continue
            for i in range(start, end):
                cell = cells[f, np.uint64(i)]
                goes_right = side[np.uint64(cell & row_mask)]
                cells[f, np.uint64(left)] = cell
                buffer[np.uint64(right)] = cell
                left += 1 - goes_right
                right += goes_right
            for i in range(right if only < 0 else 0):
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


@helper
def divide(
    bins: Bytes,
    cells: Wide,
    feature: int,
    bin_count: int,
    place: int,
    rows: Codes,
    classes: Codes,
    start: int,
    end: int,
    position: int,
    layout: Wide,
    step: Wide,
    side: NDArray[np.int16],
) -> tuple[int, int, int]:
    """Say for each row of a node on which `side` of a cut it is, if no value is missing.

    Returns how many rows are below the cut, -1 if a value is missing; what the `step` of their classes add up to; and
    the highest bin below the cut.
    """
    rank_shift, class_shift = layout[0], layout[1]
    class_mask, row_mask = (1 << (rank_shift - class_shift)) - 1, (1 << class_shift) - 1
    size, total, last = 0, 0, 0
    if place >= 0:
        for i in range(start, position):
            cell = cells[place, np.uint64(i)]
            side[np.uint64(cell & row_mask)] = 0
            total += step[np.uint64((cell >> class_shift) & class_mask)]
        for i in range(position, end):
            side[np.uint64(cells[place, np.uint64(i)] & row_mask)] = 1
        return position - start, total, last
    missing = 0
    for i in range(start, end):
        row = np.uint64(rows[np.uint64(i)])
        b = int(bins[row, np.uint64(feature)])
        is_below = int(b < position)
        side[row] = 1 - is_below
        missing |= int(b == bin_count)
        size += is_below
        total += step[np.uint64(classes[row])] & -is_below
        last = max(last, b & -is_below)
    return -1 if missing else size, total, last


@inlined
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
