"""Growing a whole tree in one call: hill climbing with exhaustive searches of the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import MISSING_BIN, end_of_known
from intemi.machines.trees.kernels.compiling import (
    BYTES_2D,
    CODES,
    CODES_2D,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    WIDE,
    WIDE_2D,
    Bytes,
    Tuple,
    Wide,
    boolean,
    compiled,
    inner,
    int64,
    types,
    void,
)
from intemi.machines.trees.kernels.feature import POSITION, QUALITY
from intemi.machines.trees.kernels.node import best_of_features, chosen_feature
from intemi.machines.trees.kernels.settings import IMPUTES, LEAST_WEIGHT, MAX_DEPTH, MAX_ERRORS, MAX_LEAVES, MAX_RATE

PARENT, FIRST_CHILD, BRANCHES, FEATURE, DEFAULT, PARAMETERS, START, END, DEPTH = range(9)
"""Columns of the whole numbers of a node."""
NODE_QUALITY, BRANCH_WEIGHT = 0, 1
"""Columns of its other numbers."""
SIDES = types.int16[::1]


@inner(boolean(FLOATS_2D, int64, int64, GIVEN_FLOATS))
def stops(counts: Floats, node: int, depth: int, settings: Floats) -> bool:
    """Whether a criterion that looks at the node alone ends growth there."""
    weight, majority = 0.0, 0.0
    for c in range(counts.shape[1]):
        weight += counts[node, c]
        majority = max(majority, counts[node, c])
    errors = weight - majority
    return bool(
        errors <= max(0.0, settings[MAX_ERRORS]) + 1e-12 * weight
        or errors <= settings[MAX_RATE] * weight
        or weight < settings[LEAST_WEIGHT] - 1e-9
        or depth >= settings[MAX_DEPTH]
    )


@compiled(void(WIDE_2D, CODES, int64, int64, int64, WIDE, SIDES, CODES, WIDE, WIDE))
def partition(
    cells: Wide,
    rows: Codes,
    start: int,
    end: int,
    skipped: int,
    layout: Wide,
    side: NDArray[np.int16],
    sizes: Codes,
    places: Wide,
    buffer: Wide,
) -> None:
    """Bring the rows and the cells of each branch together, without changing their order.

    A feature with one value stays as it is: it has one value in all nodes below, and that is all they look at.
    """
    rank_shift, class_shift = layout[0], layout[1]
    row_mask = (1 << class_shift) - 1
    for f in range(-1, len(cells)):
        if f >= 0 and (f == skipped or cells[f, start] >> rank_shift == cells[f, end - 1] >> rank_shift):
            continue
        if len(sizes) == 2:
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
        for b in range(len(sizes)):
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


GROWN = Tuple((CODES_2D, FLOATS_2D, FLOATS_2D, FLOATS))


@compiled(
    GROWN(
        MEASURE, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, BYTES_2D, FLOATS_2D, WIDE_2D, GIVEN_CODES, GIVEN_CODES,
        WIDE, GIVEN_CODES, GIVEN_FLOATS, boolean, int64, GIVEN_FLOATS, FLOATS,
    )
)  # fmt: skip
def grow(
    measure: int,
    values: Floats,
    columns: Codes,
    base_rows: Codes,
    bins: Bytes,
    bin_values: Floats,
    cells: Wide,
    symbols_of: Codes,
    place_of: Codes,
    layout: Wide,
    classes: Codes,
    weights: Floats,
    is_weighted: bool,
    k: int,
    settings: Floats,
    context: Floats,
) -> tuple[Codes, Floats, Floats, Floats]:
    """The nodes of the tree, in the order of creation: whole numbers, other numbers, class weights; and parameters.

    `values` are those of the table, of which the data are a view of `columns` and `base_rows`. The parameters of a
    split are its threshold, or the branch of each symbol. `cells` are rearranged.
    """
    m, n = len(columns), len(classes)
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    row_mask = (1 << class_shift) - 1
    most = 2
    for f in range(m):
        most = max(most, symbols_of[f])
    counted, table = np.zeros(max(MISSING_BIN + 1, most) * k), np.empty(most * k)
    present, branch, sizes = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    places, found = np.empty(most, np.int64), np.empty((m, 5))
    node_class, compact = np.empty(n, np.int32), np.empty(k, np.int32)
    rows, side, buffer = np.empty(n, np.int32), np.empty(n, np.int16), np.empty(n, np.int64)
    totals, seen = np.empty(k), np.zeros(MISSING_BIN + 1, np.uint8)

    room = min(2 * n + 1, 256)
    whole, other = np.empty((room, 9), np.int32), np.empty((room, 2))
    counts, queue, parameters = np.zeros((room, k)), np.empty(room, np.int32), np.empty(room)
    used, nodes, leaves = 0, 1, 1
    for i in range(n):
        rows[i] = i
        counts[0, classes[i]] += weights[i] if is_weighted else 1.0
    for j in range(9):
        whole[0, j] = -1
    whole[0, START], whole[0, END], whole[0, DEPTH], whole[0, BRANCHES] = 0, n, 1, 0
    other[0, NODE_QUALITY], other[0, BRANCH_WEIGHT] = 0.0, 0.0
    for c in range(k):
        other[0, BRANCH_WEIGHT] += counts[0, c]
    # With a limit of leaves nodes are split in the order of their creation, else the last one first: its cells are
    # still at hand.
    first_come = settings[MAX_LEAVES] < np.inf
    head, tail = 0, 0
    if m > 0 and not stops(counts, 0, 1, settings):
        queue[0], tail = 0, 1
    while head < tail and leaves < settings[MAX_LEAVES]:
        if first_come:
            node = queue[head]
            head += 1
        else:
            tail -= 1
            node = queue[tail]
        start, end = int(whole[node, START]), int(whole[node, END])
        for c in range(k):
            totals[c] = counts[node, c]
        average, feature = np.nan, -1
        for only in range(2):
            # The branches of the symbols of the best feature are not known any more when all have been asked.
            if only == 1 and (feature < 0 or symbols_of[feature] == 0):
                break
            average = best_of_features(
                measure, bins, cells, symbols_of, place_of, rows, classes, start, end, layout, totals, weights,
                is_weighted, settings, feature, average, context, counted, seen, table, node_class, compact, present,
                branch, found,
            )  # fmt: skip
            if only == 0:
                feature = chosen_feature(found, symbols_of, settings, n)
        if feature < 0:
            continue
        symbols, place, position = int(symbols_of[feature]), int(place_of[feature]), int(found[feature, POSITION])
        branches = 2 if symbols == 0 else position
        known_end = end
        if place >= 0:
            known_end = end_of_known(cells, place, start, end, rank_shift, missing)
        threshold = 0.0
        if symbols == 0:
            column = columns[feature]
            if place >= 0:
                below = values[column, base_rows[cells[place, position - 1] & row_mask]]
                above = values[column, base_rows[cells[place, position] & row_mask]]
            else:
                last = -1
                for i in range(start, end):
                    b = int(bins[feature, rows[i]])
                    if b < position:
                        last = max(last, b)
                below, above = bin_values[feature, last], bin_values[feature, position]
            threshold = below + (above - below) / 2
            if threshold >= above:
                threshold = below
        if nodes + branches > len(queue) or used + symbols + 1 > len(parameters):
            # Room for twice as much, copied number by number: it compiles in a hundredth of the time of slices.
            room = 2 * (room + branches + symbols)
            whole_before, other_before, counts_before, queue_before = whole, other, counts, queue
            parameters_before = parameters
            whole, other = np.empty((room, 9), np.int32), np.empty((room, 2))
            counts, queue, parameters = np.zeros((room, k)), np.empty(room, np.int32), np.empty(room)
            for i in range(nodes):
                for j in range(9):
                    whole[i, j] = whole_before[i, j]
                other[i, 0], other[i, 1] = other_before[i, 0], other_before[i, 1]
                for c in range(k):
                    counts[i, c] = counts_before[i, c]
            for i in range(tail):
                queue[i] = queue_before[i]
            for i in range(used):
                parameters[i] = parameters_before[i]
        whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, FEATURE] = nodes, branches, feature
        whole[node, PARAMETERS] = used
        other[node, NODE_QUALITY] = found[feature, QUALITY]
        if symbols == 0:
            parameters[used] = threshold
        for s in range(symbols):
            parameters[used + s] = branch[s]
        used += max(1, symbols)

        for b in range(branches):
            sizes[b] = 0
            for c in range(k):
                counts[nodes + b, c] = 0.0
        typical, known_weight = 0.0, 0.0
        for i in range(start, end):
            row, b = 0, -1
            if place >= 0:
                cell = cells[place, i]
                row = cell & row_mask
                if i < known_end:
                    b = int(i >= position) if symbols == 0 else int(branch[cell >> rank_shift])
            else:
                row = int(rows[i])
                bin_of_row = int(bins[feature, row])
                if bin_of_row != MISSING_BIN:
                    b = int(bin_of_row >= position) if symbols == 0 else int(branch[bin_of_row])
            side[row] = b
            if b < 0:
                continue
            w = weights[row] if is_weighted else 1.0
            sizes[b] += 1
            counts[nodes + b, classes[row]] += w
            if symbols == 0 and settings[IMPUTES]:
                typical += w * values[columns[feature], base_rows[row]]
                known_weight += w
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
            default = 0 if typical / known_weight <= threshold else 1
        elif settings[IMPUTES]:
            # `counted` is free again; it tells the most frequent symbol.
            for i in range(start, end):
                row = int(rows[i])
                value = values[columns[feature], base_rows[row]]
                if not np.isnan(value):
                    counted[int(value)] += weights[row] if is_weighted else 1.0
            heaviest = 0
            for s in range(symbols):
                if counted[s] > counted[heaviest]:
                    heaviest = s
            default = int(branch[heaviest])
            for s in range(symbols):
                counted[s] = 0.0
        whole[node, DEFAULT] = default
        if lost > 0:
            for i in range(start, end):
                row = int(rows[i])
                if side[row] < 0:
                    side[row] = default
                    sizes[default] += 1
                    counts[nodes + default, classes[row]] += weights[row] if is_weighted else 1.0
        beginning, goes_on = start, False
        for b in range(branches):
            child = nodes + b
            for j in range(9):
                whole[child, j] = -1
            whole[child, PARENT], whole[child, BRANCHES], whole[child, DEPTH] = node, 0, whole[node, DEPTH] + 1
            whole[child, START], whole[child, END] = beginning, beginning + sizes[b]
            beginning += sizes[b]
            if not stops(counts, child, int(whole[child, DEPTH]), settings):
                goes_on = True
                queue[tail] = child
                tail += 1
        if goes_on:
            in_place = symbols == 0 and lost == 0
            partition(
                cells, rows, start, end, place if in_place else -1, layout, side, sizes[:branches], places, buffer
            )
        nodes += branches
        leaves += branches - 1
    return whole[:nodes], other[:nodes], counts[:nodes], parameters[:used]


ARRAYS = Tuple((CODES, CODES, CODES, FLOATS_2D, FLOATS, CODES, FLOATS, CODES, CODES, CODES, CODES, CODES, FLOATS))


@compiled(ARRAYS(CODES_2D, FLOATS_2D, FLOATS_2D, FLOATS, GIVEN_CODES, boolean))
def numbered(
    whole: Codes, other: Floats, counts: Floats, parameters: Floats, symbols_of: Codes, is_fractional: bool
) -> Any:
    """The arrays of a tree, its nodes from the top down, siblings side by side: that depends on no order of growth."""
    size, k = counts.shape
    order, number, last = np.empty(size, np.int32), np.empty(size, np.int32), 1
    order[0] = 0
    for i in range(size):
        node = order[i]
        number[node] = i
        for b in range(whole[node, BRANCHES]):
            order[last] = whole[node, FIRST_CHILD] + b
            last += 1
    parent, first_child, branch_count = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    default, expansion = np.empty(size, np.int32), np.empty(size, np.int32)
    class_weights, branch_weight, quality = np.empty((size, k)), np.empty(size), np.empty(size)
    test_start = np.empty(size + 1, np.int32)
    tests = 0
    for i in range(size):
        node = order[i]
        is_inner = whole[node, BRANCHES] > 0
        parent[i] = number[whole[node, PARENT]] if i > 0 else -1
        first_child[i] = number[whole[node, FIRST_CHILD]] if is_inner else -1
        branch_count[i] = whole[node, BRANCHES]
        default[i] = whole[node, DEFAULT] if is_inner and not is_fractional else -1
        branch_weight[i], quality[i] = other[node, BRANCH_WEIGHT], other[node, NODE_QUALITY]
        for c in range(k):
            class_weights[i, c] = counts[node, c]
        test_start[i] = tests
        tests += is_inner
        expansion[i] = tests if is_inner else 0
    test_start[size] = tests
    kind, feature, parameter_start = np.empty(tests, np.int32), np.empty(tests, np.int32), np.empty(tests + 1, np.int32)
    kept = np.empty(len(parameters))
    at, test = 0, 0
    for i in range(size):
        node = order[i]
        if whole[node, BRANCHES] == 0:
            continue
        feature[test] = whole[node, FEATURE]
        symbols = symbols_of[feature[test]]
        kind[test] = 1 if symbols > 0 else 0
        parameter_start[test] = at
        for j in range(max(1, symbols)):
            kept[at] = parameters[whole[node, PARAMETERS] + j]
            at += 1
        test += 1
    parameter_start[tests] = at
    return (
        parent, first_child, branch_count, class_weights, branch_weight, default, quality, expansion, test_start, kind,
        feature, parameter_start, kept,
    )  # fmt: skip
