"""Small regression trees, grown best first: what gradient boosting adds up."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_CODES_2D,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Bytes,
    Tuple,
    helper,
    int64,
    kernel,
    void,
)

LEAST_GAIN = 1e-12
"""Of what the targets vary by, all squares added up: splits that remove less are not made."""


@helper
def best_cut(
    values: Floats, order: Codes, targets: Floats, weights: Floats, node_of: Codes, node: int
) -> tuple[int, float, float]:
    """The cut of a node that removes most of the squared error: feature, cut, and how much; -1: there is none."""
    total, weight, squares = 0.0, 0.0, 0.0
    for i in range(len(targets)):
        if node_of[i] == node:
            total += weights[i] * targets[i]
            weight += weights[i]
            squares += weights[i] * targets[i] ** 2
    best, best_feature, cut = LEAST_GAIN * squares, -1, 0.0
    for f in range(len(values)):
        below, below_weight, last = 0.0, 0.0, np.nan
        for j in range(order.shape[1]):
            i = order[f, j]
            if node_of[i] != node:
                continue
            value = values[f, i]
            if value > last:
                above, above_weight = total - below, weight - below_weight
                if above_weight > 0.0:
                    gain = below**2 / below_weight + above**2 / above_weight - total**2 / weight
                    if gain > best * (1.0 + 1e-12):
                        best, best_feature = gain, f
                        middle = last + (value - last) / 2
                        cut = middle if middle < value else last
            last = value
            below += weights[i] * targets[i]
            below_weight += weights[i]
    return best_feature, cut, best


@kernel(
    Tuple((CODES, FLOATS, CODES, CODES))(
        GIVEN_FLOATS_2D, GIVEN_CODES_2D, BYTES, GIVEN_FLOATS, GIVEN_FLOATS, int64
    )
)  # fmt: skip
def grow_regression(values: Floats, order: Codes, chosen: Bytes, targets: Floats, weights: Floats, leaves: int) -> Any:
    """A tree of at most so many leaves: of each node its feature (-1: a leaf), its cut and its left child, the right
    one being the next; and the leaf of each row.

    `order` are the rows of each feature in ascending order. Only `chosen` rows are learned from. The leaf is split
    next whose split removes most of the squared error.
    """
    most = 2 * leaves - 1
    feature, cut, left = np.full(most, -1, np.int32), np.zeros(most), np.zeros(most, np.int32)
    candidate, candidate_cut, gain = np.full(most, -1, np.int32), np.zeros(most), np.zeros(most)
    node_of = np.zeros(len(targets), np.int32)
    for i in range(len(targets)):
        if not chosen[i]:
            node_of[i] = -1
    candidate[0], candidate_cut[0], gain[0] = best_cut(values, order, targets, weights, node_of, 0)
    nodes = 1
    while nodes + 2 <= most:
        best = -1
        for node in range(nodes):
            if candidate[node] >= 0 and (best < 0 or gain[node] > gain[best]):
                best = node
        if best < 0:
            break
        feature[best], cut[best], left[best] = candidate[best], candidate_cut[best], nodes
        candidate[best] = -1
        for i in range(len(targets)):
            if node_of[i] == best:
                node_of[i] = nodes if values[feature[best], i] <= cut[best] else nodes + 1
        for child in range(nodes, nodes + 2):
            candidate[child], candidate_cut[child], gain[child] = best_cut(
                values, order, targets, weights, node_of, child
            )
        nodes += 2
    for i in range(len(targets)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if values[feature[node], i] <= cut[node] else left[node] + 1
        node_of[i] = node
    return feature[:nodes].copy(), cut[:nodes].copy(), left[:nodes].copy(), node_of


@kernel(void(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, GIVEN_CODES, GIVEN_FLOATS, FLOATS_2D))
def add_trees(
    values: Floats, roots: Codes, feature: Codes, cut: Floats, left: Codes, number: Floats, scores: Floats
) -> None:
    """Add the numbers of the leaves that rows reach to their scores, a column for each of the trees of a step in turn.

    The nodes of all trees lie one after the other, each tree from its root on; children are counted from it.
    """
    for t in range(len(roots)):
        root, column = roots[t], t % scores.shape[1]
        for i in range(len(scores)):
            node = root
            while feature[node] >= 0:
                node = root + left[node] + (0 if values[feature[node], i] <= cut[node] else 1)
            scores[i, column] += number[node]
