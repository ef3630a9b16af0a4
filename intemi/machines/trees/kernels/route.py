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


BLOCK = 32
"""Rows that go down a tree at the same time."""


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

    A block of rows goes down step by step, since no row waits for another: through nodes that compare with one
    threshold, nearly all in most trees. At any other node `simple_child` is the node itself and the threshold infinite,
    so there rows stay, and so they do where a value is missing; from there they go on one by one.
    """
    at = np.empty(BLOCK, np.int64)
    for begin in range(0, len(rows) if len(columns) > 0 else 0, BLOCK):
        size = min(BLOCK, len(rows) - begin)
        for j in range(size):
            at[j] = 0
        moved = True
        while moved:
            moved = False
            for j in range(size):
                node = at[j]
                value = values[columns[simple_feature[node]], rows[begin + j]]
                goes_right = value > simple_threshold[node]
                child = simple_child[node] + int(goes_right)
                child = node if np.isnan(value) else child
                moved |= child != node
                at[j] = child
        for j in range(size):
            leaves[begin + j] = at[j]
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
