"""Counting rows in the nodes of a tree: rows that reach one leaf, and those that go to several in parts."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.route import TREE, branch_of, push_parts, route


@kernel(FLOATS_2D(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, int64))
def count_rows(
    values: Floats,
    rows: Codes,
    columns: Codes,
    first_child: Codes,
    default_branch: Codes,
    test_start: Codes,
    kind: Codes,
    feature: Codes,
    parameter_start: Codes,
    branch_count: Codes,
    parameters: Floats,
    branch_weight: Floats,
    parent: Codes,
    classes: Codes,
    weights: Floats,
    k: int,
) -> Floats:
    """The weights of the `k` classes of rows in each node; rows of unknown class are not counted.

    Values, classes and weights are those of a table, of which `rows` are counted; no weights are all 1.
    """
    size, is_weighted = len(first_child), len(weights) > 0
    counts, leaves = np.zeros((size, k)), np.empty(len(rows), np.int32)
    route(
        values, rows, columns, first_child, default_branch, test_start, kind, feature, parameter_start, branch_count,
        parameters, branch_weight, leaves,
    )  # fmt: skip
    stack, parts = np.empty(size, np.int64), np.empty(size)
    for i in range(len(rows)):
        row = int(rows[i])
        if leaves[i] >= 0 or classes[row] < 0:
            continue
        stack[0], parts[0], top = 0, weights[row] if is_weighted else 1.0, 1
        while top > 0:
            top -= 1
            node, part = stack[top], parts[top]
            if first_child[node] < 0:
                counts[node, classes[row]] += part
                continue
            branch = branch_of(
                values, row, columns, node, default_branch, test_start, kind, feature, parameter_start, parameters
            )
            if branch >= 0:
                stack[top], parts[top] = first_child[node] + branch, part
                top += 1
                continue
            top = push_parts(node, part, first_child, branch_count, branch_weight, stack, parts, top)
    for i in range(len(rows)):
        row = int(rows[i])
        if leaves[i] >= 0 and classes[row] >= 0:
            counts[leaves[i], classes[row]] += weights[row] if is_weighted else 1.0
    for node in range(size - 1, 0, -1):
        for c in range(k):
            counts[parent[node], c] += counts[node, c]
    return counts
