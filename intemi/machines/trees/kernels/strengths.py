"""Testing many prunings of a tree at once, by what its nodes would do as leaves."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_FLOATS_2D, compiled


@compiled(FLOATS_2D(GIVEN_FLOATS_2D, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, GIVEN_FLOATS))
def errors_and_leaves(class_weights: Floats, tested: Floats, parent: Codes, critical: Floats, keys: Floats) -> Floats:
    """For each key, ascending: the weight of the test rows that are answered wrong, and the number of leaves.

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
            if keys[middle] < critical[node]:
                low = middle + 1
            else:
                high = middle
        begin[node] = low
        end = steps if node == 0 else begin[above]
        changes[0, begin[node]] += errors
        changes[0, end] -= errors
        changes[1, begin[node]] += 1
        changes[1, end] -= 1
    for step in range(1, steps):
        changes[0, step] += changes[0, step - 1]
        changes[1, step] += changes[1, step - 1]
    return changes
