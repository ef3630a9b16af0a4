"""Reduced error pruning: validation rows decide at each node whether its branches stay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.kernel import ConfigurationError, Machine, content_digest
from intemi.machines.distributors import HoldOutDistributor
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.selection import Chosen, passes_with_rows
from intemi.machines.trees.refinement.tables import NodeErrors, Validation, errors_as_leaves, node_classes
from intemi.machines.trees.tree import Tree


class ReducedError(Validator):
    """Cut every node, from the leaves up, whose branches make no fewer errors on validation rows than it does.

    Its answer is about the nodes of one tree, so there is one pass: a part of the rows is held out.

    >>> from intemi.machines.distributors import CVDistributor
    >>> ReducedError(passes=CVDistributor())
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: ReducedError: passes must be a HoldOutDistributor with one sample, \
a FirstFold or TwoSamples, got CVDistributor(folds=10, stratified=True)
    """

    passes: Machine | None = HoldOutDistributor(share=0.7)

    def check(self) -> None:
        if self.passes is not None and not self.is_single:
            raise ConfigurationError(
                f"{self.kind}: passes must be a HoldOutDistributor with one sample, a FirstFold or TwoSamples, "
                f"got {self.passes!r}"
            )
        super().check()

    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> NodeErrors:
        classes = node_classes(tree, decision)
        return NodeErrors(
            validated=float(counts[0].sum()),
            trained=float(tree.weights[0]),
            tree=content_digest(tree),
            reached=np.asarray(counts.sum(axis=1)),
            validation=errors_as_leaves(counts, classes),
            training=errors_as_leaves(tree.class_weights, classes),
        )

    def choose(self, tree: Tree, tables: Sequence[Validation], decision: DecisionModule) -> Chosen:
        from intemi.machines.trees.kernels.pruning import reduced_error_cuts

        if len(tables) != 1 or not isinstance(tables[0], NodeErrors) or tables[0].tree != content_digest(tree):
            raise ConfigurationError(f"{self.kind}: one pass is needed, over the tree that is cut; got {len(tables)}")
        table = tables[0]
        if len(table.reached) != len(tree):
            raise ConfigurationError(f"{self.kind}: errors of {len(tree)} nodes are needed, got {len(table.reached)}")
        passes_with_rows(self, tables)
        cuts, error = reduced_error_cuts(
            table.validation,
            table.training,
            table.reached,
            tree.weights,
            tree.parent,
            tree.first_child,
            self.tef,
            self.se,
        )
        return Chosen(np.flatnonzero(cuts).astype(np.int32), {"Validation error": float(error)})
