"""Random choices of a node: they depend on the seed of its tree and on its path, and on nothing else.

The *key* of a node is the seed of the tree, mixed with the branches that lead to the node, the last one first:
key ← mix(key + (branch + 1) · PATH_STEP). Its draws are mix(key + DRAW_STEP), mix(key + 2 · DRAW_STEP) and so on, the
generator SplitMix64 (Steele, Lea and Flood 2014), whose last step `mix` is. So the order in which nodes are split makes
no difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes
from intemi.machines.trees.kernels.compiling import CODES, GIVEN_CODES, helper, inlined, int64, kernel
from intemi.machines.trees.kernels.numbering import FIRST_CHILD, PARENT

PATH_STEP = np.uint64(0xD1B54A32D192ED03)
DRAW_STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@inlined
def mix(number: Any) -> Any:
    """Every bit of the number in every bit of another one."""
    number = (number ^ (number >> np.uint64(30))) * FIRST_FACTOR
    number = (number ^ (number >> np.uint64(27))) * SECOND_FACTOR
    return number ^ (number >> np.uint64(31))


@inlined
def below_branch(key: Any, branch: int) -> Any:
    """The key with one more step of a path in it."""
    return mix(key + np.uint64(branch + 1) * PATH_STEP)


@helper
def key_of(seed: int, node: int, whole: Codes) -> Any:
    """The key of a node of a growing tree."""
    key = np.uint64(seed)
    while whole[node, PARENT] >= 0:
        parent = whole[node, PARENT]
        key = below_branch(key, node - whole[parent, FIRST_CHILD])
        node = parent
    return key


@inlined
def drawn_below(key: Any, place: int, bound: int) -> int:
    """The draw at a place, as a number from 0 to `bound` - 1; the bound is far below 2^32."""
    high = mix(key + np.uint64(place + 1) * DRAW_STEP) >> np.uint64(32)
    return int((high * np.uint64(bound)) >> np.uint64(32))


@inlined
def draw_next(key: Any, place: int, deck: Codes, size: int) -> None:
    """Bring one of the cards from a place on to that place: the next one of a deck that is shuffled."""
    other = place + drawn_below(key, place, size - place)
    deck[place], deck[other] = deck[other], deck[place]


@kernel(CODES(int64, GIVEN_CODES, int64))
def shuffled(seed: int, path: Codes, size: int) -> Codes:
    """The numbers below `size` in the random order of the node at a path, for Python."""
    key, deck = np.uint64(seed), np.empty(size, np.int32)
    for i in range(len(path)):
        key = below_branch(key, path[len(path) - 1 - i])
    for card in range(size):
        deck[card] = card
    for place in range(size - 1):
        draw_next(key, place, deck, size)
    return deck
