"""What a tree answers where values are missing: rows go to several leaves, in parts."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS_2D,
    kernel,
    void,
)
from intemi.machines.trees.kernels.route import TREE, branch_of, push_parts


@kernel(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, *TREE, GIVEN_FLOATS_2D, FLOATS_2D))
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
            top = push_parts(node, part, first_child, branch_count, branch_weight, stack, parts, top)
