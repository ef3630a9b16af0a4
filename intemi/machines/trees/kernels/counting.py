"""Counting rows in the nodes of a tree: rows that reach one leaf, and those that go to several in parts."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    compiled,
    void,
)
from intemi.machines.trees.kernels.route import TREE, branch_of, push_parts


@compiled(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, GIVEN_CODES, GIVEN_FLOATS, FLOATS_2D))
def count_parts(
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
    classes: Codes,
    weights: Floats,
    counts: Floats,
) -> None:
    """Add the parts of rows to the class weights of the leaves that they reach."""
    stack, parts = np.empty(len(first_child), np.int64), np.empty(len(first_child))
    for i in range(len(rows)):
        if classes[i] < 0:
            continue
        stack[0], parts[0], top = 0, weights[i], 1
        while top > 0:
            top -= 1
            node, part = stack[top], parts[top]
            if first_child[node] < 0:
                counts[node, classes[i]] += part
                continue
            branch = branch_of(
                values, rows[i], columns, node, default_branch, test_start, kind, feature, parameter_start, parameters
            )
            if branch >= 0:
                stack[top], parts[top] = first_child[node] + branch, part
                top += 1
                continue
            top = push_parts(node, part, first_child, branch_count, branch_weight, stack, parts, top)


@compiled(void(GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, FLOATS_2D))
def count_whole(leaves: Codes, classes: Codes, weights: Floats, parent: Codes, counts: Floats) -> None:
    """Add rows to the class weights of their leaves, and then all leaves to the nodes above them.

    Rows of no leaf have been counted before, those of unknown class are not.
    """
    for i in range(len(leaves)):
        if leaves[i] >= 0 and classes[i] >= 0:
            counts[leaves[i], classes[i]] += weights[i]
    for node in range(len(parent) - 1, 0, -1):
        for c in range(counts.shape[1]):
            counts[parent[node], c] += counts[node, c]
