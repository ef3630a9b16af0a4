"""What a tree says of itself in numbers."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Tuple,
    boolean,
    float64,
    int64,
    kernel,
)
from intemi.machines.trees.tree import LINEAR


@kernel(
    FLOATS(
        GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, int64
    )
)  # fmt: skip
def impurity_removed(
    class_weights: Floats,
    first_child: Codes,
    test_start: Codes,
    kind: Codes,
    feature: Codes,
    parameter_start: Codes,
    parameters: Floats,
    m: int,
) -> Floats:
    """For each of `m` features the Gini impurity, times the weight of the node, that its splits removed.

    What a cut of a sum removed is divided equally among the features that have a coefficient in it.
    """
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
            test, gain = test_start[node], impurity[node]
            for child in range(first_child[node], end):
                gain -= impurity[child]
            end = int(first_child[node])
            if kind[test] != LINEAR:
                removed[feature[test]] += gain
                continue
            begin, added = parameter_start[test] + 1, 0
            count = int(parameters[begin - 1])
            for i in range(count):
                added += int(parameters[begin + count + i] != 0.0)
            for i in range(count):
                if parameters[begin + count + i] != 0.0:
                    removed[int(parameters[begin + i])] += gain / added
    return removed


@kernel(Tuple((int64, int64, float64, float64, boolean))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES))
def size_of(class_weights: Floats, parent: Codes, default_branch: Codes) -> tuple[int, int, float, float, bool]:
    """The number of leaves, the depth, the weight of the majorities of the leaves, that of the root, and whether rows
    are divided where a value is missing."""
    size, k = class_weights.shape
    depth, is_leaf = np.ones(size, np.int32), np.ones(size, np.uint8)
    for node in range(1, size):
        depth[node] = depth[parent[node]] + 1
        is_leaf[parent[node]] = 0
    leaves, right, weight, divides = 0, 0.0, 0.0, False
    for node in range(size):
        most = 0.0
        for c in range(k):
            most = max(most, class_weights[node, c])
            weight += class_weights[node, c] if node == 0 else 0.0
        if is_leaf[node]:
            leaves += 1
            right += most
        elif default_branch[node] < 0:
            divides = True
    return leaves, int(depth[size - 1]), right, weight, divides
