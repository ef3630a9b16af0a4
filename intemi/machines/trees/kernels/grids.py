"""Prunings for each value of a parameter: of m in the m-estimate, of β in depth impurity."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES_2D,
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Bytes,
    Tuple,
    kernel,
)

CLOSE = 1e-12


@kernel(
    Tuple((CODES, FLOATS, FLOATS, BYTES_2D))(
        GIVEN_FLOATS_2D, GIVEN_FLOATS_2D, GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS
    )
)
def m_estimate_cuts(
    class_weights: Floats, filled: Floats, counts: Floats, parent: Codes, first_child: Codes, ms: Floats
) -> tuple[Codes, Floats, Floats, Bytes]:
    """For each m the leaves, the validation errors and the training errors of its pruning, and whether nodes are cut.

    With prior p the error of a node is least over c of (n - n_c + (1 - p_c) m) / (n + m), that of its branches their
    mean; the class of a node is the first with the largest n_c + p_c m, rounding apart, where an empty node counts as
    the one above it.
    """
    size, k = class_weights.shape
    prior, total = np.empty(k), 0.0
    for c in range(k):
        total += class_weights[0, c]
    for c in range(k):
        prior[c] = class_weights[0, c] / total
    leaves, validation, training = np.zeros(len(ms), np.int32), np.zeros(len(ms)), np.zeros(len(ms))
    cuts = np.zeros((len(ms), size), np.uint8)
    error, branches, gone = np.empty(size), np.empty(size), np.empty(size, np.uint8)
    for i in range(len(ms)):
        m = ms[i]
        branches[:] = 0.0
        for node in range(size - 1, -1, -1):
            n = 0.0
            for c in range(k):
                n += class_weights[node, c]
            least = np.inf
            for c in range(k):
                least = min(least, (n - class_weights[node, c] + (1 - prior[c]) * m) / (n + m))
            error[node] = least
            if first_child[node] >= 0:
                mean = branches[node] / n if n > 0.0 else least
                if least <= mean + CLOSE:
                    cuts[i, node] = 1
                else:
                    error[node] = mean
            if node > 0:
                branches[parent[node]] += n * error[node]
        for node in range(size):
            gone[node] = node > 0 and (gone[parent[node]] or cuts[i, parent[node]])
            if gone[node] or (first_child[node] >= 0 and not cuts[i, node]):
                continue
            known, largest = m, 0.0
            for c in range(k):
                known += filled[node, c]
                largest = max(largest, filled[node, c] + m * prior[c])
            answer = 0
            while filled[node, answer] + m * prior[answer] < largest - CLOSE * known:
                answer += 1
            leaves[i] += 1
            for c in range(k):
                if c != answer:
                    validation[i] += counts[node, c]
                    training[i] += class_weights[node, c]
    return leaves, validation, training, cuts


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS))
def depth_impurity_keys(purity: Floats, weights: Floats, parent: Codes, first_child: Codes, betas: Floats) -> Floats:
    """For each node the number of the first β, of descending ones, at which it is not split any more; of leaves minus
    infinity. The quality of a leaf is its purity, that of a tree β times the mean quality of its branches."""
    size = len(parent)
    critical = np.full(size, -np.inf)
    for node in range(size):
        if first_child[node] >= 0:
            critical[node] = np.inf
    quality, branches = np.empty(size), np.empty(size)
    for i in range(len(betas)):
        branches[:] = 0.0
        for node in range(size - 1, -1, -1):
            quality[node] = purity[node]
            if first_child[node] >= 0:
                mean = betas[i] * branches[node] / weights[node] if weights[node] > 0.0 else 0.0
                if purity[node] >= mean - CLOSE:
                    critical[node] = min(critical[node], i)
                else:
                    quality[node] = mean
            if node > 0:
                branches[parent[node]] += weights[node] * quality[node]
        if critical[0] <= i:
            break
    for node in range(1, size):
        if first_child[node] >= 0:
            critical[node] = min(critical[node], critical[parent[node]])
    return critical
