"""From nodes in the order of their creation to the numbers of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    Tuple,
    helper,
    int64,
)
from intemi.machines.trees.kernels.state import Growing
from intemi.machines.trees.tree import DEVIATION, SYMBOLS

PARENT, FIRST_CHILD, BRANCHES, DEFAULT, FIRST_TEST, END_OF_TESTS, START, END, DEPTH, LIVE = range(10)
"""Columns of the whole numbers of a node; the last one is how many features are not constant in it, as far as known."""
NODE_QUALITY, BRANCH_WEIGHT = 0, 1
"""Columns of its other numbers."""
KIND, TESTED, PARAMETERS = range(3)
"""Columns of the tests: their kinds, their features, where their parameters begin."""
HEAD, TAIL, NODES, LEAVES, TESTS, USED = range(6)
"""How far growth is: where the queue of open nodes begins and ends, how many nodes, leaves, tests and parameters."""

PACKED = Tuple((int64, int64, CODES, FLOATS))


@helper
def numbered(growing: Growing, symbols_of: Codes, is_fractional: bool) -> Any:
    """A tree, its nodes from the top down, siblings side by side: that depends on no order of growth.

    The number of nodes, that of tests, all integers and all other numbers, as `Tree.state` puts them together.
    """
    whole, other, counts, parameters = growing.whole, growing.other, growing.counts, growing.parameters
    size, tests, used = growing.progress[NODES], growing.progress[TESTS], growing.progress[USED]
    k = counts.shape[1]
    order, number, last = np.empty(size, np.int32), np.empty(size, np.int32), 1
    order[0] = 0
    for i in range(size):
        node = order[i]
        number[node] = i
        for b in range(whole[node, BRANCHES]):
            order[last] = whole[node, FIRST_CHILD] + b
            last += 1
    integers, numbers = np.empty(6 * size + 1 + 3 * tests + 1, np.int32), np.empty(size * (k + 2) + used)
    first_child, branch_count, default, expansion, test_start = size, 2 * size, 3 * size, 4 * size, 5 * size
    kind = test_start + size + 1
    feature, parameter_start = kind + tests, kind + 2 * tests
    branch_weight, quality, kept = size * k, size * (k + 1), size * (k + 2)
    inner, test, at = 0, 0, 0
    for i in range(size):
        node = order[i]
        is_inner = whole[node, BRANCHES] > 0
        inner += int(is_inner)
        integers[i] = number[whole[node, PARENT]] if i > 0 else -1
        integers[first_child + i] = number[whole[node, FIRST_CHILD]] if is_inner else -1
        integers[branch_count + i] = whole[node, BRANCHES]
        integers[default + i] = whole[node, DEFAULT] if is_inner and not is_fractional else -1
        integers[expansion + i] = inner if is_inner else 0
        integers[test_start + i] = test
        numbers[branch_weight + i], numbers[quality + i] = other[node, BRANCH_WEIGHT], other[node, NODE_QUALITY]
        for c in range(k):
            numbers[i * k + c] = counts[node, c]
        for each in range(whole[node, FIRST_TEST], whole[node, END_OF_TESTS]):
            integers[kind + test], integers[feature + test] = growing.tests[each, KIND], growing.tests[each, TESTED]
            integers[parameter_start + test] = at
            length = whole[node, BRANCHES] - 1 + int(growing.tests[each, KIND] == DEVIATION)
            if growing.tests[each, KIND] == SYMBOLS:
                length = symbols_of[growing.tests[each, TESTED]]
            for j in range(length):
                numbers[kept + at] = parameters[growing.tests[each, PARAMETERS] + j]
                at += 1
            test += 1
    integers[test_start + size], integers[parameter_start + tests] = tests, at
    return size, tests, integers, numbers
