"""Surrogates of a split into two branches: splits of other features that send most rows to the same side.

Of each feature the best one is found in its groups: the rows of each value, or of each symbol, of which only matters
what they weigh on either side. Symbols are put in the order of the share of the first side; of two classes that is
exact, so a set of symbols is a beginning of that order as the rows below a cut are one of the order of values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.bins import count_bins, count_packed
from intemi.machines.trees.kernels.cells import end_of_known
from intemi.machines.trees.kernels.compiling import Bytes, helper, inlined, unowned
from intemi.machines.trees.kernels.found import rounded
from intemi.machines.trees.kernels.numbering import KIND, PARAMETERS, TESTED
from intemi.machines.trees.kernels.state import AT_ONCE, Growing, Room, Scanned, View
from intemi.machines.trees.tree import REVERSED, SYMBOLS, THRESHOLDS

UNKNOWN_SIDE, SIDES = 2, 3
"""The side of rows whose value of the feature of the split is missing, and how many sides there are with it."""
BITS = 21
"""The bits that the count of a side gets where those of all sides are one number."""
SAME = 1e-12
"""What agrees better by less than this agrees equally well; what beats chance by less does not beat it."""


class Imitations(NamedTuple):
    """Room for the best split of each feature, and for the groups of one feature."""

    agreement: Floats
    """How much better than sending all rows to the heavier side, as a share of what is possible; 0: no better."""
    below: Codes
    """The bin, or the position of the cell, next to the cut, below and above it."""
    above: Codes
    is_reversed: Bytes
    """Whether what is below the cut belongs to the second side."""
    groups: Floats
    """What each group weighs on the first and on the second side, in pairs."""
    ordered: Codes
    """The values or symbols of the groups, or positions of cells that have them."""


@helper
def room_for_imitations(rows: int, features: int, symbols: int) -> Imitations:
    """Room for nodes with so many rows, of features with at most so many symbols."""
    most = max(rows, symbols)
    return Imitations(
        agreement=np.empty(features),
        below=np.empty(features, np.int32),
        above=np.empty(features, np.int32),
        is_reversed=np.empty(features, np.uint8),
        groups=np.empty(2 * most),
        ordered=np.empty(most, np.int32),
    )


@helper
def unowned_imitations(imitations: Imitations) -> Imitations:
    """The same without owners."""
    return Imitations(
        unowned(imitations.agreement), unowned(imitations.below), unowned(imitations.above),
        unowned(imitations.is_reversed), unowned(imitations.groups), unowned(imitations.ordered),
    )  # fmt: skip


@inlined
def groups_of_cells(
    view: View, scanned: Scanned, place: int, start: int, end: int, is_weighted: bool, room: Room, into: Imitations
) -> int:
    """Fill the groups with the values of a feature that is kept as cells; how many there are."""
    cells, groups, ordered, side = scanned.cells, into.groups, into.ordered, room.side
    rank_shift, row_mask = scanned.layout[0], (1 << scanned.layout[1]) - 1
    count, rank = 0, -1
    for i in range(start, end):
        cell = cells[place, np.uint64(i)]
        row = np.uint64(cell & row_mask)
        if side[row] < 0:
            continue
        if cell >> rank_shift != rank:
            rank = cell >> rank_shift
            ordered[np.uint64(count)] = i
            groups[np.uint64(2 * count)], groups[np.uint64(2 * count + 1)] = 0.0, 0.0
            count += 1
        groups[np.uint64(2 * count - 2 + side[row])] += view.weights[row] if is_weighted else 1.0
    return count


@inlined
def groups_of_bins(begin: int, bin_count: int, is_packed: bool, room: Room, into: Imitations) -> int:
    """Fill the groups with the bins of a feature that begin there; how many there are. Leaves zeros in the counts."""
    count, mask = 0, (1 << BITS) - 1
    for b in range(begin, begin + bin_count + 1):
        if is_packed:
            counts = room.packed[b]
            room.packed[b] = 0
            first, second = float(counts & mask), float((counts >> BITS) & mask)
        else:
            first, second = room.counted[b * SIDES], room.counted[b * SIDES + 1]
            room.seen[b] = 0
            for s in range(SIDES):
                room.counted[b * SIDES + s] = 0.0
        if b < begin + bin_count and first + second > 0.0:
            into.groups[2 * count], into.groups[2 * count + 1] = first, second
            into.ordered[count] = b - begin
            count += 1
    return count


@helper
def groups_of_symbols(
    view: View, scanned: Scanned, f: int, start: int, end: int, is_weighted: bool, room: Room, into: Imitations
) -> int:
    """Fill the groups with the symbols of a nominal feature, in ascending order of their share of the first side."""
    symbols, groups, ordered = int(view.symbols[f]), into.groups, into.ordered
    for s in range(2 * symbols):
        groups[s] = 0.0
    for i in range(start, end):
        row = int(scanned.rows[i])
        value = view.values[view.columns[f], view.table_rows[row]]
        if room.side[row] >= 0 and not np.isnan(value):
            groups[2 * int(value) + room.side[row]] += view.weights[row] if is_weighted else 1.0
    count = 0
    for s in range(symbols):
        first, second = groups[2 * s], groups[2 * s + 1]
        if first + second > 0.0:
            groups[2 * count], groups[2 * count + 1], ordered[count] = first, second, s
            count += 1
    order_by_share(groups, ordered, count)
    return count


@helper
def order_by_share(groups: Floats, ordered: Codes, count: int) -> None:
    """Put groups into ascending order of their share of the first side, equal ones as they were."""
    for i in range(1, count):
        first, second, symbol = groups[2 * i], groups[2 * i + 1], ordered[i]
        share, j = first / (first + second), i
        while j > 0 and groups[2 * j - 2] / (groups[2 * j - 2] + groups[2 * j - 1]) > share:
            groups[2 * j], groups[2 * j + 1], ordered[j] = groups[2 * j - 2], groups[2 * j - 1], ordered[j - 1]
            j -= 1
        groups[2 * j], groups[2 * j + 1], ordered[j] = first, second, symbol


@inlined
def best_beginning(f: int, count: int, into: Imitations) -> int:
    """How many groups are below the best cut, of equal ones the first; what is worth it is written down for `f`."""
    groups, total_first, total_second = into.groups, 0.0, 0.0
    into.agreement[f] = 0.0
    for g in range(count):
        total_first += groups[np.uint64(2 * g)]
        total_second += groups[np.uint64(2 * g + 1)]
    weight = total_first + total_second
    first, second, best, kept, best_first, best_second = 0.0, 0.0, 0.0, 0, 0.0, 0.0
    for g in range(count - 1):
        first += groups[np.uint64(2 * g)]
        second += groups[np.uint64(2 * g + 1)]
        right = max(first, second) + max(total_first - first, total_second - second)
        if right > best + SAME * weight:
            best, kept, best_first, best_second = right, g + 1, first, second
    by_chance = max(total_first, total_second)
    if best > by_chance + SAME * weight:
        into.agreement[f] = (best / weight - by_chance / weight) / (1.0 - by_chance / weight)
        into.below[f], into.above[f] = into.ordered[kept - 1], into.ordered[kept]
        into.is_reversed[f] = best_first + (total_second - best_second) < best_second + (total_first - best_first)
    return kept


@helper
def imitate(
    feature: int,
    live_count: int,
    start: int,
    end: int,
    view: View,
    scanned: Scanned,
    is_weighted: bool,
    room: Room,
    into: Imitations,
) -> None:
    """Find the best imitation of a split of a `feature` by each other one; `room.side` has the sides of the rows."""
    is_packed = not is_weighted and (end - start) >> BITS == 0
    for i in range(start, end):
        s = int(room.side[np.uint64(scanned.rows[np.uint64(i)])])
        room.node_class[np.uint64(i - start)] = s if s >= 0 else UNKNOWN_SIDE
    at = 0
    while at < live_count:
        size, used = 0, 0
        while at < live_count and used * SIDES < AT_ONCE:
            f = int(room.live[at])
            place = int(scanned.place[f])
            at += 1
            into.agreement[f] = 0.0
            if f == feature:
                continue
            if place < 0:
                room.group[size], room.begins[size] = f, used
                used += int(scanned.bin_count[f]) + 1
                size += 1
            elif view.symbols[f] == 0:
                rank_shift = scanned.layout[0]
                known_end = end_of_known(scanned.cells, place, start, end, rank_shift, scanned.layout[2])
                # Cells of features with one value are not kept up to date.
                if known_end > start and (
                    scanned.cells[place, start] >> rank_shift != scanned.cells[place, known_end - 1] >> rank_shift
                ):
                    count = groups_of_cells(view, scanned, place, start, known_end, is_weighted, room, into)
                    best_beginning(f, count, into)
            else:
                best_beginning(f, groups_of_symbols(view, scanned, f, start, end, is_weighted, room, into), into)
        if is_packed:
            count_packed(
                scanned.bins,
                room.group,
                room.begins,
                size,
                scanned.rows,
                start,
                end,
                room.node_class,
                BITS,
                room.packed,
            )
        else:
            count_bins(
                scanned.bins, room.group, room.begins, size, scanned.rows, start, end, room.node_class, SIDES,
                view.weights, is_weighted, room.counted, room.seen,
            )  # fmt: skip
        for j in range(size):
            f = int(room.group[j])
            count = groups_of_bins(int(room.begins[j]), int(scanned.bin_count[f]), is_packed, room, into)
            if view.symbols[f] > 0:
                order_by_share(into.groups, into.ordered, count)
            best_beginning(f, count, into)


@helper
def add_surrogates(
    most: int,
    live_count: int,
    start: int,
    end: int,
    test: int,
    used: int,
    view: View,
    scanned: Scanned,
    is_weighted: bool,
    room: Room,
    growing: Growing,
    imitations: Imitations,
) -> tuple[int, int]:
    """Write the `most` imitations that agree best as tests from `test` on, of equal ones that of the first feature.

    `used` parameters are there already. Returns where tests and parameters end.
    """
    for _ in range(most):
        chosen, best = -1, 0.0
        for j in range(live_count):
            f = int(room.live[j])
            agreement = rounded(imitations.agreement[f])
            if imitations.agreement[f] > 0.0 and (agreement > best or (agreement == best and f < chosen)):
                chosen, best = f, agreement
        if chosen < 0:
            break
        place, is_reversed = int(scanned.place[chosen]), int(imitations.is_reversed[chosen])
        growing.tests[test, TESTED], growing.tests[test, PARAMETERS] = chosen, used
        if view.symbols[chosen] > 0:
            growing.tests[test, KIND] = SYMBOLS
            count = groups_of_symbols(view, scanned, chosen, start, end, is_weighted, room, imitations)
            below = best_beginning(chosen, count, imitations)
            for s in range(view.symbols[chosen]):
                growing.parameters[used + s] = -1.0
            for g in range(count):
                growing.parameters[used + imitations.ordered[g]] = float(int(g >= below) ^ is_reversed)
            used += int(view.symbols[chosen])
        else:
            growing.tests[test, KIND] = REVERSED if is_reversed else THRESHOLDS
            growing.parameters[used] = middle(
                view, scanned, chosen, place, int(imitations.below[chosen]), int(imitations.above[chosen])
            )
            used += 1
        imitations.agreement[chosen] = 0.0
        test += 1
    return test, used


@inlined
def middle(view: View, scanned: Scanned, f: int, place: int, below: int, above: int) -> float:
    """The threshold between two bins of a feature, or if it has a place between two cells."""
    low, high = 0.0, 0.0
    if place >= 0:
        row_mask, column = (1 << scanned.layout[1]) - 1, view.columns[f]
        low = view.values[column, view.table_rows[scanned.cells[place, below] & row_mask]]
        high = view.values[column, view.table_rows[scanned.cells[place, above] & row_mask]]
    else:
        low, high = scanned.bin_values[f, below], scanned.bin_values[f, above]
    threshold = float(low + (high - low) / 2)
    return threshold if threshold < high else low


@helper
def side_by_surrogates(row: int, test: int, end: int, view: View, growing: Growing) -> int:
    """The side of a row by the first of some tests that knows its value; -1 if none does."""
    for each in range(test, end):
        f, used = growing.tests[each, TESTED], growing.tests[each, PARAMETERS]
        value = view.values[view.columns[f], view.table_rows[row]]
        if np.isnan(value):
            continue
        if growing.tests[each, KIND] == SYMBOLS:
            branch = int(growing.parameters[used + int(value)])
            if branch >= 0:
                return branch
        else:
            is_above = int(value > growing.parameters[used])
            return 1 - is_above if growing.tests[each, KIND] == REVERSED else is_above
    return -1
