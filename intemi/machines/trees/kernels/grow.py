"""Growing a whole tree in one call: hill climbing with exhaustive searches of the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import NONE, end_of_known
from intemi.machines.trees.kernels.compiling import (
    FLOATS,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    Bytes,
    Tuple,
    Wide,
    boolean,
    helper,
    inlined,
    int64,
    kernel,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.cuts import bits_for_each
from intemi.machines.trees.kernels.found import POSITION, QUALITY
from intemi.machines.trees.kernels.node import AT_ONCE, ask, choose
from intemi.machines.trees.kernels.numbering import (
    BRANCH_WEIGHT,
    BRANCHES,
    DEFAULT,
    DEPTH,
    END,
    FEATURE,
    FIRST_CHILD,
    LIVE,
    NODE_QUALITY,
    PACKED,
    PARAMETERS,
    PARENT,
    START,
    numbered,
)
from intemi.machines.trees.kernels.partition import divide, partition, still_live
from intemi.machines.trees.kernels.settings import (
    FILTERED,
    IMPUTES,
    LEAST_WEIGHT,
    MAX_DEPTH,
    MAX_ERRORS,
    MAX_LEAVES,
    MAX_RATE,
    ROUNDING,
)
from intemi.machines.trees.kernels.whole import prepare

HEAD, TAIL, NODES, LEAVES, USED = range(5)
"""How far growth is: where the queue of open nodes begins and ends, how many nodes, leaves and parameters there are."""


@helper
def most_branches(symbols_of: Codes) -> int:
    """The branches that a split may have."""
    most = 2
    for symbols in symbols_of:
        most = max(most, symbols)
    return most


@inlined
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


@helper
def expand(
    measure: int,
    values: Floats,
    columns: Codes,
    base_rows: Codes,
    bins: Bytes,
    bin_values: Floats,
    bin_count: Codes,
    cells: Wide,
    symbols_of: Codes,
    place_of: Codes,
    layout: Wide,
    classes: Codes,
    weights: Floats,
    is_weighted: bool,
    settings: Floats,
    context: Floats,
    progress: Wide,
    whole: Codes,
    other: Floats,
    counts: Floats,
    queue: Codes,
    parameters: Floats,
    most: int,
    live: Codes,
    only: Codes,
    rows: Codes,
    side: NDArray[np.int16],
    buffer: Wide,
    counted: Floats,
    seen: Bytes,
    packed: Wide,
    by_symbol: Floats,
    totals: Floats,
    here: Floats,
    known: Floats,
    table: Floats,
    node_class: Codes,
    compact: Codes,
    step: Wide,
    positions: Codes,
    sums: Wide,
    group: Codes,
    begins: Codes,
    present: Codes,
    branch: Codes,
    sizes: Codes,
    places: Wide,
    found: Floats,
) -> bool:
    """Split open nodes until none is left, or there is no room for the children of one: then False."""
    values, columns, base_rows, bins = unowned(values), unowned(columns), unowned(base_rows), unowned(bins)
    bin_values, bin_count, cells = unowned(bin_values), unowned(bin_count), unowned(cells)
    symbols_of, place_of, layout, classes = unowned(symbols_of), unowned(place_of), unowned(layout), unowned(classes)
    weights, settings, context, progress = unowned(weights), unowned(settings), unowned(context), unowned(progress)
    whole, other, counts, queue = unowned(whole), unowned(other), unowned(counts), unowned(queue)
    parameters, live, only, rows = unowned(parameters), unowned(live), unowned(only), unowned(rows)
    side, buffer, counted, seen = unowned(side), unowned(buffer), unowned(counted), unowned(seen)
    packed, by_symbol, totals, here = unowned(packed), unowned(by_symbol), unowned(totals), unowned(here)
    known, table, node_class, compact = unowned(known), unowned(table), unowned(node_class), unowned(compact)
    step, positions, sums, group = unowned(step), unowned(positions), unowned(sums), unowned(group)
    begins, present, branch, sizes = unowned(begins), unowned(present), unowned(branch), unowned(sizes)
    places, found = unowned(places), unowned(found)
    room, k = counts.shape
    rank_shift, class_shift, missing = layout[0], layout[1], layout[2]
    row_mask = (1 << class_shift) - 1
    # With a limit of leaves nodes are split in the order of their creation, else the last one first: its cells are
    # still at hand.
    first_come = settings[MAX_LEAVES] < np.inf
    while progress[HEAD] < progress[TAIL] and progress[LEAVES] < settings[MAX_LEAVES]:
        nodes, used = progress[NODES], progress[USED]
        if nodes + most > room or used + most > room:
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
        average = ask(
            measure, bins, bin_count, cells, symbols_of, place_of, live, live_count, rows, classes, start, end, layout,
            totals, k, weights, is_weighted, settings, np.nan, context, counted, seen, packed, by_symbol, here, known,
            table, node_class, compact, step, positions, sums, group, begins, present, branch,
            settings[FILTERED] == 0.0, found,
        )  # fmt: skip
        feature = int(choose(found, symbols_of, settings, other[0, BRANCH_WEIGHT]))
        if feature >= 0 and symbols_of[feature] > 0:
            # The branches of the symbols of the best feature are not known any more when all have been asked.
            only[0] = feature
            ask(
                measure, bins, bin_count, cells, symbols_of, place_of, only, wide(1), rows, classes, start, end,
                layout, totals, k, weights, is_weighted, settings, average, context, counted, seen, packed, by_symbol,
                here, known, table, node_class, compact, step, positions, sums, group, begins, present, branch,
                settings[FILTERED] == 0.0, found,
            )  # fmt: skip
        if feature < 0:
            continue
        if not first_come:
            live_count = still_live(live, live_count, found)
        symbols, place, position = int(symbols_of[feature]), int(place_of[feature]), int(found[feature, POSITION])
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
                step, side,
            )  # fmt: skip
        threshold = 0.0
        if symbols == 0:
            if place >= 0:
                column = columns[feature]
                below = values[column, base_rows[cells[place, position - 1] & row_mask]]
                above = values[column, base_rows[cells[place, position] & row_mask]]
            else:
                for i in range(start, end if below_count < 0 else start):
                    b = int(bins[rows[i], feature])
                    last = max(last, b if b < position else 0)
                below, above = bin_values[feature, last], bin_values[feature, position]
            threshold = below + (above - below) / 2
            if threshold >= above:
                threshold = below
        whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, FEATURE] = nodes, branches, feature
        whole[node, PARAMETERS] = used
        other[node, NODE_QUALITY] = found[feature, QUALITY]
        if symbols == 0:
            parameters[used] = threshold
        for s in range(symbols):
            parameters[used + s] = branch[s]
        progress[USED] += max(1, symbols)

        for b in range(branches):
            sizes[b] = 0
            for c in range(k):
                counts[nodes + b, c] = 0.0
        if below_count >= 0:
            sizes[0], sizes[1] = below_count, end - start - below_count
            for c in range(k):
                if totals[c] > 0.0:
                    below_of_class = float((below_sum >> (bits * compact[c])) & ((1 << bits) - 1))
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
                value = values[columns[feature], base_rows[row]]
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
            # `by_symbol` is free again; it tells the most frequent symbol.
            for i in range(start, end):
                row = int(rows[i])
                value = values[columns[feature], base_rows[row]]
                if not np.isnan(value):
                    by_symbol[int(value)] += weights[row] if is_weighted else 1.0
            heaviest = 0
            for s in range(symbols):
                if by_symbol[s] > by_symbol[heaviest]:
                    heaviest = s
            default = int(branch[heaviest])
            for s in range(symbols):
                by_symbol[s] = 0.0
        whole[node, DEFAULT] = default
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
                cells, live, live_count, place_of, rows, start, end, place if in_place else -1, layout, side, sizes,
                branches, last_going_on if going_on == 1 else wide(-1), places, buffer,
            )  # fmt: skip
        progress[NODES] += branches
        progress[LEAVES] += branches - 1
    return True


@kernel(
    Tuple((int64, PACKED))(
        GIVEN_CODES_2D, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64,
        int64, int64, int64, int64, int64, MEASURE, GIVEN_FLOATS, FLOATS, boolean,
    ),
    seconds=35,
)  # fmt: skip
def grow(
    order: Codes,
    values: Floats,
    classes_of_table: Codes,
    weights_of_table: Floats,
    base_rows: Codes,
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
    is_fractional: bool,
) -> Any:
    """What `prepare` says of infinite values and of the order, and the tree, unless there is something to say.

    All is done in one call: from Python each costs as much as a small tree. `order`, `values`, classes and weights are
    those of a table, of which the data are a view of `base_rows` and `columns`; no weights are all 1. The parameters of
    a split are its threshold, or the branch of each symbol.
    """
    m, n, is_weighted = len(columns), len(base_rows), len(weights_of_table) > 0
    classes, weights = np.empty(n, np.int32), np.empty(n if is_weighted else 0)
    for i in range(n):
        classes[i] = classes_of_table[base_rows[i]]
        if is_weighted:
            weights[i] = weights_of_table[base_rows[i]]
    infinite, bins, bin_values, bin_count, cells, place_of, layout = prepare(
        values, order, columns, base_rows, symbols_of, classes, most_bins, most_whole, rank_shift, class_shift, missing
    )
    if infinite != NONE:
        return infinite, (0, 0, np.empty(0, np.int32), np.empty(0))
    most = most_branches(symbols_of)
    all_bins, most_bins = 0, 0
    for f in range(m):
        if place_of[f] < 0:
            all_bins += bin_count[f] + 1
            most_bins = max(most_bins, bin_count[f] + 1)
    at_once = min(all_bins, AT_ONCE + most_bins)
    counted, seen = np.zeros(min(all_bins * k, AT_ONCE + most_bins * k)), np.zeros(at_once, np.uint8)
    packed = np.zeros(at_once, np.int64)
    by_symbol, table = np.zeros(most * k), np.empty(most * k)
    present, branch, sizes = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    places, found = np.empty(most, np.int64), np.empty((m, 5))
    node_class, compact, step = np.empty(n, np.int32), np.empty(k, np.int32), np.empty(k, np.int64)
    rows, side, buffer = np.empty(n, np.int32), np.empty(n, np.int16), np.empty(n, np.int64)
    positions, sums = np.empty(n + 1, np.int32), np.empty(n + 1, np.int64)
    totals, here, known = np.empty(k), np.empty(k), np.empty(k)
    live, group, begins = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int32)
    only = np.empty(1, np.int32)

    room = most + min(2 * n, 256)
    whole, other = np.empty((room, 10), np.int32), np.empty((room, 2))
    counts, queue, parameters = np.zeros((room, k)), np.empty(room, np.int32), np.empty(room)
    progress = np.zeros(5, np.int64)
    progress[NODES], progress[LEAVES] = 1, 1
    for f in range(m):
        live[f] = f
    for i in range(n):
        rows[i] = i
        counts[0, classes[i]] += weights[i] if is_weighted else 1.0
    for j in range(10):
        whole[0, j] = -1
    whole[0, START], whole[0, END], whole[0, DEPTH], whole[0, BRANCHES], whole[0, LIVE] = 0, n, 1, 0, m
    other[0, NODE_QUALITY], other[0, BRANCH_WEIGHT] = 0.0, 0.0
    for c in range(k):
        other[0, BRANCH_WEIGHT] += counts[0, c]
    if m > 0 and not stops(counts, 0, 1, settings):
        queue[0], progress[TAIL] = 0, 1
    while not expand(
        measure, values, columns, base_rows, bins, bin_values, bin_count, cells, symbols_of, place_of, layout, classes,
        weights, is_weighted, settings, context, progress, whole, other, counts, queue, parameters, most, live, only,
        rows, side, buffer, counted, seen, packed, by_symbol, totals, here, known, table, node_class, compact, step,
        positions, sums, group, begins, present, branch, sizes, places, found,
    ):  # fmt: skip
        # Room for twice as much, copied number by number: it compiles in a hundredth of the time of slices.
        room = 2 * (room + most)
        whole_before, other_before, counts_before, queue_before = whole, other, counts, queue
        parameters_before = parameters
        whole, other = np.empty((room, 10), np.int32), np.empty((room, 2))
        counts, queue, parameters = np.zeros((room, k)), np.empty(room, np.int32), np.empty(room)
        for i in range(progress[NODES]):
            for j in range(10):
                whole[i, j] = whole_before[i, j]
            other[i, 0], other[i, 1] = other_before[i, 0], other_before[i, 1]
            for c in range(k):
                counts[i, c] = counts_before[i, c]
        for i in range(progress[TAIL]):
            queue[i] = queue_before[i]
        for i in range(progress[USED]):
            parameters[i] = parameters_before[i]
    nodes = progress[NODES]
    return NONE, numbered(
        whole[:nodes], other[:nodes], counts[:nodes], parameters[: progress[USED]], symbols_of, is_fractional
    )
