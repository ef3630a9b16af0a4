"""What a tree says of itself in numbers."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import FLOATS, GIVEN_CODES, GIVEN_FLOATS_2D, compiled, int64


@compiled(FLOATS(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64))
def impurity_removed(class_weights: Floats, first_child: Codes, test_start: Codes, feature: Codes, m: int) -> Floats:
    """For each of `m` features the Gini impurity, times the weight of the node, that its splits removed."""
    size, k = class_weights.shape
    impurity, removed = np.empty(size), np.zeros(m)
    for node in range(size - 1, -1, -1):
        weight, squares = 0.0, 0.0
        for c in range(k):
            weight += class_weights[node, c]
            squares += class_weights[node, c] ** 2
        impurity[node] = weight - squares / weight if weight > 0.0 else 0.0
    # The children of a node end where those of the next inner node begin.
    end = size
    for node in range(size - 1, -1, -1):
        if first_child[node] >= 0:
            tested = feature[test_start[node]]
            removed[tested] += impurity[node]
            for child in range(first_child[node], end):
                removed[tested] -= impurity[child]
            end = int(first_child[node])
    return removed
