"""Growing a whole tree in one call: in each node a feature is chosen first, and then split as a whole.

`selecting` chooses, `splitting` splits; here are the tree and the rows of its nodes. Each row has one branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.cells import NONE
from intemi.machines.trees.kernels.compiling import (
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    MEASURE,
    Tuple,
    helper,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.growth import has_room, seed, stops, with_more_room
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
    LEAVES,
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
from intemi.machines.trees.kernels.rows import branch_weights, mean
from intemi.machines.trees.kernels.selecting import Node, best_of, rank
from intemi.machines.trees.kernels.settings import IMPROVES, IMPUTES, RETRIES, ROUNDING
from intemi.machines.trees.kernels.splitting import NO_SPLIT, Found, no_split, split
from intemi.machines.trees.kernels.state import Growing
from intemi.machines.trees.kernels.sums import sum_of
from intemi.machines.trees.tree import DEVIATION, SYMBOLS

NOT_SURE = 1e-12
"""A branch is heavier than another, and a split better than none, by more than this."""


@helper
def branch_of(value: float, found: Found) -> int:
    """The branch of a value; -1 if it is missing, or a symbol that has none."""
    if np.isnan(value):
        return -1
    if found.kind == SYMBOLS:
        return int(found.parameters[int(value)])
    cuts, number = found.parameters, value
    if found.kind == DEVIATION:
        cuts, number = found.parameters[1:], abs(value - found.parameters[0])
    return int(np.searchsorted(cuts, number))


@helper
def routed(values: Floats, found: Found) -> Codes:
    """The branches of the rows of a node."""
    branches = np.empty(len(values), np.int32)
    for row in range(len(values)):
        branches[row] = branch_of(values[row], found)
    return branches


@helper
def branch_count(found: Found) -> int:
    """How many branches a split has."""
    if found.kind == SYMBOLS:
        return int(found.parameters.max()) + 1
    return len(found.parameters) + int(found.kind != DEVIATION)


@helper
def best_split(node: Node, settings: Floats, measure: int, context: Floats) -> Any:
    """The split of the best feature; if it cannot be split, of one of the next. With the feature, the branches of the
    rows, and the weights of the branches."""
    ranking = rank(node, settings, measure, context)
    tried = np.zeros(len(ranking.features), np.int32)
    for _ in range(1 + int(settings[RETRIES])):
        place = best_of(ranking, tried)
        if place < 0:
            break
        tried[place] = 1
        feature = ranking.features[place]
        found = split(node, feature, ranking.scores[place], ranking.use, settings, measure, context)
        if found.kind != NO_SPLIT:
            branches = routed(node.features[feature], found)
            weights, occupied = branch_weights(
                branches, node.classes, node.weights, branch_count(found), len(node.totals)
            )
            if occupied >= 2:
                return found, feature, branches, weights
    return no_split(), np.int32(-1), np.empty(0, np.int32), np.empty(0)


@helper
def default_branch(node: Node, feature: int, found: Found, weights: Floats, imputes: bool) -> int:
    """Where missing values go: with the mean or the most frequent symbol, or to the heaviest branch."""
    values = node.features[feature]
    if imputes and node.symbols[feature] > 0:
        by_symbol = np.zeros(node.symbols[feature])
        for row in range(len(values)):
            if values[row] >= 0:
                by_symbol[int(values[row])] += node.weights[row]
        return branch_of(float(np.argmax(by_symbol)), found)
    if imputes:
        # A mean that is at a cut but for rounding is below it.
        return branch_of(mean(values, node.weights) - ROUNDING * mean(np.abs(values), node.weights), found)
    default = 0
    for branch in range(len(weights)):
        if weights[branch] > weights[default] + NOT_SURE:
            default = branch
    return default


@helper
def has_improved(growing: Growing, node: int) -> bool:
    """Whether the children of a node make fewer errors than it does."""
    counts, whole, below = growing.counts, growing.whole, 0.0
    k, first = counts.shape[1], whole[node, FIRST_CHILD]
    for child in range(first, first + whole[node, BRANCHES]):
        below += sum_of(counts[child], 0, k) - counts[child].max()
    weight = sum_of(counts[node], 0, k)
    return bool(below < weight - counts[node].max() - NOT_SURE * max(1.0, weight))


@helper
def write(
    growing: Growing, node: int, feature: int, found: Found, branches: Codes, weights: Floats, default: int, rows: Node
) -> None:
    """Write down a split and its children, who are not open yet and have no rows; missing values get their branch."""
    progress, whole, other, counts = growing.progress, growing.whole, growing.other, growing.counts
    first, test, used = progress[NODES], progress[TESTS], progress[USED]
    growing.tests[test, KIND], growing.tests[test, TESTED], growing.tests[test, PARAMETERS] = found.kind, feature, used
    for i in range(len(found.parameters)):
        growing.parameters[used + i] = found.parameters[i]
    whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, DEFAULT] = first, len(weights), default
    whole[node, FIRST_TEST], whole[node, END_OF_TESTS] = test, test + 1
    other[node, NODE_QUALITY] = found.quality
    for b in range(len(weights)):
        child = first + b
        for j in range(10):
            whole[child, j] = -1
        whole[child, PARENT], whole[child, BRANCHES], whole[child, DEPTH] = node, 0, whole[node, DEPTH] + 1
        other[child, NODE_QUALITY], other[child, BRANCH_WEIGHT] = 0.0, weights[b]
        for c in range(counts.shape[1]):
            counts[child, c] = 0.0
    for row in range(len(branches)):
        if branches[row] < 0:
            branches[row] = default
        counts[first + branches[row], rows.classes[row]] += rows.weights[row]
    progress[NODES] += len(weights)
    progress[TESTS], progress[USED] = test + 1, used + len(found.parameters)
    progress[LEAVES] += len(weights) - 1


@helper
def take_back(growing: Growing, node: int) -> None:
    """Make the node whose split was written last a leaf again."""
    progress, whole = growing.progress, growing.whole
    progress[NODES], progress[TESTS] = whole[node, FIRST_CHILD], whole[node, FIRST_TEST]
    progress[USED] = growing.tests[progress[TESTS], PARAMETERS]
    progress[LEAVES] -= whole[node, BRANCHES] - 1
    whole[node, FIRST_CHILD], whole[node, BRANCHES], whole[node, DEFAULT] = -1, 0, -1
    whole[node, FIRST_TEST] = whole[node, END_OF_TESTS] = -1
    growing.other[node, NODE_QUALITY] = 0.0


@helper
def open_children(growing: Growing, node: int, found: Found, branches: Codes, settings: Floats, rows: Codes) -> None:
    """Give the children of a node its rows, in the order they have, and open those that may be split."""
    progress, whole = growing.progress, growing.whole
    start, first, count = whole[node, START], whole[node, FIRST_CHILD], whole[node, BRANCHES]
    places = np.zeros(count + 1, np.int64)
    for row in range(len(branches)):
        places[branches[row] + 1] += 1
    for b in range(count):
        places[b + 1] += places[b]
        child = first + b
        whole[child, START], whole[child, END] = start + places[b], start + places[b + 1]
        is_closed = len(found.closed) > 0 and found.closed[b] > 0
        if not is_closed and not stops(growing.counts, child, whole[child, DEPTH], settings):
            growing.queue[progress[TAIL]] = child
            progress[TAIL] += 1
    before = rows[start : start + len(branches)].copy()
    for row in range(len(branches)):
        rows[start + places[branches[row]]] = before[row]
        places[branches[row]] += 1


@helper
def infinite_column(values: Floats, columns: Codes, table_rows: Codes) -> int:
    """The first column that has an infinite value, `NONE` if there is none."""
    for f in range(len(columns)):
        for row in table_rows:
            if np.isinf(values[columns[f], row]):
                return f
    return NONE


@kernel(
    Tuple((int64, PACKED))(
        GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64, MEASURE,
        GIVEN_FLOATS, FLOATS,
    ),
    seconds=60,
)  # fmt: skip
def grow_by_selection(
    values: Floats,
    classes_of_table: Codes,
    weights_of_table: Floats,
    table_rows: Codes,
    columns: Codes,
    symbols: Codes,
    k: int,
    measure: int,
    settings: Floats,
    context: Floats,
) -> Any:
    """A column that has an infinite value, `NONE` if there is none, and the tree; arguments are as in `grow.grow`."""
    m, n = len(columns), len(table_rows)
    infinite = infinite_column(values, columns, table_rows)
    if infinite != NONE:
        return infinite, (0, 0, np.empty(0, np.int32), np.empty(0))
    rows, totals = table_rows.copy(), np.zeros(k)
    for row in rows:
        totals[classes_of_table[row]] += weights_of_table[row] if len(weights_of_table) > 0 else 1.0
    growing = seed(totals, n, m, 2, 0)
    growing.other[0, BRANCH_WEIGHT] = sum_of(totals, 0, k)
    if not stops(growing.counts, 0, 1, settings):
        growing.queue[0], growing.progress[TAIL] = 0, 1
    while growing.progress[TAIL] > 0:  # the last one first: the order does not matter
        growing.progress[TAIL] -= 1
        at = growing.queue[growing.progress[TAIL]]
        start, end = growing.whole[at, START], growing.whole[at, END]
        features, weights = np.empty((m, end - start)), np.ones(end - start)
        classes = np.empty(end - start, np.int32)
        for i in range(end - start):
            classes[i] = classes_of_table[rows[start + i]]
            if len(weights_of_table) > 0:
                weights[i] = weights_of_table[rows[start + i]]
        for f in range(m):
            for i in range(end - start):
                features[f, i] = values[columns[f], rows[start + i]]
        node = Node(features, symbols, classes, weights, growing.counts[at].copy())
        found, feature, branches, weights_of_branches = best_split(node, settings, measure, context)
        if found.kind == NO_SPLIT:
            continue
        default = default_branch(node, feature, found, weights_of_branches, settings[IMPUTES] > 0)
        if default < 0:
            default = default_branch(node, feature, found, weights_of_branches, False)
        needed = max(len(weights_of_branches), len(found.parameters))
        if not has_room(growing, needed, 0):
            growing = with_more_room(growing, needed)
        write(growing, at, feature, found, branches, weights_of_branches, default, node)
        if settings[IMPROVES] > 0 and not has_improved(growing, at):
            take_back(growing, at)
        else:
            open_children(growing, at, found, branches, settings, rows)
    return NONE, numbered(growing, symbols, False)
