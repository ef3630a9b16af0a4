"""Minimum error pruning by the m-estimate, with the m that is best for other rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import MEstimate, Proportions
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.tables import ErrorTable
from intemi.machines.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class MEstimatePrunings:
    """A pruning for each m; a larger m need not cut more."""

    keys: Floats
    """m is 2 to the power of one of these."""
    leaves: Codes
    validation: Floats
    training: Floats
    cuts: NDArray[np.uint8]
    """Exponents × nodes: whether it is cut there."""

    def cut(self, step: int) -> Codes:
        """The nodes at which one of the prunings cuts the tree."""
        return np.flatnonzero(self.cuts[step]).astype(np.int32)


class MEstimateValidation(PathValidator):
    """Cut a node where its own m-estimate of the error is no larger than that of its branches; m is validated.

    Tried are the powers of 2 with exponents from `smallest` to `largest`. Leaves answer by the m-estimate too, in the
    tables as in the tree that comes out.

    >>> MEstimateValidation().named(3)
    8.0
    """

    version = 2

    smallest: int = parameter(default=-12, at_least=-60)
    largest: int = parameter(default=12, at_most=60)

    def check(self) -> None:
        super().check()
        if self.smallest > self.largest:
            given = f"{self.smallest} and {self.largest}"
            raise ConfigurationError(f"{self.kind}: smallest must be at most largest, got {given}")

    def read_by(self, decision: DecisionModule) -> DecisionModule:
        return Proportions()

    def path(self, tree: Tree, decision: DecisionModule) -> MEstimatePrunings:
        return self._prunings(tree, tree.class_weights)

    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> ErrorTable:
        path = self._prunings(tree, counts)
        return ErrorTable.of(tree, counts, path, path.validation, path.training)

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        return np.arange(len(keys), dtype=np.int32)

    def named(self, key: float) -> float:
        return float(2.0**key)

    def decided(self, key: float) -> DecisionModule:
        return MEstimate(m=self.named(key))

    def _prunings(self, tree: Tree, counts: Floats) -> MEstimatePrunings:
        from intemi.machines.trees.kernels.grids import m_estimate_cuts

        exponents = np.arange(self.smallest, self.largest + 1, dtype=np.float64)
        found = m_estimate_cuts(
            tree.class_weights, tree.filled_class_weights, counts, tree.parent, tree.first_child, 2.0**exponents
        )
        return MEstimatePrunings(exponents, *found)
