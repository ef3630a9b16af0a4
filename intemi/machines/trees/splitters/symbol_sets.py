"""Which sets of symbols are tried: all up to a size, or the beginnings of an order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Floats
from intemi.machines.trees.splitters.scores import SLACK

AT_ONCE = 512
"""So many sets are made at a time."""


def order_of_symbols(
    table: Floats, settings: Mapping[str, float], least_branch: float = 0.0
) -> NDArray[np.intp] | None:
    """The order of symbols whose beginnings are tried, by the settings of the kernels; None: sets are enumerated.

    The rows of the table are the class weights of the symbols, none of which may be empty.
    """
    from intemi.machines.trees.kernels.symbols import scores

    count, k = table.shape
    order = int(settings.get("ORDER_OF_TWO", 0))
    # The order is exact if any beginning of it may be a branch, and that is so if no symbol is too light for one.
    is_bound = table.sum(axis=1).min() < least_branch - SLACK and count <= settings["ENUMERATED"]
    if (table.sum(axis=0) > 0).sum() > 2 or order == 0 or is_bound:
        order = int(settings.get("ORDER_OF_MANY", 0)) if count > settings["ENUMERATED"] else 0
    if order == 0:
        return None
    values = np.empty(count)
    scores(table.ravel(), k, np.arange(count, dtype=np.int32), count, order, values)
    return np.argsort(values, kind="stable")


def beginnings(order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The beginnings of an order: a row for each, which says what belongs to it.

    >>> beginnings(np.array([2, 0, 1])).tolist()
    [[False, False, True], [True, False, True]]
    """
    return np.argsort(order) < np.arange(1, len(order))[:, None]


def every_set(count: int, largest: int) -> Iterator[NDArray[np.bool_]]:
    """All sets up to a size, one of each complementary pair: by size, then in lexicographic order, some at a time."""
    sets = (
        chosen
        for size in range(1, largest + 1)
        for chosen in combinations(range(count), size)
        if 2 * size < count or chosen[0] == 0
    )
    while block := list(islice(sets, AT_ONCE)):
        members = np.zeros((len(block), count), dtype=bool)
        for row, chosen in enumerate(block):
            members[row, list(chosen)] = True
        yield members
