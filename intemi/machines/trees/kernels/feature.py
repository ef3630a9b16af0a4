"""The best split of one feature of a node, numeric or nominal, kept as bins or as cells."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.bins import best_bin, best_packed, take_packed
from intemi.machines.trees.kernels.cells import end_of_known
from intemi.machines.trees.kernels.compiling import helper, inlined
from intemi.machines.trees.kernels.cuts import best_cut, best_weighted_cut
from intemi.machines.trees.kernels.found import CONSTANT, GAIN, LEGAL, NOWHERE, POSITION, QUALITY, SLACK, TIE, TIES
from intemi.machines.trees.kernels.settings import (
    AT_BORDERS,
    CLASSES,
    FILTERED,
    LEAST_BRANCH,
    SCALES,
)
from intemi.machines.trees.kernels.state import Room, Scanned, View
from intemi.machines.trees.kernels.symbols import UNKNOWN, best_of_symbols, split_information


@helper
def take_unknown(f: int, start: int, end: int, k: int, view: View, scanned: Scanned, room: Room) -> float:
    """Take rows out of the `known` classes whose value of a feature is missing, one after the other; their weight."""
    unknown = 0.0
    for c in range(k):
        room.known[c] = room.here[c]
    for i in range(start, end):
        row = scanned.rows[i]
        if scanned.bins[row, f] == scanned.bin_count[f]:
            room.known[room.node_class[i - start]] -= view.weights[row]
            unknown += view.weights[row]
    for c in range(k):
        room.known[c] = room.known[c] if room.known[c] > 1e-12 * room.here[c] else 0.0
    return unknown


@inlined
def best_of_feature(
    measure: int,
    f: int,
    begin: int,
    view: View,
    scanned: Scanned,
    start: int,
    end: int,
    bits: int,
    k: int,
    is_weighted: bool,
    settings: Floats,
    average_cuts: float,
    context: Floats,
    bar: float,
    room: Room,
) -> None:
    """Write what is found of feature `f` into its row of `room.found`; a quality of -inf says that there is no split.

    The `k` classes of the node are numbered anew: `room.compact` tells how, `room.here` are their weights. Of a feature
    with bins, which `begin` there, the rows are counted already, in `room.packed` if all weigh 1 and `bits` are enough,
    else in `room.counted` and `room.seen`; these are zero afterwards, `room.by_symbol` before and after. A cut of lower
    quality than the `bar` need not be found.
    """
    symbols, place, bin_count = int(view.symbols[f]), int(scanned.place[f]), int(scanned.bin_count[f])
    cells, layout, weights = scanned.cells, scanned.layout, view.weights
    compact, step, totals, known, table = room.compact, room.step, room.here, room.known, room.table
    counted, seen, packed, by_symbol = room.counted, room.seen, room.packed, room.by_symbol
    positions, sums, present, branch, found = room.positions, room.sums, room.present, room.branch, room.found
    found[f, QUALITY], found[f, TIES], found[f, GAIN], found[f, POSITION] = -np.inf, -np.inf, -np.inf, NOWHERE
    found[f, LEGAL] = 0
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    class_mask = (1 << (rank_shift - class_shift)) - 1
    row_mask = (1 << class_shift) - 1
    weight, unknown = 0.0, 0.0
    known_end, unknown_bin = end, begin + bin_count
    low, high = begin, unknown_bin - 1
    is_binned = place < 0
    is_packed = is_binned and bits > 0 and not is_weighted
    mask, taken, unknown_counts = (1 << bits) - 1, 0, 0
    if is_packed:
        taken = take_packed(packed, begin, unknown_bin, positions, sums)
        unknown_counts = packed[unknown_bin]
        packed[unknown_bin] = 0
        is_constant = taken < 2
    elif is_binned:
        while low < unknown_bin and not seen[np.uint64(low)]:
            low += 1
        while high >= begin and not seen[np.uint64(high)]:
            high -= 1
        is_constant = low >= high
    else:
        known_end = end_of_known(cells, place, start, end, rank_shift, missing)
        is_constant = (
            known_end == start or cells[place, start] >> rank_shift == cells[place, known_end - 1] >> rank_shift
        )
    if is_constant:
        found[f, POSITION] = CONSTANT
    else:
        for c in range(k):
            weight += totals[c]
            lost = 0.0
            if is_packed:
                lost = float((unknown_counts >> (bits * c)) & mask)
            elif is_binned:
                lost = counted[unknown_bin * k + c]
            known[c] = max(0.0, totals[c] - lost)
            unknown += lost
        if is_binned and is_weighted and scanned.in_order and unknown > 0.0:
            unknown = take_unknown(f, start, end, k, view, scanned, room)
        if known_end < end:
            for i in range(known_end, end):
                cell = cells[place, i]
                w = weights[cell & row_mask] if is_weighted else 1.0
                known[compact[(cell >> class_shift) & class_mask]] -= w
                unknown += w
            for c in range(k):
                known[c] = known[c] if known[c] > 1e-12 * totals[c] else 0.0
        context[UNKNOWN], context[TIE] = unknown, 0.0
        share = (weight - unknown) / weight if settings[SCALES] else 1.0
        filtered, least_branch = settings[FILTERED], settings[LEAST_BRANCH]
        if filtered:
            least_branch = max(least_branch, min(25.0, 0.1 * (weight - unknown) / settings[CLASSES]))
        position, quality, tie, legal, which = NOWHERE, -np.inf, -np.inf, 0, -1
        if filtered or share != 1.0:
            bar = -np.inf
        if symbols > 0:
            for i in range(taken):
                for c in range(k):
                    by_symbol[(positions[i] - begin) * k + c] = float((sums[i] >> (bits * c)) & mask)
            for b in range(begin, unknown_bin if is_binned and not is_packed else begin):
                for c in range(k):
                    by_symbol[(b - begin) * k + c] = counted[b * k + c]
            for i in range(start, start if is_binned else known_end):
                cell = cells[place, i]
                w = weights[cell & row_mask] if is_weighted else 1.0
                by_symbol[(cell >> rank_shift) * k + compact[(cell >> class_shift) & class_mask]] += w
            best_of_symbols(
                measure, by_symbol, symbols, k, known, settings, share, average_cuts, context, table, present, branch,
                found, f,
            )  # fmt: skip
            for i in range(symbols * k):
                by_symbol[i] = 0.0
        elif filtered and weight - unknown < 2.0 * settings[LEAST_BRANCH] - SLACK:
            pass
        elif is_packed:
            which, quality, tie, legal = best_packed(
                measure, taken, positions, sums, bits, k, known, table, context, least_branch,
                settings[AT_BORDERS] > 0.0, bar,
            )  # fmt: skip
            position = int(positions[which]) if which >= 0 else NOWHERE
        elif is_binned:
            position, quality, tie, legal = best_bin(
                measure, counted, seen, low, high, k, known, table, context, least_branch, settings[AT_BORDERS] > 0.0,
                bar,
            )  # fmt: skip
        elif is_weighted:
            position, quality, tie, legal = best_weighted_cut(
                measure, cells, place, start, known_end, rank_shift, class_shift, compact, k, weights, known, table,
                context, least_branch, settings[AT_BORDERS] > 0.0, bar,
            )  # fmt: skip
        else:
            position, quality, tie, legal = best_cut(
                measure, cells, place, start, known_end, rank_shift, class_shift, compact, step, bits, k, known, table,
                positions, sums, context, least_branch, settings[AT_BORDERS] > 0.0, bar,
            )  # fmt: skip
        found[f, LEGAL] = legal
        if position >= 0:
            gain = share * quality
            quality = gain
            if filtered:
                if filtered > 1.0:
                    gain -= np.log2(legal) / weight
                for c in range(k):
                    table[c] = float((sums[which] >> (bits * c)) & mask) if is_packed else 0.0
                    for b in range(low, position if is_binned and not is_packed else low):
                        table[c] += counted[b * k + c]
                for i in range(start, start if is_binned else position):
                    cell = cells[place, i]
                    w = weights[cell & row_mask] if is_weighted else 1.0
                    table[compact[(cell >> class_shift) & class_mask]] += w
                for c in range(k):
                    table[k + c] = max(0.0, known[c] - table[c])
                information = split_information(table, 2, k, unknown)
                quality = gain / information if information > 1e-3 else -np.inf
            found[f, QUALITY], found[f, TIES], found[f, GAIN] = quality, tie, gain
            found[f, POSITION] = position - begin if is_binned else position
    for b in range(begin, unknown_bin + 1 if is_binned and not is_packed else begin):
        if seen[np.uint64(b)]:
            seen[np.uint64(b)] = 0
            for c in range(k):
                counted[np.uint64(b * k + c)] = 0.0
