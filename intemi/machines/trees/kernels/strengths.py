"""Testing many prunings of a tree at once, by what its nodes would do as leaves."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    GIVEN_WIDE,
    Wide,
    float64,
    kernel,
    void,
)


@kernel(
    void(
        GIVEN_FLOATS_2D, GIVEN_FLOATS_2D, float64, GIVEN_CODES, GIVEN_FLOATS, float64, GIVEN_FLOATS, GIVEN_WIDE,
        FLOATS, CODES,
    )
)  # fmt: skip
def score_prunings(
    class_weights: Floats,
    tested: Floats,
    weight: float,
    parent: Codes,
    critical: Floats,
    weakest: float,
    keys: Floats,
    order: Wide,
    accuracy: Floats,
    leaves: Codes,
) -> None:
    """For each key the share of the test rows that are answered right, and the number of leaves.

    Keys are ascending, and those below the `weakest` stand for it; `order` says where the answers belong. `tested` are
    the class weights of the test rows in each node, `weight` is what all of them weigh.

    A node answers the class with the largest weight, an empty one that of its parent. It is not split any more from its
    critical key on, and not there any more from that of its parent on: what it adds to the sums at one key it takes
    away at the other.
    """
    steps, nodes = len(keys), len(parent)
    begin, answers = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    changes = np.zeros((2, steps + 1))
    for node in range(nodes):
        above = parent[node]
        best, answer = 0.0, 0 if node == 0 else answers[above]
        errors = 0.0
        for c in range(class_weights.shape[1]):
            errors += tested[node, c]
            if class_weights[node, c] > best:
                best, answer = class_weights[node, c], c
        answers[node] = answer
        errors -= tested[node, answer]
        low, high = 0, steps
        while low < high:
            middle = (low + high) // 2
            key = weakest if keys[middle] < weakest else keys[middle]
            if key < critical[node]:
                low = middle + 1
            else:
                high = middle
        begin[node] = low
        end = steps if node == 0 else begin[above]
        changes[0, begin[node]] += errors
        changes[0, end] -= errors
        changes[1, begin[node]] += 1
        changes[1, end] -= 1
    errors, count = 0.0, 0.0
    for step in range(steps):
        errors += changes[0, step]
        count += changes[1, step]
        accuracy[order[step]], leaves[order[step]] = 1.0 - errors / weight, int(count)
