"""The best split of a node: every feature is asked for its best, and the best of these is taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.bins import count_bins, count_packed
from intemi.machines.trees.kernels.compiling import (
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    flag,
    float64,
    helper,
    int64,
    kernel,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.cuts import bits_for_each
from intemi.machines.trees.kernels.draws import draw_next
from intemi.machines.trees.kernels.feature import best_of_feature
from intemi.machines.trees.kernels.found import GAIN, LEGAL, NOWHERE, POSITION, QUALITY, TIES, is_better
from intemi.machines.trees.kernels.settings import DRAWN, FILTERED, LEAST_QUALITY
from intemi.machines.trees.kernels.state import AT_ONCE, Room, Scanned, View


@helper
def renumber(totals: Floats, class_count: int, compact: Codes, here: Floats) -> int:
    """Number the classes that occur in a node anew, by `compact`; `here` gets their weights. How many there are."""
    k = 0
    for c in range(class_count):
        if totals[c] > 0.0:
            compact[c] = k
            here[k] = totals[c]
            k += 1
    return k


@helper
def ask(
    measure: int,
    view: View,
    scanned: Scanned,
    asked: Codes,
    asked_count: int,
    start: int,
    end: int,
    class_count: int,
    is_weighted: bool,
    settings: Floats,
    average: float,
    context: Floats,
    only_best: bool,
    room: Room,
) -> float:
    """Fill the rows of `room.found` that are those of the features that are asked; the others have no split.

    `scanned.rows[start:end]` are those of the node, `room.totals` the weights of classes. Numeric features come first,
    since the average number of their cuts, which is returned, may say how many sets of symbols are wanted, or if there
    are none the weight of the node; unless it is given, else it is NaN. With `only_best` features worse than another
    may be left without a split.
    """
    symbols, place, bin_count, group, begins = view.symbols, scanned.place, scanned.bin_count, room.group, room.begins
    rows, totals, found = scanned.rows, room.totals, room.found
    k = renumber(totals, class_count, room.compact, room.here)
    bits = bits_for_each(end - start, k)
    for c in range(class_count):
        room.step[c] = 1 << (bits * room.compact[c]) if totals[c] > 0.0 and bits > 0 else 0
    for i in range(start, end):
        row = np.uint64(rows[np.uint64(i)])
        room.node_class[np.uint64(i - start)] = room.compact[np.uint64(view.classes[row])]
    is_given, cuts, numeric = not np.isnan(average), 0.0, 0
    for f in range(len(found)):
        numeric += int(symbols[f] == 0)
    is_packed = bits > 0 and not is_weighted
    best, bar = -np.inf, -np.inf
    if not is_given:
        average = 0.0
        for c in range(class_count):
            average += totals[c]
    for kind in range(2):
        at = 0
        while at < asked_count:
            # A group: features with bins as many as can be counted at once, of the others just one.
            size, used = 0, 0
            while at < asked_count:
                f = asked[at]
                if (symbols[f] > 0) == (kind > 0):
                    if size > 0 and (
                        place[f] >= 0 or place[group[0]] >= 0 or used * (1 if is_packed else k) >= AT_ONCE
                    ):
                        break
                    group[size], begins[size] = f, used
                    used += bin_count[f] + 1 if place[f] < 0 else 0
                    size += 1
                at += 1
            if size > 0 and place[group[0]] < 0 and is_packed:
                count_packed(scanned.bins, group, begins, size, rows, start, end, room.node_class, bits, room.packed)
            elif size > 0 and place[group[0]] < 0:
                count_bins(
                    scanned.bins, group, begins, size, rows, start, end, room.node_class, k, view.weights, is_weighted,
                    room.counted, room.seen,
                )  # fmt: skip
            for j in range(size):
                f = int(group[j])
                best_of_feature(
                    measure, f, int(begins[j]), view, scanned, start, end, bits, k, is_weighted, settings, average,
                    context, bar, room,
                )  # fmt: skip
                if only_best and found[f, QUALITY] > best:
                    # What is worse by more than rounding would not be chosen.
                    best = found[f, QUALITY]
                    bar = best - 1e-9 * max(1.0, abs(best))
                cuts += found[f, LEGAL] if kind == 0 else 0.0
        if kind == 0 and numeric > 0 and not is_given:
            average = cuts / numeric
    return average


@helper
def choose(found: Floats, symbols: Codes, settings: Floats, training_weight: float) -> int:
    """The feature whose split is best, -1 if there is none; `training_weight` is that of the root."""
    least_gain = -np.inf
    if settings[FILTERED]:
        # Features whose symbols nearly tell the rows apart gain too much to be averaged with others: they count only
        # if all features are of that kind. Nominal features count even if they gain nothing, numeric ones do not.
        are_many = True
        for f in range(len(found)):
            if symbols[f] < 0.3 * training_weight:
                are_many = False
        total, count = 0.0, 0
        for f in range(len(found)):
            is_found = found[f, GAIN] > (1e-12 if symbols[f] == 0 else -np.inf)
            if is_found and (are_many or symbols[f] < 0.3 * training_weight):
                total += found[f, GAIN]
                count += 1
        if count == 0:
            return -1
        least_gain = total / count - 1e-3
    best, best_tie, chosen = -np.inf, -np.inf, -1
    for f in range(len(found)):
        if found[f, QUALITY] <= settings[LEAST_QUALITY] or found[f, GAIN] < least_gain:
            continue
        if is_better(found[f, QUALITY], found[f, TIES], best, best_tie):
            best, best_tie, chosen = found[f, QUALITY], found[f, TIES], f
    return chosen


@helper
def ask_some(
    key: Any,
    measure: int,
    view: View,
    scanned: Scanned,
    start: int,
    end: int,
    class_count: int,
    is_weighted: bool,
    settings: Floats,
    context: Floats,
    room: Room,
) -> int:
    """Draw so many features as `settings` say, and ask them as `ask` does; the one whose split is best, -1: there is
    none. As long as they have no split one more is drawn."""
    found, deck, size = room.found, room.deck, len(room.found)
    for f in range(size):
        found[f, QUALITY], found[f, GAIN], found[f, POSITION] = -np.inf, -np.inf, NOWHERE
    count = wide(min(settings[DRAWN], size))
    for place in range(count):
        draw_next(key, place, deck, size)
    ask(
        measure, view, scanned, deck, count, start, end, class_count, is_weighted, settings, np.nan, context,
        flag(True), room,
    )  # fmt: skip
    best, best_tie, chosen = -np.inf, -np.inf, -1
    for place in range(count):  # of equal ones the first that was drawn
        f = deck[place]
        quality = found[f, QUALITY]
        if quality > settings[LEAST_QUALITY] and is_better(quality, found[f, TIES], best, best_tie):
            best, best_tie, chosen = quality, found[f, TIES], int(f)
    while chosen < 0 and count < size:
        draw_next(key, count, deck, size)
        room.only[0] = deck[count]
        ask(
            measure, view, scanned, room.only, wide(1), start, end, class_count, is_weighted, settings, np.nan, context,
            flag(True), room,
        )  # fmt: skip
        if found[deck[count], QUALITY] > settings[LEAST_QUALITY]:
            chosen = int(deck[count])
        count += 1
    for place in range(size):
        deck[place] = place
    return chosen


@kernel(int64(FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, float64))
def chosen_feature(found: Floats, symbols: Codes, settings: Floats, training_weight: float) -> int:
    """The same, for Python."""
    return int(choose(unowned(found), unowned(symbols), unowned(settings), training_weight))
