"""Cutting a tree back by what its nodes would do as leaves: weakest links, and reduced errors."""

from __future__ import annotations

import math

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    Bytes,
    Tuple,
    float64,
    kernel,
)

SAME_COST = 1e-10
"""Costs that differ by less, relative to the larger of them, are the same. They are ratios of a count of errors and a
count of leaves, so different ones differ by more."""
CLOSE = 1e-12


@kernel(Tuple((FLOATS, FLOATS))(GIVEN_FLOATS, float64, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES))
def weakest_links(
    risk: Floats, unit: float, parent: Codes, first_child: Codes, branch_count: Codes
) -> tuple[Floats, Floats]:
    """The costs of a leaf, in units of risk, at which something is cut, ascending, and before them 0: that of nothing;
    and for each node the one at which it is not split any more, of leaves minus infinity.

    A node saves g = (risk - risk of its leaves) / (leaves - 1). The one that saves least is cut, its ancestors save
    more for each leaf then, and so on. A tournament of the g of all nodes keeps the least at its top; among equal ones
    the first is the highest, since parents stand before their children.
    """
    size = len(parent)
    below, leaves = np.zeros(size), np.zeros(size, np.int64)
    for node in range(size - 1, -1, -1):
        if first_child[node] < 0:
            below[node], leaves[node] = risk[node], 1
        if node > 0:
            below[parent[node]] += below[node]
            leaves[parent[node]] += leaves[node]
    width = 1
    while width < size:
        width *= 2
    least = np.full(2 * width, np.inf)
    critical, costs, cost_count = np.full(size, -np.inf), np.zeros(size + 1), 1
    for node in range(size):
        if first_child[node] >= 0:
            least[width + node] = (risk[node] - below[node]) / (leaves[node] - 1)
            critical[node] = np.inf
    for place in range(width - 1, 0, -1):
        least[place] = min(least[2 * place], least[2 * place + 1])
    level, stack = 0.0, np.empty(size, np.int64)
    nothing = CLOSE * abs(risk[0])  # what rounding may leave of sums that are no larger than the risk of the root
    while least[1] < np.inf:
        limit = level + max(SAME_COST * level, nothing)
        if least[1] > limit:
            level = least[1]
            costs[cost_count] = level / unit
            cost_count += 1
            limit = level + max(SAME_COST * level, nothing)
        place = 1
        while place < width:
            place = 2 * place if least[2 * place] <= limit else 2 * place + 1
        node = place - width
        saved, fewer = risk[node] - below[node], leaves[node] - 1
        # Whatever is below it is not split any more.
        stack[0], top = node, 1
        while top > 0:
            top -= 1
            inner = stack[top]
            if critical[inner] < np.inf:
                continue
            critical[inner] = level / unit
            place = width + inner
            least[place] = np.inf
            while place > 1:
                place //= 2
                least[place] = min(least[2 * place], least[2 * place + 1])
            for child in range(first_child[inner], first_child[inner] + branch_count[inner]):
                stack[top] = child
                top += 1
        ancestor = int(parent[node])
        while ancestor >= 0:
            below[ancestor] += saved
            leaves[ancestor] -= fewer
            place = width + ancestor
            least[place] = (risk[ancestor] - below[ancestor]) / (leaves[ancestor] - 1)
            while place > 1:
                place //= 2
                least[place] = min(least[2 * place], least[2 * place + 1])
            ancestor = int(parent[ancestor])
    return costs[:cost_count], critical


@kernel(
    Tuple((BYTES, float64))(
        GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, float64, float64
    )
)
def reduced_error_cuts(
    validation: Floats,
    training: Floats,
    reached: Floats,
    weights: Floats,
    parent: Codes,
    first_child: Codes,
    tef: float,
    se: float,
) -> tuple[Bytes, float]:
    """Whether each node is cut, and the error of what is left; all weights are of rows, all errors as leaves.

    With v, e the errors on n_v validation and n training rows, E = (v / n_v + tef e / n) / (1 + tef), of the whole
    tree. A node is cut if E as a leaf ≤ E of its branches + se √(nv r (1 - r)) / n_v, where nv are the validation
    rows that reach it and r is E of its branches among the rows of the node.
    """
    size, validated, trained = len(parent), reached[0], weights[0]
    cuts, v, e = np.zeros(size, np.uint8), np.zeros(size), np.zeros(size)
    for node in range(size - 1, -1, -1):
        as_leaf = (validation[node] / validated + tef * training[node] / trained) / (1 + tef)
        if first_child[node] < 0:
            v[node], e[node] = validation[node], training[node]
        else:
            as_tree = (v[node] / validated + tef * e[node] / trained) / (1 + tef)
            error = 0.0
            if se > 0.0 and reached[node] > 0.0 and weights[node] > 0.0:
                r = (v[node] / reached[node] + tef * e[node] / weights[node]) / (1 + tef)
                error = math.sqrt(max(reached[node] * r * (1 - r), 0.0)) / validated
            if as_leaf <= as_tree + se * error + CLOSE:
                cuts[node], v[node], e[node] = 1, validation[node], training[node]
        if node > 0:
            v[parent[node]] += v[node]
            e[parent[node]] += e[node]
    return cuts, (v[0] / validated + tef * e[0] / trained) / (1 + tef)
