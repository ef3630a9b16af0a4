"""How good a tree is that is still growing: measures for searches that compare whole trees.

A split quality measure sees a tree as one split into its leaves. These also see how many splits that took.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from intemi.kernel import Component
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.refinement.description_length import code_lengths


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a tree, those that may still be split among them; empty ones are left out."""

    class_weights: Floats
    """A row for each."""
    depths: Codes
    """How many splits lead to each."""
    splits: int
    """How many splits the tree has."""


class TreeQuality(Component):
    """How good a tree is, larger being better."""

    @abstractmethod
    def of(self, leaves: Leaves) -> float:
        """The quality of a tree with these leaves."""


class CodeLength(TreeQuality):
    """How few bits tell the classes of all rows: those of the leaves, by Kononenko's code, and one for each split.

    That is the length which the pruning `DescriptionLength` compares, negative.

    >>> import numpy as np
    >>> round(CodeLength().of(Leaves(np.array([[3.0, 0.0], [0.0, 2.0]]), np.array([1, 1]), splits=1)), 6)
    -4.584963
    """

    def of(self, leaves: Leaves) -> float:
        return -float(code_lengths(leaves.class_weights).sum()) - leaves.splits


class PathEstimate(TreeQuality):
    """The mean of the error rates to be expected of the leaves, negative; every leaf counts alike.

    What is to be expected is the m-estimate, with as many more rows as splits lead to the leaf, distributed as those of
    the root; the leaf answers the class that is most probable then. So small leaves at the end of long paths count as
    little better than a guess.

    >>> import numpy as np
    >>> PathEstimate().of(Leaves(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([1, 1]), splits=1))
    -0.21875
    """

    def of(self, leaves: Leaves) -> float:
        weights, more = leaves.class_weights, leaves.depths[:, None]
        prior = weights.sum(axis=0) / weights.sum()
        probabilities = (weights + more * prior) / (weights.sum(axis=1, keepdims=True) + more)
        return -float((1 - probabilities.max(axis=1)).mean())
