"""From nodes in the order of their creation to the numbers of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    Tuple,
    helper,
    int64,
)

PARENT, FIRST_CHILD, BRANCHES, FEATURE, DEFAULT, PARAMETERS, START, END, DEPTH, LIVE = range(10)
"""Columns of the whole numbers of a node; the last one is how many features are not constant in it, as far as known."""
NODE_QUALITY, BRANCH_WEIGHT = 0, 1
"""Columns of its other numbers."""


PACKED = Tuple((int64, int64, CODES, FLOATS))


@helper
def numbered(
    whole: Codes, other: Floats, counts: Floats, parameters: Floats, symbols_of: Codes, is_fractional: bool
) -> Any:
    """A tree, its nodes from the top down, siblings side by side: that depends on no order of growth.

    The number of nodes, that of tests, all integers and all other numbers, as `Tree.state` puts them together.
    """
    size, k = counts.shape
    order, number, last, tests = np.empty(size, np.int32), np.empty(size, np.int32), 1, 0
    order[0] = 0
    for i in range(size):
        node = order[i]
        number[node] = i
        tests += int(whole[node, BRANCHES] > 0)
        for b in range(whole[node, BRANCHES]):
            order[last] = whole[node, FIRST_CHILD] + b
            last += 1
    integers = np.empty(6 * size + 1 + 3 * tests + 1, np.int32)
    numbers = np.empty(size * (k + 2) + len(parameters))
    first_child, branch_count, default, expansion, test_start = size, 2 * size, 3 * size, 4 * size, 5 * size
    kind = test_start + size + 1
    feature, parameter_start = kind + tests, kind + 2 * tests
    branch_weight, quality, kept = size * k, size * (k + 1), size * (k + 2)
    test, at = 0, 0
    for i in range(size):
        node = order[i]
        is_inner = whole[node, BRANCHES] > 0
        integers[i] = number[whole[node, PARENT]] if i > 0 else -1
        integers[first_child + i] = number[whole[node, FIRST_CHILD]] if is_inner else -1
        integers[branch_count + i] = whole[node, BRANCHES]
        integers[default + i] = whole[node, DEFAULT] if is_inner and not is_fractional else -1
        integers[expansion + i] = test + 1 if is_inner else 0
        integers[test_start + i] = test
        numbers[branch_weight + i], numbers[quality + i] = other[node, BRANCH_WEIGHT], other[node, NODE_QUALITY]
        for c in range(k):
            numbers[i * k + c] = counts[node, c]
        if is_inner:
            symbols = symbols_of[whole[node, FEATURE]]
            integers[kind + test] = 1 if symbols > 0 else 0
            integers[feature + test] = whole[node, FEATURE]
            integers[parameter_start + test] = at
            for j in range(max(1, symbols)):
                numbers[kept + at] = parameters[whole[node, PARAMETERS] + j]
                at += 1
            test += 1
    integers[test_start + size], integers[parameter_start + tests] = tests, at
    return size, tests, integers, numbers
