"""Putting the splits of a tree that was grown to its end into the order of their gains."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    GIVEN_CODES,
    GIVEN_FLOATS,
    Wide,
    boolean,
    helper,
    kernel,
    void,
)
from intemi.machines.trees.tree import SYMBOLS


@helper
def is_before(node: int, other: int, gains: Floats, inserted: Wide) -> bool:
    """Whether one open node is split before another."""
    return bool(gains[node] > gains[other] or (gains[node] == gains[other] and inserted[node] < inserted[other]))


@kernel(CODES(GIVEN_FLOATS, GIVEN_CODES, GIVEN_CODES, boolean))
def order_of_gains(gains: Floats, first_child: Codes, branch_count: Codes, last_first: bool) -> Codes:
    """The place of each split if the one that gains most is always made first, of equal ones that which was there
    first, or last; 0 for leaves.

    Open nodes are kept in a heap, the next one at its top.
    """
    size = len(gains)
    order, heap, inserted = np.zeros(size, np.int32), np.empty(size, np.int32), np.zeros(size, np.int64)
    count, made, last = 0, 0, 0
    if branch_count[0] > 0:
        heap[0], count = 0, 1
    while count > 0:
        node = heap[0]
        made += 1
        order[node] = made
        count -= 1
        moved, place = heap[count], 0
        while 2 * place + 1 < count:
            child = 2 * place + 1
            if child + 1 < count and is_before(heap[child + 1], heap[child], gains, inserted):
                child += 1
            if not is_before(heap[child], moved, gains, inserted):
                break
            heap[place] = heap[child]
            place = child
        heap[place] = moved
        for child in range(first_child[node], first_child[node] + branch_count[node]):
            if branch_count[child] == 0:
                continue
            last += 1
            inserted[child] = -last if last_first else last
            place = count
            count += 1
            while place > 0 and is_before(child, heap[(place - 1) // 2], gains, inserted):
                heap[place] = heap[(place - 1) // 2]
                place = (place - 1) // 2
            heap[place] = child
    return order


@kernel(void(GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, FLOATS))
def place_unseen_symbols(
    first_child: Codes,
    branch_count: Codes,
    test_start: Codes,
    kind: Codes,
    parameter_start: Codes,
    branch_weight: Floats,
    parameters: Floats,
) -> None:
    """Send symbols that do not occur in a node to its heaviest branch, of equal ones the first."""
    for node in range(len(first_child)):
        test = test_start[node]
        if branch_count[node] == 0 or kind[test] != SYMBOLS:
            continue
        heaviest = 0
        for b in range(branch_count[node]):
            if branch_weight[first_child[node] + b] > branch_weight[first_child[node] + heaviest] + 1e-12:
                heaviest = b
        for j in range(parameter_start[test], parameter_start[test + 1]):
            if parameters[j] < 0.0:
                parameters[j] = heaviest
