"""Sending rows down a tree: to one leaf each, or where values are missing to several leaves in parts."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    compiled,
    inner,
    int64,
    void,
)
from intemi.machines.trees.tree import DEVIATION, LINEAR, REVERSED, SYMBOLS

TREE = (GIVEN_CODES,) * 7 + (GIVEN_FLOATS, GIVEN_FLOATS)
"""A tree as kernels get it: first child, default branch, where tests begin, their kinds, their features, where their
parameters begin, branch counts; parameters, branch weights."""


BLOCK = 256
"""Rows that go down a tree at the same time."""
COPIED = 32
"""If a tree tests no more features than this, their values in a block of rows are brought together first."""
CHILD = 2**32 - 1
"""The bits of a step that are the child."""


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
                other = columns[int(parameters[start + 1 + i])]
                value += parameters[start + 1 + count + i] * values[other, row]
            start += 1 + 2 * count
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


@compiled(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, CODES))
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
    lies together, and so does what it reads of a row, unless too many features are tested.
    """
    nodes = len(simple_child)
    steps = np.empty(2 * nodes, np.int64)  # of each node: feature and child in one number, the bits of the threshold
    thresholds = steps.view(np.float64)
    place, used, count = np.empty(len(columns), np.int32), np.empty(COPIED, np.int32), 0
    for f in range(len(columns)):
        place[f] = -1
    for node in range(nodes):
        feature = simple_feature[node]
        if simple_child[node] != node and place[feature] < 0 and count <= COPIED:
            if count < COPIED:
                used[count], place[feature] = columns[feature], count
            count += 1
    is_copied = count <= COPIED
    for node in range(nodes):
        feature = int(simple_feature[node])
        where = max(0, int(place[feature])) if is_copied else int(columns[feature])
        steps[2 * node] = (where << 32) | int(simple_child[node])
        thresholds[2 * node + 1] = simple_threshold[node]
    count = count if is_copied else 0
    block, at, moving = np.empty(BLOCK * count), np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        for f in range(count):
            for j in range(size):
                block[j * count + f] = values[used[f], rows[begin + j]]
        for j in range(size):
            at[j], moving[j] = 0, j
        left = size if simple_child[0] != 0 else 0
        while left > 0:
            kept = 0
            for i in range(left):
                j = moving[np.uint64(i)]
                node = at[np.uint64(j)]
                step = steps[np.uint64(2 * node)]
                where = step >> 32
                if count > 0:
                    value = block[np.uint64(j * count + where)]
                else:
                    value = values[np.uint64(where), np.uint64(rows[np.uint64(begin + j)])]
                child = (step & CHILD) + int(value > thresholds[np.uint64(2 * node + 1)])
                child = node if np.isnan(value) else child
                at[np.uint64(j)], moving[np.uint64(kept)] = child, j
                kept += int(child != node)
            left = kept
        for j in range(size):
            leaves[begin + j] = at[j]


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


@compiled(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, GIVEN_FLOATS_2D, FLOATS_2D))
def mix(
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
    answers: Floats,
    mixed: Floats,
) -> None:
    """The answers of the leaves that the parts of each row reach, weighted by these parts."""
    room, k = len(first_child), answers.shape[1]
    stack, parts = np.empty(room, np.int64), np.empty(room)
    for i in range(len(rows)):
        row = rows[i]
        for c in range(k):
            mixed[i, c] = 0.0
        stack[0], parts[0], top = 0, 1.0, 1
        while top > 0:
            top -= 1
            node, part = stack[top], parts[top]
            if first_child[node] < 0:
                for c in range(k):
                    mixed[i, c] += part * answers[node, c]
                continue
            branch = branch_of(
                values, row, columns, node, default_branch, test_start, kind, feature, parameter_start, parameters
            )
            if branch >= 0:
                stack[top], parts[top] = first_child[node] + branch, part
                top += 1
                continue
            first, count = first_child[node], branch_count[node]
            total = 0.0
            for b in range(count):
                total += branch_weight[first + b]
            for b in range(count - 1, -1, -1):
                if branch_weight[first + b] > 0.0:
                    stack[top], parts[top] = first + b, part * branch_weight[first + b] / total
                    top += 1
