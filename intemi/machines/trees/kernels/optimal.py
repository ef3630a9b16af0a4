"""The best prunings of a tree by their size: a knapsack over its nodes."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    WIDE,
    Tuple,
    Wide,
    kernel,
)

CLOSE = 1e-12


@kernel(Tuple((FLOATS, FLOATS, CODES, WIDE))(GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES))
def fewest_errors(
    training: Floats, validation: Floats, parent: Codes, first_child: Codes, branch_count: Codes
) -> tuple[Floats, Floats, Codes, Wide]:
    """For 1, 2, … leaves the fewest training errors (infinite where there is no such pruning), the validation errors of
    the same pruning, and the way to it: how many leaves each node gets of those for it and its siblings before it.

    Of equal prunings the one is taken that gives more leaves to the first branches.
    """
    size = len(parent)
    leaves = np.zeros(size, np.int64)
    for node in range(size - 1, -1, -1):
        if first_child[node] < 0:
            leaves[node] = 1
        if node > 0:
            leaves[parent[node]] += leaves[node]
    start, given_start = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    for node in range(size):
        start[node + 1] = start[node] + leaves[node]
        before = 0
        if node > 0:
            for sibling in range(first_child[parent[node]], node):
                before += leaves[sibling]
        given_start[node + 1] = given_start[node] + before + leaves[node]
    errors, others = np.full(start[size], np.inf), np.zeros(start[size])
    given = np.zeros(given_start[size], np.int32)
    most = leaves[0] + 1
    sums, other_sums = np.empty(most), np.empty(most)
    new, other_new = np.empty(most), np.empty(most)
    for node in range(size - 1, -1, -1):
        at = start[node]
        if first_child[node] >= 0:
            sums[0], other_sums[0], total = 0.0, 0.0, 0
            for child in range(first_child[node], first_child[node] + branch_count[node]):
                for s in range(total + leaves[child] + 1):
                    new[s] = np.inf
                for s1 in range(total, -1, -1):
                    if sums[s1] == np.inf:
                        continue
                    for s2 in range(leaves[child], 0, -1):
                        sum = sums[s1] + errors[start[child] + s2 - 1]
                        s = s1 + s2
                        if sum < new[s] - CLOSE * max(1.0, sum) or (new[s] == np.inf and sum < np.inf):
                            new[s] = sum
                            other_new[s] = other_sums[s1] + others[start[child] + s2 - 1]
                            given[given_start[child] + s - 1] = s2
                total += leaves[child]
                for s in range(total + 1):
                    sums[s], other_sums[s] = new[s], other_new[s]
            for s in range(2, total + 1):
                errors[at + s - 1], others[at + s - 1] = sums[s], other_sums[s]
        errors[at], others[at] = training[node], validation[node]
    return errors[: leaves[0]].copy(), others[: leaves[0]].copy(), given, given_start
