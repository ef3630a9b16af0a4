"""Sending rows down a tree, each to one leaf."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Wide,
    helper,
    inlined,
    kernel,
    void,
)
from intemi.machines.trees.tree import DEVIATION, LINEAR, REVERSED, SYMBOLS, THRESHOLDS

TREE = (GIVEN_CODES,) * 7 + (GIVEN_FLOATS, GIVEN_FLOATS)
"""A tree as kernels get it: first child, default branch, where tests begin, their kinds, their features, where their
parameters begin, branch counts; parameters, branch weights."""


BLOCK = 64
"""Rows that go down a tree at the same time: so many that the values they ask for stay near the processor."""
CHILD = 2**32 - 1
"""The bits of a step that are the child."""


@inlined
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


@helper
def descend(values: Floats, rows: Codes, steps: Wide, thresholds: Floats, leaves: Codes) -> None:
    """Send rows down as far as nodes compare with one threshold and values are known.

    All rows of a block take a step, and those that have arrived stay where they are, until none has moved: no row waits
    for another, and the processor need not guess which way one goes. `steps` and `thresholds` are the same numbers, of
    each node: its column and first child; its threshold. So what a step reads of a node lies together.
    """
    for begin in range(0, len(rows), BLOCK):
        end = min(begin + BLOCK, len(rows))
        for i in range(begin, end):
            leaves[i] = 0
        moved = 1
        while moved != 0:
            moved = 0
            for i in range(begin, end):
                node = int(leaves[np.uint64(i)])
                step = steps[np.uint64(2 * node)]
                value = values[np.uint64(step >> 32), np.uint64(rows[np.uint64(i)])]
                child = (step & CHILD) + int(value > thresholds[np.uint64(2 * node + 1)])
                child = node if np.isnan(value) else child
                leaves[np.uint64(i)] = child
                moved |= child ^ node


@inlined
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


@kernel(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, CODES))
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
    leaves: Codes,
) -> None:
    """The leaf of each row; -1 where it would have to be split into parts.

    Through nodes that compare with one threshold, nearly all in most trees, blocks of rows go together; where they do
    not get any further they go on one by one.
    """
    if len(columns) > 0:
        steps = np.empty(2 * len(first_child), np.int64)
        thresholds = steps.view(np.float64)
        for each in range(len(first_child)):
            test = test_start[each]
            if branch_count[each] == 2 and kind[test] == THRESHOLDS:
                steps[2 * each] = (int(columns[feature[test]]) << 32) | int(first_child[each])
                thresholds[2 * each + 1] = parameters[parameter_start[test]]
            else:
                steps[2 * each] = (int(columns[0]) << 32) | each  # rows stay
                thresholds[2 * each + 1] = np.inf
        descend(values, rows, steps, thresholds, leaves)
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
