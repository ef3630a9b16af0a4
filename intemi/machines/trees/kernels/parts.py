"""Growing a whole tree in one call where rows weigh differently, or go to several branches in parts.

All sums are added up in the order in which the search of one node after the other adds them up: fractions would not
amount to the same otherwise. So all numeric features are kept as cells; those of equal values are in the order of the
rows of the node, where rows that came in parts follow the others.

The rows and cells of open nodes lie one after the other, those of the last node at the end. It is split first, and its
children, which may need more space, take its place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import MISSING_BIN, NONE
from intemi.machines.trees.kernels.compiling import (
    FLOATS,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    Tuple,
    Wide,
    flag,
    helper,
    int64,
    kernel,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.found import POSITION, QUALITY
from intemi.machines.trees.kernels.growth import has_room, seed, stops, with_more_room
from intemi.machines.trees.kernels.node import ask, choose
from intemi.machines.trees.kernels.numbering import (
    BRANCH_WEIGHT,
    BRANCHES,
    DEFAULT,
    DEPTH,
    END,
    END_OF_TESTS,
    FIRST_CHILD,
    FIRST_TEST,
    KIND,
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
from intemi.machines.trees.kernels.partition import partition, still_live
from intemi.machines.trees.kernels.settings import (
    FILTERED,
    FRACTIONAL,
    LEAST_CHILD_ROWS,
    LEAST_CHILD_WEIGHT,
    LEAST_PART,
    SPREADS,
    SURROGATES,
)
from intemi.machines.trees.kernels.spread import (
    Spread,
    best_spread,
    choose_rounded,
    find_incomplete,
    known_end_of,
    room_to_spread,
    unowned_spread,
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
from intemi.machines.trees.kernels.sums import sum_of
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

DONE, MORE_NODES, MORE_SPACE = range(3)
"""Why growth ended: there is no open node; there is no room for children; there is none for their rows."""


class Space(NamedTuple):
    """What lies beside the rows of open nodes, and room to divide them."""

    weights: Floats
    """Of the rows of each open node; `View.weights` are those of the node that is split."""
    buffer: Wide
    waiting: Wide
    """Cells of equal values of rows that go to several branches."""
    shares: Floats
    """Of each branch."""
    branch_weights: Floats
    begins: Wide
    """Where each child that is open begins, -1 if it is a leaf."""


@helper
def unowned_space(space: Space) -> Space:
    """The same without owners."""
    return Space(
        unowned(space.weights), unowned(space.buffer), unowned(space.waiting), unowned(space.shares),
        unowned(space.branch_weights), unowned(space.begins),
    )  # fmt: skip


@helper
def with_more_space(scanned: Scanned, space: Space, used: int, size: int) -> tuple[Scanned, Space]:
    """The same with space for so many rows of open nodes, of which some are used."""
    cells, rows = np.empty((len(scanned.cells), size), np.int64), np.empty(size, np.int32)
    weights = np.empty(size)
    for i in range(used):
        rows[i], weights[i] = scanned.rows[i], space.weights[i]
    for place in range(len(cells)):
        for i in range(used):
            cells[place, i] = scanned.cells[place, i]
    return (
        Scanned(
            scanned.bins, scanned.bin_values, scanned.bin_count, cells, scanned.place, scanned.layout, rows,
            scanned.in_order,
        ),
        Space(weights, np.empty(size, np.int64), space.waiting, space.shares, space.branch_weights, space.begins),
    )  # fmt: skip


@helper
def best_feature(
    measure: int,
    start: int,
    end: int,
    live_count: int,
    k: int,
    is_weighted: bool,
    training_weight: float,
    view: View,
    scanned: Scanned,
    settings: Floats,
    context: Floats,
    room: Room,
    spread: Spread,
) -> int:
    """The feature whose split is best, as `room.found` and `room.branch` describe it; -1: there is none."""
    asked, asked_count, is_incomplete = room.live, live_count, False
    if settings[SPREADS]:
        asked, asked_count = spread.asked, 0
        is_incomplete = find_incomplete(start, end, live_count, scanned, room, spread)
        for j in range(live_count):
            f = room.live[j]
            if not spread.has_missing[f]:
                asked[asked_count] = f
                asked_count += 1
    average = ask(
        measure, view, scanned, asked, asked_count, start, end, k, is_weighted, settings, np.nan, context,
        settings[FILTERED] == 0.0, room,
    )  # fmt: skip
    if not is_incomplete:
        feature = int(choose(room.found, view.symbols, settings, training_weight))
    else:
        for j in range(live_count):
            f = int(room.live[j])
            if spread.has_missing[f]:
                best_spread(measure, f, start, end, k, view, scanned, settings, context, room, spread)
        feature = int(choose_rounded(room.live, live_count, settings, room.found))
    if feature < 0 or view.symbols[feature] == 0:
        return feature
    # The branches of the symbols of the best feature are not known any more when all have been asked.
    if settings[SPREADS] and spread.has_missing[feature]:
        best_spread(measure, feature, start, end, k, view, scanned, settings, context, room, spread)
        return feature
    room.only[0] = feature
    ask(
        measure, view, scanned, room.only, wide(1), start, end, k, is_weighted, settings, average, context,
        settings[FILTERED] == 0.0, room,
    )  # fmt: skip
    return feature


@helper
def add_test(
    feature: int, start: int, end: int, test: int, used: int, view: View, scanned: Scanned, spreads: bool, room: Room,
    growing: Growing,
) -> int:  # fmt: skip
    """Write the split that was found as a test, and the branch of each row as its `side`; where parameters end."""
    symbols, place, position = (
        int(view.symbols[feature]),
        int(scanned.place[feature]),
        int(room.found[feature, POSITION]),
    )
    rank_shift, row_mask = scanned.layout[0], (1 << scanned.layout[1]) - 1
    growing.tests[test, KIND], growing.tests[test, TESTED] = SYMBOLS if symbols > 0 else THRESHOLDS, feature
    growing.tests[test, PARAMETERS] = used
    known_end = known_end_of(feature, start, end, scanned) if place >= 0 else end
    if symbols == 0:
        if spreads and known_end < end:
            column = view.columns[feature]
            low = view.values[column, view.table_rows[scanned.cells[place, position - 1] & row_mask]]
            high = view.values[column, view.table_rows[scanned.cells[place, position] & row_mask]]
            cut = low + (high / 2 - low / 2)
            growing.parameters[used] = cut if cut < high else low
        else:
            growing.parameters[used] = middle(view, scanned, feature, place, position - 1, position)
    for s in range(symbols):
        growing.parameters[used + s] = room.branch[s]
    for i in range(start, end):
        b = -1
        if place < 0:
            row = wide(scanned.rows[i])
            symbol = wide(scanned.bins[row, feature])
            b = int(room.branch[symbol]) if symbol < symbols else -1
        else:
            cell = scanned.cells[place, i]
            row = cell & row_mask
            if i < known_end:
                b = int(i >= position) if symbols == 0 else int(room.branch[cell >> rank_shift])
        room.side[row] = b
    return used + max(1, symbols)


@helper
def count_children(
    nodes: int, branches: int, start: int, end: int, view: View, scanned: Scanned, room: Room, counts: Floats
) -> int:
    """Count the rows and the class weights of children, of rows whose branch is known; how many rows have none."""
    lost, k = 0, counts.shape[1]
    for b in range(branches):
        room.sizes[b] = 0
        for c in range(k):
            counts[nodes + b, c] = 0.0
    for i in range(start, end):
        row = scanned.rows[i]
        b = room.side[row]
        if b < 0:
            lost += 1
        else:
            room.sizes[b] += 1
            counts[nodes + b, view.classes[row]] += view.weights[row]
    return lost


@helper
def partition_in_parts(
    place: int, start: int, end: int, branches: int, total: int, view: View, scanned: Scanned, room: Room, space: Space
) -> None:
    """Bring the cells of each child together, or with place -1 the rows; children that are leaves get none.

    `space.begins` is where each of them begins, -1 for leaves; they need so much in `total`.
    """
    cells, rows, side, places, buffer = scanned.cells, scanned.rows, room.side, room.places, space.buffer
    rank_shift, row_mask = scanned.layout[0], (1 << scanned.layout[1]) - 1
    for b in range(branches):
        places[b] = space.begins[b]
    waiting, rank = 0, -1
    for i in range(start, end + 1):
        cell, next_rank = wide(-1), wide(-2)
        if i < end:
            cell = wide(rows[i]) if place < 0 else cells[place, i]
            next_rank = wide(0) if place < 0 else cell >> rank_shift
        if next_rank != rank:
            for j in range(waiting):
                of_waiting = space.waiting[j]
                for b in range(branches):
                    if places[b] >= 0 and view.weights[of_waiting & row_mask] * space.shares[b] >= LEAST_PART:
                        buffer[places[b]] = of_waiting
                        places[b] += 1
            waiting, rank = 0, next_rank
        if i < end:
            b = side[cell & row_mask]
            if b < 0:
                space.waiting[waiting] = cell
                waiting += 1
            elif places[b] >= 0:
                buffer[places[b]] = cell
                places[b] += 1
    for i in range(total):
        if place < 0:
            rows[start + i] = buffer[i]
        else:
            cells[place, start + i] = buffer[i]


@helper
def add_parts(
    nodes: int, branches: int, start: int, end: int, view: View, scanned: Scanned, room: Room, space: Space,
    counts: Floats,
) -> None:  # fmt: skip
    """Count the parts of rows that go to several branches."""
    for i in range(start, end):
        row = scanned.rows[i]
        for b in range(branches if room.side[row] < 0 else 0):
            part = view.weights[row] * space.shares[b]
            if part >= LEAST_PART:
                room.sizes[b] += 1
                counts[nodes + b, view.classes[row]] += part


@helper
def is_accepted(nodes: int, branches: int, settings: Floats, room: Room, counts: Floats) -> bool:
    """Whether all children have what they must have at least."""
    for b in range(branches):
        if room.sizes[b] < settings[LEAST_CHILD_ROWS] - 1e-9:
            return False
        if sum_of(counts[nodes + b], 0, counts.shape[1]) < settings[LEAST_CHILD_WEIGHT] - 1e-9:
            return False
    return True


@helper
def expand_in_parts(
    measure: int,
    view: View,
    scanned: Scanned,
    settings: Floats,
    context: Floats,
    growing: Growing,
    room: Room,
    imitations: Imitations,
    spread: Spread,
    space: Space,
    most: int,
) -> int:
    """Split open nodes until none is left, or there is no room for the children of one, or no space for their rows."""
    size_of_space = len(scanned.rows)
    view, scanned, growing, room = (
        unowned_view(view), unowned_scanned(scanned), unowned_growing(growing), unowned_room(room),
    )  # fmt: skip
    settings, context, imitations = unowned(settings), unowned(context), unowned_imitations(imitations)
    spread, space = unowned_spread(spread), unowned_space(space)
    progress, whole, other, counts = growing.progress, growing.whole, growing.other, growing.counts
    rows, side, sizes = scanned.rows, room.side, room.sizes
    k, surrogates = counts.shape[1], int(settings[SURROGATES])
    while progress[TAIL] > 0:
        nodes, test = progress[NODES], progress[TESTS]
        if not has_room(growing, most, surrogates):
            return MORE_NODES
        node = growing.queue[progress[TAIL] - 1]
        start, end, live_count = wide(whole[node, START]), wide(whole[node, END]), wide(whole[node, LIVE])
        is_weighted = flag(False)
        for i in range(start, end):
            view.weights[rows[i]] = space.weights[i]
            if space.weights[i] != 1.0:
                is_weighted = flag(True)
        for c in range(k):
            room.totals[c] = counts[node, c]
        feature = int(
            best_feature(
                measure, start, end, live_count, k, is_weighted, other[0, BRANCH_WEIGHT], view, scanned, settings,
                context, room, spread,
            )
        )  # fmt: skip
        if feature < 0:
            progress[TAIL] -= 1
            continue
        live_count = still_live(room.live, live_count, room.found)
        branches = 2 if view.symbols[feature] == 0 else int(room.found[feature, POSITION])
        used = add_test(
            feature, start, end, test, progress[USED], view, scanned, settings[SPREADS] > 0.0, room, growing
        )
        quality = room.found[feature, QUALITY]
        test += 1
        lost = count_children(nodes, branches, start, end, view, scanned, room, counts)
        is_divided, default = settings[FRACTIONAL] > 0.0 and lost > 0, 0
        for b in range(branches):
            space.branch_weights[b] = sum_of(counts[nodes + b], 0, k)
            if space.branch_weights[b] > space.branch_weights[default] + 1e-12:
                default = b
        if settings[FRACTIONAL]:
            weight = sum_of(space.branch_weights, 0, branches)
            for b in range(branches):
                space.shares[b] = space.branch_weights[b] / weight
            if is_divided:
                add_parts(nodes, branches, start, end, view, scanned, room, space, counts)
        else:
            first_surrogate = test
            if surrogates > 0 and branches == 2:
                imitate(feature, live_count, start, end, view, scanned, is_weighted, room, imitations)
                test, used = add_surrogates(
                    surrogates, live_count, start, end, test, used, view, scanned, is_weighted, room, growing,
                    imitations,
                )  # fmt: skip
            for i in range(start, end if lost > 0 else start):
                row = int(rows[i])
                if side[row] < 0:
                    b = side_by_surrogates(row, first_surrogate, test, view, growing)
                    side[row] = b if b >= 0 else default
            if lost > 0:
                count_children(nodes, branches, start, end, view, scanned, room, counts)
        if not is_accepted(nodes, branches, settings, room, counts):
            progress[TAIL] -= 1
            continue
        total, going_on, last_going_on = 0, 0, wide(-1)
        for b in range(branches):
            is_leaf = stops(counts, nodes + b, int(whole[node, DEPTH]) + 1, settings)
            space.begins[b] = -1 if is_leaf else total
            total += 0 if is_leaf and is_divided else sizes[b]
            going_on += int(not is_leaf)
            last_going_on = last_going_on if is_leaf else b
        if start + total > size_of_space:
            return MORE_SPACE
        progress[TAIL] -= 1
        whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, DEFAULT] = nodes, branches, default
        whole[node, FIRST_TEST], whole[node, END_OF_TESTS] = progress[TESTS], test
        other[node, NODE_QUALITY] = quality
        for b in range(branches):
            child, begin = nodes + b, start + max(0, space.begins[b])
            for j in range(10):
                whole[child, j] = -1
            whole[child, PARENT], whole[child, BRANCHES], whole[child, DEPTH] = node, 0, whole[node, DEPTH] + 1
            whole[child, START], whole[child, END], whole[child, LIVE] = begin, begin + sizes[b], live_count
            other[child, BRANCH_WEIGHT], other[child, NODE_QUALITY] = space.branch_weights[b], 0.0
            if space.begins[b] >= 0:
                growing.queue[progress[TAIL]] = child
                progress[TAIL] += 1
        if going_on > 0:
            if is_divided:
                for j in range(-1, live_count):
                    place = -1 if j < 0 else int(scanned.place[room.live[j]])
                    if j < 0 or place >= 0:
                        partition_in_parts(place, start, end, branches, total, view, scanned, room, space)
            else:
                in_place = view.symbols[feature] == 0 and lost == 0
                partition(
                    scanned.cells, room.live, live_count, scanned.place, rows, start, end,
                    int(scanned.place[feature]) if in_place else -1, scanned.layout, side, sizes, branches,
                    last_going_on if going_on == 1 else wide(-1), room.places, room.buffer,
                )  # fmt: skip
            for b in range(branches):
                for i in range(whole[nodes + b, START], whole[nodes + b, END] if space.begins[b] >= 0 else 0):
                    share = 1.0 if side[rows[i]] >= 0 else space.shares[b]
                    space.weights[i] = view.weights[rows[i]] * share
        progress[NODES] += branches
        progress[TESTS], progress[USED] = test, used
    return DONE


@kernel(
    Tuple((int64, PACKED))(
        GIVEN_CODES_2D, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64,
        int64, int64, int64, MEASURE, GIVEN_FLOATS, FLOATS,
    ),
    seconds=20,
)  # fmt: skip
def grow_in_parts(
    order: Codes,
    values: Floats,
    classes_of_table: Codes,
    weights_of_table: Floats,
    table_rows: Codes,
    columns: Codes,
    symbols_of: Codes,
    k: int,
    rank_shift: int,
    class_shift: int,
    missing: int,
    measure: int,
    settings: Floats,
    context: Floats,
) -> Any:
    """What `prepare` says of infinite values, and the tree, unless there are some; the arguments are those of `grow`.

    The order must be given unless all columns are nominal with few categories; the number of leaves must not be
    limited.
    """
    m, n = len(columns), len(table_rows)
    classes, weights, weight_of_classes = np.empty(n, np.int32), np.ones(n), np.zeros(k)
    for i in range(n):
        classes[i] = classes_of_table[table_rows[i]]
        if len(weights_of_table) > 0:
            weights[i] = weights_of_table[table_rows[i]]
        weight_of_classes[classes[i]] += weights[i]
    view = View(values, columns, table_rows, symbols_of, classes, weights)
    infinite, prepared = prepare(
        view, order, wide(0), wide(0), wide(MISSING_BIN), rank_shift, class_shift, missing, flag(True)
    )
    if infinite != NONE:
        return infinite, (0, 0, np.empty(0, np.int32), np.empty(0))
    most, surrogates = most_branches(symbols_of), int(settings[SURROGATES])
    given = Space(weights, np.empty(0, np.int64), np.empty(n, np.int64), np.empty(most), np.empty(most),
        np.empty(most, np.int64))  # fmt: skip
    scanned, space = with_more_space(prepared, given, n, 2 * n)
    room = room_for(n, k, symbols_of, scanned.bin_count, scanned.place)
    imitations = room_for_imitations(n if surrogates > 0 else 0, m, most)
    spread = room_to_spread(view, k, settings[SPREADS] > 0.0)
    growing = seed(weight_of_classes, n, m, most, surrogates)
    growing.other[0, BRANCH_WEIGHT] = sum_of(weight_of_classes, 0, k)
    if m > 0 and not stops(growing.counts, 0, 1, settings):
        growing.queue[0], growing.progress[TAIL] = 0, 1
    reason = MORE_NODES
    while reason != DONE:
        reason = expand_in_parts(
            measure, view, scanned, settings, context, growing, room, imitations, spread, space, most
        )
        if reason == MORE_NODES:
            growing = with_more_room(growing, most)
        elif reason == MORE_SPACE:
            scanned, space = with_more_space(scanned, space, len(scanned.rows), 2 * len(scanned.rows))
    return NONE, numbered(growing, symbols_of, settings[FRACTIONAL] > 0.0)
