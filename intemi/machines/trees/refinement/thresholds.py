"""The exact value of β at which depth impurity makes a leaf of each node."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import FLOATS, GIVEN_CODES, GIVEN_FLOATS, kernel

HALVINGS = 60
CLOSE = 1e-12


@kernel(FLOATS(GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES))
def depth_impurity_thresholds(
    purity: Floats, weights: Floats, parent: Codes, first_child: Codes, branch_count: Codes
) -> Floats:
    """For each node the largest β at which it is no longer split, by itself or with a node above; 1 for leaves.

    What a subtree is worth at β, the larger of its root's purity and β times the mean of its branches, grows with β.
    So a node that is a leaf at some β is one at any smaller β, and the largest is found by halving.
    """
    size = len(parent)
    found = np.ones(size)
    below, place, worth = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    for root in range(size):
        if first_child[root] < 0:
            continue
        # The nodes below, parents first.
        below[0], place[root], count, begin = root, 0, 1, 0
        while begin < count:
            node = below[begin]
            if first_child[node] >= 0:
                for child in range(first_child[node], first_child[node] + branch_count[node]):
                    below[count], place[child] = child, count
                    count += 1
            begin += 1
        low, high = 0.0, 1.0
        for halving in range(HALVINGS + 1):
            beta = 1.0 if halving == 0 else (low + high) / 2
            mean = 0.0
            worth[:count] = 0.0
            for i in range(count - 1, -1, -1):
                node = below[i]
                if i == 0:
                    mean = worth[0]
                elif first_child[node] < 0 or purity[node] >= beta * worth[i]:
                    worth[i] = purity[node]
                else:
                    worth[i] = beta * worth[i]
                if i > 0:
                    above = parent[node]
                    share = weights[node] / weights[above] if weights[above] > 0.0 else 1.0 / branch_count[above]
                    worth[place[above]] += share * worth[i]
            if purity[root] >= beta * mean - CLOSE:
                low = beta
                if halving == 0:
                    break
            else:
                high = beta
        found[root] = low
        if root > 0 and found[parent[root]] > low:
            found[root] = found[parent[root]]
    return found
