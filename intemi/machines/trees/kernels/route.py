"""Sending rows down a tree, each to one leaf."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    WIDE,
    Wide,
    compiled,
    float64,
    inner,
    int64,
    part,
    void,
)
from intemi.machines.trees.tree import DEVIATION, LINEAR, REVERSED, SYMBOLS

TREE = (GIVEN_CODES,) * 7 + (GIVEN_FLOATS, GIVEN_FLOATS)
"""A tree as kernels get it: first child, default branch, where tests begin, their kinds, their features, where their
parameters begin, branch counts; parameters, branch weights."""


BLOCK = 128
"""Rows that go down a tree at the same time: so many that the values they ask for stay near the processor."""
CHILD = 2**32 - 1
"""The bits of a step that are the place of the child."""


@inner(
    int64(
        GIVEN_FLOATS_2D, int64, GIVEN_CODES, int64, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES,
        GIVEN_FLOATS,
    )
)  # fmt: skip
def branch_of(
    values: Floats,
    row: int,
    columns: Codes,
    node: int,
    default_branch: Codes,
    test_start: Codes,
    kind: Codes,
    feature: Codes,
    parameter_start: Codes,
    parameters: Floats,
) -> int:
    """The branch of a node that a row takes, by its first test that can tell, or by default; -1: all branches."""
    for test in range(test_start[node], test_start[node + 1]):
        start, end = int(parameter_start[test]), int(parameter_start[test + 1])
        value = values[columns[feature[test]], row]
        if kind[test] == LINEAR:
            count = int(parameters[start])
            value = 0.0
            for i in range(count):
                part = values[columns[int(parameters[start + 1 + i])], row]
                if np.isnan(part):
                    part = parameters[start + 1 + 2 * count + i]
                value += parameters[start + 1 + count + i] * part
            start += 1 + 3 * count
        if np.isnan(value):
            continue
        if kind[test] == SYMBOLS:
            branch = int(parameters[start + int(value)])
            if branch < 0:
                continue
            return branch
        if kind[test] == REVERSED:
            return 1 if value <= parameters[start] else 0
        if kind[test] == DEVIATION:
            value = abs(value - parameters[start])
            start += 1
        branch = 0
        while start + branch < end and value > parameters[start + branch]:
            branch += 1
        return branch
    return int(default_branch[node])


@part(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, CODES), makes_arrays=True)
def descend(
    values: Floats,
    rows: Codes,
    columns: Codes,
    simple_feature: Codes,
    simple_threshold: Floats,
    simple_child: Codes,
    leaves: Codes,
) -> None:
    """Send rows down as far as nodes compare with one threshold and values are known.

    At any other node `simple_child` is the node itself and the threshold infinite, so there rows stay. All rows of a
    block take a step, since no row waits for another; those that stay take no further one. What a step reads of a node
    lies together.
    """
    nodes = len(simple_child)
    steps = np.empty(2 * nodes, np.int64)  # of each node: column and place of the child, the bits of the threshold
    thresholds = steps.view(np.float64)
    for node in range(nodes):
        steps[2 * node] = (int(columns[simple_feature[node]]) << 32) | (2 * int(simple_child[node]))
        thresholds[2 * node + 1] = simple_threshold[node]
    at, moving = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        for j in range(size):
            at[j], moving[j] = 0, j
        left = size if simple_child[0] != 0 else 0
        while left > 0:
            kept = 0
            for i in range(left):
                j = moving[np.uint64(i)]
                place = at[np.uint64(j)]
                step = steps[np.uint64(place)]
                value = values[np.uint64(step >> 32), np.uint64(rows[np.uint64(begin + j)])]
                child = (step & CHILD) + 2 * int(value > thresholds[np.uint64(place + 1)])
                child = place if np.isnan(value) else child
                at[np.uint64(j)], moving[np.uint64(kept)] = child, j
                kept += int(child != place)
            left = kept
        for j in range(size):
            leaves[begin + j] = at[j] // 2


@inner(int64(int64, float64, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, WIDE, FLOATS, int64))
def push_parts(
    node: int,
    part_of_row: float,
    first_child: Codes,
    branch_count: Codes,
    branch_weight: Floats,
    stack: Wide,
    parts: Floats,
    top: int,
) -> int:
    """Put all branches of a node onto a stack, with the parts of a row that go there; its new height."""
    first, count = first_child[node], branch_count[node]
    total = 0.0
    for b in range(count):
        total += branch_weight[first + b]
    for b in range(count - 1, -1, -1):
        if branch_weight[first + b] > 0.0:
            stack[top], parts[top] = first + b, part_of_row * branch_weight[first + b] / total
            top += 1
    return top


@compiled(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, CODES))
def route(
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
    simple_feature: Codes,
    simple_threshold: Floats,
    simple_child: Codes,
    leaves: Codes,
) -> None:
    """The leaf of each row; -1 where it would have to be split into parts.

    Through nodes that compare with one threshold, nearly all in most trees, blocks of rows go together; where they do
    not get any further they go on one by one.
    """
    if len(columns) > 0:
        descend(values, rows, columns, simple_feature, simple_threshold, simple_child, leaves)
    for i in range(len(rows)):
        node = int(leaves[i]) if len(columns) > 0 else 0
        while first_child[node] >= 0:
            branch = branch_of(
                values, int(rows[i]), columns, node, default_branch, test_start, kind, feature, parameter_start,
                parameters,
            )  # fmt: skip
            if branch < 0:
                node = -1
                break
            node = first_child[node] + branch
        leaves[i] = node
