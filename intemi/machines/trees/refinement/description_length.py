"""Pruning by description length: a subtree stays if it pays in bits."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning
from intemi.machines.trees.tree import Tree

SAME_LENGTH = 1e-9
"""Code lengths that differ by less are the same."""


def code_lengths(class_weights: Floats) -> Floats:
    """How many bits tell the classes of leaves by Kononenko's code, a row of class weights for each.

    >>> code_lengths(np.array([[2.0, 2.0], [2.0, 0.0]])).round(4).tolist()
    [4.9069, 1.585]
    """
    gammaln = library("scipy.special").gammaln

    n, k = class_weights.sum(axis=1), class_weights.shape[1]
    orders = gammaln(n + 1) - gammaln(class_weights + 1).sum(axis=1)
    numbers = gammaln(n + k) - gammaln(n + 1) - gammaln(k)
    return np.asarray((orders + numbers) / np.log(2))


class DescriptionLength(BottomUpPruning):
    """Make leaves whose classes take fewer bits to tell than those of what is below and one bit for the split (MDLP).

    The classes of a leaf are told by how many there are of each, among all such numbers, and by which order they have,
    among all orders: Kononenko's code. Of equal lengths the tree is kept, or pruned.

    >>> DescriptionLength()
    DescriptionLength(tie='keep')
    """

    tie: Literal["keep", "prune"] = "keep"

    def costs(self, tree: Tree) -> Floats:
        return code_lengths(tree.class_weights)

    def of_subtrees(self, combined: Floats) -> Floats:
        return 1.0 + combined

    def prefers_leaves(self, leaves: Floats, subtrees: Floats, weights: Floats) -> NDArray[np.bool_]:
        return np.asarray(leaves < subtrees + (SAME_LENGTH if self.tie == "prune" else -SAME_LENGTH))
