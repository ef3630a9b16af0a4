"""Cutting a tree back, and what the leaves below each node have together."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Bytes,
    kernel,
)
from intemi.machines.trees.kernels.numbering import PACKED
from intemi.machines.trees.kernels.sums import sum_of


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES))
def sum_over_leaves(values: Floats, first_child: Codes, branch_count: Codes) -> Floats:
    """For each node, the sum of what the leaves below it have, or it has itself if it is one."""
    sums = np.empty(len(values))
    for node in range(len(values) - 1, -1, -1):
        sums[node] = values[node]
        if branch_count[node] > 0:
            sums[node] = sum_of(sums, int(first_child[node]), int(branch_count[node]))
    return sums


@kernel(PACKED(*(GIVEN_CODES,) * 9, GIVEN_FLOATS_2D, GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS, BYTES))
def cut(
    parent: Codes,
    first_child: Codes,
    branch_count: Codes,
    default_branch: Codes,
    expansion: Codes,
    test_start: Codes,
    kind: Codes,
    feature: Codes,
    parameter_start: Codes,
    class_weights: Floats,
    branch_weight: Floats,
    quality: Floats,
    parameters: Floats,
    is_leaf: Bytes,
) -> Any:
    """The tree in which these nodes are leaves, as `Tree.state` puts it together.

    The order of splitting has the numbers it had, and gaps where splits are left out.
    """
    nodes, k = class_weights.shape
    number, size, tests, used = np.full(nodes, -1, np.int32), 0, 0, 0
    for node in range(nodes):
        if node == 0 or (number[parent[node]] >= 0 and not is_leaf[parent[node]]):
            number[node] = size
            size += 1
            if branch_count[node] > 0 and not is_leaf[node]:
                tests += test_start[node + 1] - test_start[node]
                used += parameter_start[test_start[node + 1]] - parameter_start[test_start[node]]
    integers, numbers = np.empty(6 * size + 1 + 3 * tests + 1, np.int32), np.empty(size * (k + 2) + used)
    kinds = 6 * size + 1
    test, at = 0, 0
    for node in range(nodes):
        i = number[node]
        if i < 0:
            continue
        is_inner = branch_count[node] > 0 and not is_leaf[node]
        integers[i] = number[parent[node]] if node > 0 else -1
        integers[size + i] = number[first_child[node]] if is_inner else -1
        integers[2 * size + i] = branch_count[node] if is_inner else 0
        integers[3 * size + i] = default_branch[node] if is_inner else -1
        integers[4 * size + i] = expansion[node] if is_inner else 0
        integers[5 * size + i] = test
        for c in range(k):
            numbers[i * k + c] = class_weights[node, c]
        numbers[size * k + i] = branch_weight[node]
        numbers[size * (k + 1) + i] = quality[node] if is_inner else 0.0
        for each in range(test_start[node], test_start[node + 1] if is_inner else test_start[node]):
            integers[kinds + test], integers[kinds + tests + test] = kind[each], feature[each]
            integers[kinds + 2 * tests + test] = at
            for j in range(parameter_start[each], parameter_start[each + 1]):
                numbers[size * (k + 2) + at] = parameters[j]
                at += 1
            test += 1
    integers[5 * size + size], integers[kinds + 3 * tests] = tests, used
    return size, tests, integers, numbers
