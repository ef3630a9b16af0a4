"""The tree so far: its beginning, more room for it, and where it stops."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.compiling import helper, inlined
from intemi.machines.trees.kernels.numbering import (
    BRANCH_WEIGHT,
    BRANCHES,
    DEPTH,
    END,
    LEAVES,
    LIVE,
    NODE_QUALITY,
    NODES,
    START,
    TAIL,
    TESTS,
    USED,
)
from intemi.machines.trees.kernels.settings import LEAST_CLASS, LEAST_WEIGHT, MAX_DEPTH, MAX_ERRORS, MAX_RATE
from intemi.machines.trees.kernels.state import Growing


@inlined
def stops(counts: Floats, node: int, depth: int, settings: Floats) -> bool:
    """Whether a criterion that looks at the node alone ends growth there."""
    weight, majority, large = 0.0, 0.0, 0
    for c in range(counts.shape[1]):
        weight += counts[node, c]
        majority = max(majority, counts[node, c])
        large += int(counts[node, c] >= settings[LEAST_CLASS])
    errors = weight - majority
    return bool(
        errors <= max(0.0, settings[MAX_ERRORS]) + 1e-12 * weight
        or errors <= settings[MAX_RATE] * weight
        or weight < settings[LEAST_WEIGHT] - 1e-9
        or depth >= settings[MAX_DEPTH]
        or large < 2
    )


@helper
def seed(weight_of_classes: Floats, size: int, live: int, most: int, surrogates: int) -> Growing:
    """A tree of one node, and room for more; it is not open yet."""
    k = len(weight_of_classes)
    room = most + min(2 * size, 256)
    growing = Growing(
        progress=np.zeros(6, np.int64),
        whole=np.empty((room, 10), np.int32),
        other=np.empty((room, 2)),
        counts=np.zeros((room, k)),
        queue=np.empty(room, np.int32),
        tests=np.empty(((1 + surrogates) * room, 3), np.int32),
        parameters=np.empty((1 + surrogates) * room),
    )
    growing.progress[NODES], growing.progress[LEAVES] = 1, 1
    whole, other = growing.whole, growing.other
    for j in range(10):
        whole[0, j] = -1
    whole[0, START], whole[0, END], whole[0, DEPTH], whole[0, BRANCHES], whole[0, LIVE] = 0, size, 1, 0, live
    other[0, NODE_QUALITY], other[0, BRANCH_WEIGHT] = 0.0, 0.0
    for c in range(k):
        growing.counts[0, c] = weight_of_classes[c]
        other[0, BRANCH_WEIGHT] += weight_of_classes[c]
    return growing


@helper
def with_more_room(growing: Growing, most: int) -> Growing:
    """The same with room for twice as much, copied number by number: slices take a hundred times as long to compile."""
    progress, k = growing.progress, growing.counts.shape[1]
    room = 2 * (len(growing.whole) + most)
    per_node = len(growing.tests) // len(growing.whole)
    larger = Growing(
        progress=progress,
        whole=np.empty((room, 10), np.int32),
        other=np.empty((room, 2)),
        counts=np.zeros((room, k)),
        queue=np.empty(room, np.int32),
        tests=np.empty((per_node * room, 3), np.int32),
        parameters=np.empty(per_node * room),
    )
    for i in range(progress[NODES]):
        for j in range(10):
            larger.whole[i, j] = growing.whole[i, j]
        larger.other[i, 0], larger.other[i, 1] = growing.other[i, 0], growing.other[i, 1]
        for c in range(k):
            larger.counts[i, c] = growing.counts[i, c]
    for i in range(progress[TAIL]):
        larger.queue[i] = growing.queue[i]
    for i in range(progress[TESTS]):
        for j in range(3):
            larger.tests[i, j] = growing.tests[i, j]
    for i in range(progress[USED]):
        larger.parameters[i] = growing.parameters[i]
    return larger


@inlined
def has_room(growing: Growing, most: int, surrogates: int) -> bool:
    """Whether one more node can be split."""
    progress = growing.progress
    return bool(
        progress[NODES] + most <= growing.whole.shape[0]
        and progress[TESTS] + 1 + surrogates <= growing.tests.shape[0]
        and progress[USED] + (1 + surrogates) * most <= (1 + surrogates) * growing.whole.shape[0]
    )
