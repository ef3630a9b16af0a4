"""The best split of a feature of which values are missing, rows of which count in both branches, in parts.

The part of these rows that a branch gets is proportional to its weight, so each value may get its own beforehand: the
table of values and classes is completed, and then its values are divided into two sets as if nothing was missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import end_of_known
from intemi.machines.trees.kernels.compiling import (
    Bytes,
    Wide,
    address_of,
    call_measure,
    helper,
    inlined,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.found import CONSTANT, NOWHERE, POSITION, QUALITY, rounded
from intemi.machines.trees.kernels.settings import ENUMERATED, LEAST_QUALITY, ORDER_OF_MANY, ORDER_OF_TWO
from intemi.machines.trees.kernels.state import Room, Scanned, View, most_branches
from intemi.machines.trees.kernels.sums import sum_of
from intemi.machines.trees.kernels.symbols import UNKNOWN, score

SETS_AT_ONCE = 512
"""Of so many sets the first is taken that is as good as the best of them."""
SAME = 1e-12
"""Qualities that differ by no more are equal."""


class Spread(NamedTuple):
    """Room for the values of a feature, and what is known of rows and features."""

    is_incomplete: Bytes
    """Whether a value of a row is missing."""
    has_missing: Bytes
    """Whether a value of a feature is missing in a node."""
    asked: Codes
    """The features that are complete in a node."""
    table: Floats
    """Values × classes."""
    weights: Floats
    scores: Floats
    """By which symbols are ordered, then the qualities of candidates."""
    totals: Floats
    """What the classes weigh."""
    all_classes: Floats
    """What a value weighs, by all classes, also those that do not occur in the node."""
    sides: Floats
    """Branches × classes."""
    ordered: Codes
    chosen: Wide


@helper
def room_to_spread(view: View, k: int, spreads: bool) -> Spread:
    """Room for nodes of all rows, or if nothing is spread none."""
    n = len(view.table_rows) if spreads else 0
    m, size = len(view.columns), max(n, most_branches(view.symbols))
    most = max(size, SETS_AT_ONCE)
    is_incomplete = np.zeros(n, np.uint8)
    for i in range(n):
        for f in range(m):
            if np.isnan(view.values[view.columns[f], view.table_rows[i]]):
                is_incomplete[i] = 1
    return Spread(
        is_incomplete, np.zeros(m, np.uint8), np.empty(m, np.int32), np.empty(size * k), np.empty(size),
        np.empty(most), np.empty(k), np.zeros(k), np.empty(2 * k), np.empty(size, np.int32), np.empty(size, np.int64),
    )  # fmt: skip


@helper
def unowned_spread(spread: Spread) -> Spread:
    """The same without owners."""
    return Spread(
        unowned(spread.is_incomplete), unowned(spread.has_missing), unowned(spread.asked), unowned(spread.table),
        unowned(spread.weights), unowned(spread.scores), unowned(spread.totals), unowned(spread.all_classes),
        unowned(spread.sides), unowned(spread.ordered), unowned(spread.chosen),
    )  # fmt: skip


@inlined
def known_end_of(f: int, start: int, end: int, scanned: Scanned) -> int:
    """Where the cells of a feature end whose values are known."""
    layout = scanned.layout
    return int(end_of_known(scanned.cells, int(scanned.place[f]), start, end, layout[0], layout[2]))


@helper
def find_incomplete(start: int, end: int, live_count: int, scanned: Scanned, room: Room, spread: Spread) -> bool:
    """Mark the features of which a value is missing in a node; whether a value of any feature is."""
    is_incomplete = False
    for j in range(live_count):
        f = room.live[j]
        spread.has_missing[f] = 0
        if scanned.place[f] >= 0 and known_end_of(f, start, end, scanned) < end:
            spread.has_missing[f] = 1
    for i in range(start, end):
        row = scanned.rows[i]
        if spread.is_incomplete[row]:
            is_incomplete = True
            for j in range(live_count):
                f = room.live[j]
                if scanned.place[f] < 0 and scanned.bins[row, f] == scanned.bin_count[f]:
                    spread.has_missing[f] = 1
    return is_incomplete


@inlined
def fill_table_of_cells(
    f: int, start: int, end: int, k: int, view: View, scanned: Scanned, room: Room, spread: Spread
) -> int:
    """Fill the table with the classes of each value of a feature that is kept as cells; how many values there are.

    `room.positions` gets the first cell of each value.
    """
    rank_shift, row_mask, table, place = scanned.layout[0], (1 << scanned.layout[1]) - 1, spread.table, scanned.place[f]
    count, rank = 0, -1
    for i in range(start, known_end_of(f, start, end, scanned)):
        cell = scanned.cells[place, i]
        row = cell & row_mask
        if cell >> rank_shift != rank:
            rank = cell >> rank_shift
            room.positions[count] = i
            for c in range(k):
                table[count * k + c] = 0.0
            count += 1
        table[(count - 1) * k + room.compact[view.classes[row]]] += view.weights[row]
    return count


@inlined
def fill_table_of_bins(
    f: int, start: int, end: int, k: int, view: View, scanned: Scanned, room: Room, spread: Spread
) -> int:
    """The same for a nominal feature that is kept as bins; `room.present` gets the symbols."""
    table, symbols, count = spread.table, int(scanned.bin_count[f]), 0
    for i in range(symbols * k):
        table[i] = 0.0
    for i in range(start, end):
        row = scanned.rows[i]
        symbol = wide(scanned.bins[row, f])
        if symbol < symbols:
            table[symbol * k + room.node_class[i - start]] += view.weights[row]
    for s in range(symbols):
        weight = 0.0
        for c in range(k):
            weight += table[s * k + c]
            table[count * k + c] = table[s * k + c]
        room.present[count] = s
        count += int(weight > 0.0)
    return count


@inlined
def weigh(count: int, k: int, class_count: int, room: Room, spread: Spread) -> None:
    """Add up what each value weighs."""
    for c in range(class_count):
        spread.all_classes[c] = 0.0
    for g in range(count):
        for c in range(class_count):
            if room.totals[c] > 0.0:
                spread.all_classes[c] = spread.table[g * k + room.compact[c]]
        spread.weights[g] = sum_of(spread.all_classes, wide(0), class_count)


@inlined
def complete(count: int, k: int, room: Room, spread: Spread) -> None:
    """Give each value its part of the rows whose value is missing; `spread.totals` gets what the classes weigh then."""
    table, known = spread.table, spread.totals
    add_up(count, k, spread)
    weight = sum_of(spread.weights, wide(0), count)
    for g in range(count):
        part = spread.weights[g] / weight
        for c in range(k):
            table[g * k + c] += part * (room.here[c] - known[c])
    add_up(count, k, spread)


@inlined
def add_up(count: int, k: int, spread: Spread) -> None:
    """Add up the table class by class."""
    for c in range(k):
        spread.totals[c] = 0.0
    for g in range(count):
        for c in range(k):
            spread.totals[c] += spread.table[g * k + c]


@inlined
def order_of(count: int, k: int, settings: Floats, spread: Spread) -> int:
    """The way in which the symbols of the table are put in order; 0: not at all, sets are enumerated."""
    add_up(count, k, spread)
    classes = 0
    for c in range(k):
        classes += int(spread.totals[c] > 0.0)
    order = int(settings[ORDER_OF_TWO])
    if classes > 2 or order == 0:
        order = int(settings[ORDER_OF_MANY]) if count > settings[ENUMERATED] else 0
    return order


@inlined
def quality_of_left(measure: int, k: int, totals: Floats, left: Floats, context: Floats, spread: Spread) -> float:
    """The quality of a split, by what is on its left; an empty branch is left out."""
    sides, kept = spread.sides, 0
    for side in range(2):
        weight = 0.0
        for c in range(k):
            value = left[c]
            if side == 1:
                value = totals[c] - left[c]
                value = value if value > SAME * totals[c] else 0.0
            sides[kept * k + c] = value
            weight += value
        kept += int(weight > 0.0)
    quality: float = call_measure(measure, address_of(sides), kept, k, address_of(context))
    return quality


@inlined
def first_of_best(qualities: Floats, count: int) -> int:
    """The first of so many that is as good as the best."""
    best = -np.inf
    for i in range(count):
        best = max(best, qualities[i])
    i = 0
    while qualities[i] < best - SAME:
        i += 1
    return i


@helper
def next_set(chosen: Wide, size: int, count: int) -> int:
    """Replace a set by the next one; its size, 0 if there is none.

    Sets come by size, then in lexicographic order, one of each complementary pair; the first is {0}.
    """
    i = size - 1
    while i >= 0 and chosen[i] == count - size + i:
        i -= 1
    if i >= 0:
        chosen[i] += 1
    else:
        size, i = size + 1, 0
        chosen[0] = 0
    for j in range(i + 1, size):
        chosen[j] = chosen[j - 1] + 1
    return 0 if 2 * size > count or (2 * size == count and chosen[0] != 0) else size


@helper
def best_set(measure: int, count: int, k: int, context: Floats, spread: Spread) -> tuple[float, int]:
    """The best set of values: its quality, and its size; `spread.chosen` gets it."""
    chosen, qualities, left = spread.chosen, spread.scores, np.empty(k)
    best, best_number, number, waiting, size = -np.inf, -1, 0, 0, 1
    chosen[0] = 0
    while size > 0:
        for c in range(k):
            left[c] = 0.0
            for i in range(size):
                left[c] += spread.table[chosen[i] * k + c]
        qualities[waiting] = quality_of_left(measure, k, spread.totals, left, context, spread)
        waiting += 1
        number += 1
        size = next_set(chosen, size, count)
        if size == 0 or waiting == SETS_AT_ONCE:
            first = first_of_best(qualities, waiting)
            if qualities[first] > best + (SAME if best_number >= 0 else 0.0):
                best, best_number = qualities[first], number - waiting + first
            waiting = 0
    size, chosen[0] = 1, 0
    for _ in range(best_number):
        size = next_set(chosen, size, count)
    return best, size


@inlined
def put_in_order(count: int, spread: Spread) -> None:
    """Put values into ascending order of their scores, equal ones as they were."""
    scores, ordered = spread.scores, spread.ordered
    for i in range(1, count):
        value, j = scores[i], i
        while j > 0 and scores[j - 1] > value:
            scores[j], ordered[j] = scores[j - 1], ordered[j - 1]
            j -= 1
        scores[j], ordered[j] = value, i


@helper
def best_spread(
    measure: int,
    f: int,
    start: int,
    end: int,
    class_count: int,
    view: View,
    scanned: Scanned,
    settings: Floats,
    context: Floats,
    room: Room,
    spread: Spread,
) -> None:
    """Write the best split of a feature into its row of `room.found`; `room.branch` gets the branches of symbols.

    Other features of the node have been asked before, so its classes are numbered anew.
    """
    room.found[f, QUALITY], room.found[f, POSITION] = -np.inf, CONSTANT
    symbols, ordered, k = int(view.symbols[f]), spread.ordered, 0
    for c in range(class_count):
        k += int(room.totals[c] > 0.0)
    if scanned.place[f] < 0:
        count = fill_table_of_bins(f, start, end, k, view, scanned, room, spread)
    else:
        count = fill_table_of_cells(f, start, end, k, view, scanned, room, spread)
        for g in range(count if symbols > 0 else 0):
            room.present[g] = scanned.cells[scanned.place[f], room.positions[g]] >> scanned.layout[0]
    if count < 2:
        return
    weigh(count, k, class_count, room, spread)
    room.found[f, POSITION] = NOWHERE
    for g in range(count):
        ordered[g] = g
    order = 1
    if symbols > 0:
        order = order_of(count, k, settings, spread)
        if order > 0:
            score(spread.table, k, ordered, count, order, spread.scores)
            put_in_order(count, spread)
    complete(count, k, room, spread)
    context[UNKNOWN] = 0.0
    if order == 0:
        best, size = best_set(measure, count, k, context, spread)
        for i in range(size):
            ordered[i] = spread.chosen[i]
    else:
        left = np.zeros(k)
        for i in range(count - 1):
            for c in range(k):
                left[c] += spread.table[ordered[i] * k + c]
            spread.scores[i] = quality_of_left(measure, k, spread.totals, left, context, spread)
        size = first_of_best(spread.scores, count - 1) + 1
        best = spread.scores[size - 1]
    if best <= settings[LEAST_QUALITY]:
        return
    room.found[f, QUALITY] = best
    if symbols == 0:
        room.found[f, POSITION] = room.positions[size]
        return
    room.found[f, POSITION] = 2
    for s in range(symbols):
        room.branch[s] = -1
    for g in range(count):
        room.branch[room.present[g]] = 1
    for i in range(size):
        room.branch[room.present[ordered[i]]] = 0


@helper
def choose_rounded(live: Codes, live_count: int, settings: Floats, found: Floats) -> int:
    """The feature whose split is best when qualities are rounded, of equal ones the first; -1: there is none."""
    chosen, best = -1, -np.inf
    for j in range(live_count):
        f, quality = int(live[j]), rounded(found[live[j], QUALITY])
        if found[f, QUALITY] > settings[LEAST_QUALITY] and (quality > best or (quality == best and f < chosen)):
            chosen, best = f, quality
    return chosen
