"""Growing a whole tree in one call: hill climbing with exhaustive searches of the nodes; each row has one branch."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import NONE, end_of_known
from intemi.machines.trees.kernels.compiling import (
    FLOATS,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    Tuple,
    flag,
    helper,
    int64,
    kernel,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.cuts import bits_for_each
from intemi.machines.trees.kernels.draws import key_of
from intemi.machines.trees.kernels.found import POSITION, QUALITY
from intemi.machines.trees.kernels.growth import has_room, seed, stops, with_more_room
from intemi.machines.trees.kernels.node import ask, ask_some, choose
from intemi.machines.trees.kernels.numbering import (
    BRANCH_WEIGHT,
    BRANCHES,
    DEFAULT,
    DEPTH,
    END,
    END_OF_TESTS,
    FIRST_CHILD,
    FIRST_TEST,
    HEAD,
    KIND,
    LEAVES,
    LIVE,
    NODE_QUALITY,
    NODES,
    PACKED,
    PARAMETERS,
    PARENT,
    START,
    TAIL,
    TESTED,
    TESTS,
    USED,
    numbered,
)
from intemi.machines.trees.kernels.partition import divide, partition, still_live
from intemi.machines.trees.kernels.settings import (
    DRAWN,
    FILTERED,
    FRACTIONAL,
    IMPUTES,
    MAX_LEAVES,
    ROUNDING,
    SURROGATES,
)
from intemi.machines.trees.kernels.state import (
    Growing,
    Room,
    Scanned,
    View,
    most_branches,
    room_for,
    unowned_growing,
    unowned_room,
    unowned_scanned,
    unowned_view,
)
from intemi.machines.trees.kernels.surrogates import (
    Imitations,
    add_surrogates,
    imitate,
    middle,
    room_for_imitations,
    side_by_surrogates,
    unowned_imitations,
)
from intemi.machines.trees.kernels.whole import prepare
from intemi.machines.trees.tree import SYMBOLS, THRESHOLDS


@helper
def expand(
    measure: int,
    view: View,
    scanned: Scanned,
    settings: Floats,
    context: Floats,
    growing: Growing,
    room: Room,
    imitations: Imitations,
    most: int,
    is_weighted: bool,
    random_seed: int,
) -> bool:
    """Split open nodes until none is left, or there is no room for the children of one: then False."""
    view, scanned, growing, room = (
        unowned_view(view), unowned_scanned(scanned), unowned_growing(growing), unowned_room(room),
    )  # fmt: skip
    settings, context, imitations = unowned(settings), unowned(context), unowned_imitations(imitations)
    progress, whole, other, counts, queue = (
        growing.progress, growing.whole, growing.other, growing.counts, growing.queue,
    )  # fmt: skip
    bins, bin_count, cells, layout = scanned.bins, scanned.bin_count, scanned.cells, scanned.layout
    values, columns, table_rows, classes, weights = (
        view.values, view.columns, view.table_rows, view.classes, view.weights,
    )  # fmt: skip
    rows, side, sizes, totals, branch, found = (
        scanned.rows, room.side, room.sizes, room.totals, room.branch, room.found,
    )  # fmt: skip
    k, surrogates = counts.shape[1], int(settings[SURROGATES])
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    row_mask = (1 << class_shift) - 1
    # With a limit of leaves nodes are split in the order of their creation, else the last one first: its cells are
    # still at hand.
    first_come = settings[MAX_LEAVES] < np.inf
    while progress[HEAD] < progress[TAIL] and progress[LEAVES] < settings[MAX_LEAVES]:
        nodes, used, test = progress[NODES], progress[USED], progress[TESTS]
        if not has_room(growing, most, surrogates):
            return False
        if first_come:
            node = queue[progress[HEAD]]
            progress[HEAD] += 1
        else:
            progress[TAIL] -= 1
            node = queue[progress[TAIL]]
        start, end, live_count = wide(whole[node, START]), wide(whole[node, END]), wide(whole[node, LIVE])
        for c in range(k):
            totals[c] = counts[node, c]
        average = np.nan
        if settings[DRAWN] > 0.0:
            feature = ask_some(
                key_of(random_seed, node, whole), measure, view, scanned, start, end, k, is_weighted, settings, context,
                room,
            )  # fmt: skip
        else:
            average = ask(
                measure, view, scanned, room.live, live_count, start, end, k, is_weighted, settings, np.nan, context,
                settings[FILTERED] == 0.0, room,
            )  # fmt: skip
            feature = int(choose(found, view.symbols, settings, other[0, BRANCH_WEIGHT]))
        if feature < 0:
            continue
        symbols, place = int(view.symbols[feature]), int(scanned.place[feature])
        if symbols > 0:
            # The branches of the symbols of the best feature are not known any more when all have been asked.
            room.only[0] = feature
            ask(
                measure, view, scanned, room.only, wide(1), start, end, k, is_weighted, settings, average, context,
                settings[FILTERED] == 0.0, room,
            )  # fmt: skip
        if not first_come:
            live_count = still_live(room.live, live_count, found)
        position = int(found[feature, POSITION])
        branches = 2 if symbols == 0 else position
        known_end = end
        if place >= 0:
            known_end = end_of_known(cells, place, start, end, rank_shift, missing)
        below_count, below_sum, last, kinds = -1, 0, 0, 0
        for c in range(k):
            kinds += int(totals[c] > 0.0)
        bits = bits_for_each(end - start, kinds)
        if bits > 0 and symbols == 0 and known_end == end and not is_weighted and not settings[IMPUTES]:
            below_count, below_sum, last = divide(
                bins, cells, feature, int(bin_count[feature]), place, rows, classes, start, end, position, layout,
                room.step, side,
            )  # fmt: skip
        growing.tests[test, KIND], growing.tests[test, TESTED] = SYMBOLS if symbols > 0 else THRESHOLDS, feature
        growing.tests[test, PARAMETERS] = used
        threshold = 0.0
        if symbols == 0:
            below = position - 1
            if place < 0:
                for i in range(start, end if below_count < 0 else start):
                    b = int(bins[rows[i], feature])
                    last = max(last, b if b < position else 0)
                below = last
            threshold = middle(view, scanned, feature, place, below, position)
            growing.parameters[used] = threshold
        for s in range(symbols):
            growing.parameters[used + s] = branch[s]
        used += max(1, symbols)
        whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, FIRST_TEST] = nodes, branches, test
        test += 1
        other[node, NODE_QUALITY] = found[feature, QUALITY]

        for b in range(branches):
            sizes[b] = 0
            for c in range(k):
                counts[nodes + b, c] = 0.0
        if below_count >= 0:
            sizes[0], sizes[1] = below_count, end - start - below_count
            for c in range(k):
                if totals[c] > 0.0:
                    below_of_class = float((below_sum >> (bits * room.compact[c])) & ((1 << bits) - 1))
                    counts[nodes, c], counts[nodes + 1, c] = below_of_class, totals[c] - below_of_class
        typical, reach, known_weight = 0.0, 0.0, 0.0
        for i in range(start, end if below_count < 0 else start):
            row, b = 0, -1
            if place >= 0:
                cell = cells[place, np.uint64(i)]
                row = cell & row_mask
                if i < known_end:
                    b = int(i >= position) if symbols == 0 else int(branch[cell >> rank_shift])
            else:
                row = int(rows[np.uint64(i)])
                bin_of_row = int(bins[np.uint64(row), np.uint64(feature)])
                if bin_of_row != bin_count[feature]:
                    b = int(bin_of_row >= position) if symbols == 0 else int(branch[bin_of_row])
            side[np.uint64(row)] = b
            if b < 0:
                continue
            w = weights[row] if is_weighted else 1.0
            sizes[np.uint64(b)] += 1
            counts[np.uint64(nodes + b), np.uint64(classes[np.uint64(row)])] += w
            if symbols == 0 and settings[IMPUTES]:
                value = values[columns[feature], table_rows[row]]
                typical, reach, known_weight = typical + w * value, reach + w * abs(value), known_weight + w
        default, lost = 0, end - start
        for b in range(branches):
            child = nodes + b
            other[child, BRANCH_WEIGHT], other[child, NODE_QUALITY] = 0.0, 0.0
            lost -= sizes[b]
            for c in range(k):
                other[child, BRANCH_WEIGHT] += counts[child, c]
            if other[child, BRANCH_WEIGHT] > other[nodes + default, BRANCH_WEIGHT] + 1e-12:
                default = b
        if settings[IMPUTES] and symbols == 0:
            default = 0 if (typical - ROUNDING * reach) / known_weight <= threshold else 1
        elif settings[IMPUTES]:
            # `room.by_symbol` is free again; it tells the most frequent symbol.
            for i in range(start, end):
                row = int(rows[i])
                value = values[columns[feature], table_rows[row]]
                if not np.isnan(value):
                    room.by_symbol[int(value)] += weights[row] if is_weighted else 1.0
            heaviest = 0
            for s in range(symbols):
                if room.by_symbol[s] > room.by_symbol[heaviest]:
                    heaviest = s
            default = int(branch[heaviest])
            for s in range(symbols):
                room.by_symbol[s] = 0.0
        whole[node, DEFAULT] = default
        if surrogates > 0 and branches == 2:
            first_surrogate = test
            imitate(feature, live_count, start, end, view, scanned, is_weighted, room, imitations)
            test, used = add_surrogates(
                surrogates, live_count, start, end, test, used, view, scanned, is_weighted, room, growing, imitations
            )
            for i in range(start, end if lost > 0 else start):
                row = int(rows[i])
                if side[row] < 0:
                    b = side_by_surrogates(row, first_surrogate, test, view, growing)
                    if b >= 0:
                        side[row] = b
                        sizes[b] += 1
                        counts[nodes + b, classes[row]] += weights[row] if is_weighted else 1.0
        whole[node, END_OF_TESTS] = test
        if lost > 0:
            for i in range(start, end):
                row = int(rows[i])
                if side[row] < 0:
                    side[row] = default
                    sizes[default] += 1
                    counts[nodes + default, classes[row]] += weights[row] if is_weighted else 1.0
        beginning, going_on, last_going_on = start, 0, wide(-1)
        for b in range(branches):
            child = nodes + b
            for j in range(10):
                whole[child, j] = -1
            whole[child, PARENT], whole[child, BRANCHES], whole[child, DEPTH] = node, 0, whole[node, DEPTH] + 1
            whole[child, START], whole[child, END], whole[child, LIVE] = beginning, beginning + sizes[b], live_count
            beginning += sizes[b]
            if not stops(counts, child, int(whole[child, DEPTH]), settings):
                going_on += 1
                last_going_on = b
                queue[progress[TAIL]] = child
                progress[TAIL] += 1
        if going_on > 0:
            in_place = symbols == 0 and lost == 0
            partition(
                cells, room.live, live_count, scanned.place, rows, start, end, place if in_place else -1, layout, side,
                sizes, branches, last_going_on if going_on == 1 else wide(-1), room.places, room.buffer,
            )  # fmt: skip
        progress[NODES] += branches
        progress[TESTS], progress[USED] = test, used
        progress[LEAVES] += branches - 1
    return True


@kernel(
    Tuple((int64, PACKED))(
        GIVEN_CODES_2D, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64,
        int64, int64, int64, int64, int64, MEASURE, GIVEN_FLOATS, FLOATS, int64,
    ),
    seconds=35,
)  # fmt: skip
def grow(
    order: Codes,
    values: Floats,
    classes_of_table: Codes,
    weights_of_table: Floats,
    table_rows: Codes,
    columns: Codes,
    symbols_of: Codes,
    k: int,
    most_bins: int,
    most_whole: int,
    rank_shift: int,
    class_shift: int,
    missing: int,
    measure: int,
    settings: Floats,
    context: Floats,
    random_seed: int,
) -> Any:
    """What `prepare` says of infinite values and of the order, and the tree, unless there is something to say.

    All is done in one call: from Python each costs as much as a small tree. `order`, `values`, classes and weights are
    those of a table, of which the data are a view of `table_rows` and `columns`; no weights are all 1. Random choices
    come from `random_seed`.
    """
    m, n, is_weighted = len(columns), len(table_rows), len(weights_of_table) > 0
    classes, weights = np.empty(n, np.int32), np.empty(n if is_weighted else 0)
    for i in range(n):
        classes[i] = classes_of_table[table_rows[i]]
        if is_weighted:
            weights[i] = weights_of_table[table_rows[i]]
    view = View(values, columns, table_rows, symbols_of, classes, weights)
    infinite, scanned = prepare(
        view, order, most_bins, most_whole, most_whole, rank_shift, class_shift, missing, flag(False)
    )
    if infinite != NONE:
        return infinite, (0, 0, np.empty(0, np.int32), np.empty(0))
    most, surrogates = most_branches(symbols_of), int(settings[SURROGATES])
    room = room_for(n, k, symbols_of, scanned.bin_count, scanned.place)
    imitations = room_for_imitations(n if surrogates > 0 else 0, m, most)
    weight_of_classes = np.zeros(k)
    for i in range(n):
        weight_of_classes[classes[i]] += weights[i] if is_weighted else 1.0
    growing = seed(weight_of_classes, n, m, most, surrogates)
    if m > 0 and not stops(growing.counts, 0, 1, settings):
        growing.queue[0], growing.progress[TAIL] = 0, 1
    while not expand(
        measure, view, scanned, settings, context, growing, room, imitations, most, is_weighted, random_seed
    ):
        growing = with_more_room(growing, most)
    return NONE, numbered(growing, symbols_of, settings[FRACTIONAL] > 0.0)
