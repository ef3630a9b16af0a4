"""The form in which the store keeps a large tree: integers in as few bytes as they need, other numbers without zeros.

Most nodes of a full tree are leaves of one class. So most of its class weights are 0, and the others count rows.
Nothing is rounded: numbers that are no counts are kept as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.kernel.errors import MalformedError
from intemi.machines.interfaces import Floats

LARGE_NODES = 256
"""From so many nodes on a tree is kept in this form: to make it of a smaller one saves little, and takes time."""
MAX_COUNT = 2**32 - 1
COMPACT_PIECES = 9
"""Of a state in this form: columns, labels, the numbers of nodes and tests, and five arrays."""


def compacted(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """The state of a tree, with five arrays in place of two: integers; class and branch weights, and the other numbers,
    each as the bits that tell which are not 0, and these.
    """
    columns, labels, nodes, tests, integers, numbers = state
    weights = nodes * (len(labels) + 1)
    small = (integers + 1).astype(np.min_scalar_type(int(integers.max()) + 1))  # none of them is below -1
    return columns, labels, nodes, tests, small, *_sparse(numbers[:weights]), *_sparse(numbers[weights:])


def expanded(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """The state that was made compact.

    >>> state = (), ("a", "b"), 2, 0, np.arange(-1, 1, dtype=np.int32), np.array([3, 0, 0, 4, 0, 7, 0.5, -0.0])
    >>> [each.tolist() for each in expanded(compacted(state))[4:]] == [each.tolist() for each in state[4:]]
    True
    """
    if len(state) != COMPACT_PIECES:
        raise MalformedError(f"a large tree has {COMPACT_PIECES} pieces, got {len(state)}")
    columns, labels, nodes, tests, small, *sparse = state
    if type(labels) is not tuple or type(nodes) is not int or not 0 < nodes <= len(small):
        raise MalformedError(f"a large tree has labels and nodes, got {labels!r} and {nodes!r}")
    integers = small.astype(np.int32) - np.int32(1)
    weights = _dense(sparse[0], sparse[1], nodes * (len(labels) + 1))
    others = _dense(sparse[2], sparse[3], nodes + int(integers[-1]))  # the last integer is the number of parameters
    return columns, labels, nodes, tests, integers, np.concatenate((weights, others))


def _sparse(numbers: Floats) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Which numbers are not 0, as a bit for each, and these; as integers, if all of them are counts."""
    present = numbers.view(np.int64) != 0  # by their bits, since -0.0 is to be kept
    kept = numbers[present]
    if len(kept) and kept.min() > 0 and kept.max() <= MAX_COUNT and (kept == np.floor(kept)).all():
        return np.packbits(present), kept.astype(np.min_scalar_type(int(kept.max())))
    return np.packbits(present), kept


def _dense(bits: NDArray[np.uint8], kept: NDArray[Any], size: int) -> Floats:
    """All numbers, of those that are not 0."""
    if bits.dtype != np.uint8 or bits.shape != ((size + 7) // 8,):
        raise MalformedError(f"there must be a bit for each of {size} numbers, got {bits.shape} bytes")
    present = np.unpackbits(bits, count=size).view(bool)
    if kept.ndim != 1 or np.count_nonzero(present) != len(kept):
        raise MalformedError(f"{np.count_nonzero(present)} numbers are marked, got {kept.shape}")
    numbers = np.zeros(size)
    numbers[present] = kept
    return numbers
