"""From nodes in the order of their creation to the arrays of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    CODES_2D,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    Tuple,
    apart,
    boolean,
)

PARENT, FIRST_CHILD, BRANCHES, FEATURE, DEFAULT, PARAMETERS, START, END, DEPTH, LIVE = range(10)
"""Columns of the whole numbers of a node; the last one is how many features are not constant in it, as far as known."""
NODE_QUALITY, BRANCH_WEIGHT = 0, 1
"""Columns of its other numbers."""


ARRAYS = Tuple((CODES, CODES, CODES, FLOATS_2D, FLOATS, CODES, FLOATS, CODES, CODES, CODES, CODES, CODES, FLOATS))


@apart(ARRAYS(CODES_2D, FLOATS_2D, FLOATS_2D, FLOATS, GIVEN_CODES, boolean), makes_arrays=True)
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
