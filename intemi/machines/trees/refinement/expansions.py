"""Pruning of best-first trees: how many expansions are made, found by validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.path_validator import NestedValidator
from intemi.machines.trees.refinement.selection import (
    Chosen,
    Estimates,
    error_of_a_share,
    estimates,
    passes_with_rows,
    selected,
)
from intemi.machines.trees.refinement.tables import CLOSE, ErrorTable, NestedPath, Validation, node_classes
from intemi.machines.trees.tree import Tree


class Expansions(NestedValidator):
    """Keep as many of the splits, in the order in which they were made, as are best for other rows.

    `rule="min"` looks at all numbers of expansions (post-pruning). The others stop at the first that is worse than the
    one before (pre-pruning): "first increase" there, "new 1se" only if it is also `se` standard errors worse than the
    best so far, and then takes the smallest number that is not. Where the tree of a pass cannot grow so far, it is
    left out of the mean (`exhausted="drop"`, as WEKA does) or counts with its last error ("carry").

    >>> Expansions(rule="new 1se")
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: Expansions: se must be above 0 with rule='new 1se', got 0.0
    """

    rule: Literal["min", "first increase", "new 1se"] = "min"
    estimate: Literal["error", "rmse"] = "error"
    exhausted: Literal["drop", "carry"] = "drop"

    def check(self) -> None:
        if self.passes is not None:  # without passes it only makes tables, whatever the rule
            if self.rule == "new 1se" and self.se == 0:
                raise ConfigurationError(f"{self.kind}: se must be above 0 with rule='new 1se', got {self.se}")
            if self.rule == "first increase" and self.se != 0:
                raise ConfigurationError(f"{self.kind}: se must be 0 with rule='first increase', got {self.se}")
            if self.rule != "min" and self.se_of != "theory":
                raise ConfigurationError(
                    f"{self.kind}: se_of must be 'theory' with rule={self.rule!r}, got {self.se_of!r}"
                )
        super().check()

    def growth_key(self) -> Expansions:
        return Expansions(estimate=self.estimate, passes=None)

    def read_by(self, decision: DecisionModule) -> DecisionModule:
        return decision if self.estimate == "rmse" else super().read_by(decision)

    def rate(self, shares: Floats) -> Floats:
        return np.sqrt(shares) if self.estimate == "rmse" else shares

    def path(self, tree: Tree, decision: DecisionModule) -> NestedPath:
        inner = tree.branch_count > 0
        critical = np.where(inner, 1.0 - tree.expansion, -np.inf)
        return NestedPath(tree, np.arange(-int(inner.sum()), 1, dtype=np.float64), critical)

    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> ErrorTable:
        path = self.path(tree, decision)
        losses = _losses(tree, decision, self.estimate)
        return ErrorTable.of(
            tree,
            counts,
            path,
            validation=path.summed((counts * losses).sum(axis=1)),
            training=path.summed((tree.class_weights * losses).sum(axis=1)),
        )

    def choose(self, tree: Tree, tables: Sequence[Validation], decision: DecisionModule) -> Chosen:
        useful = passes_with_rows(self, tables)
        sizes = [len(table) - 1 for table in useful if isinstance(table, ErrorTable)]
        numbers = np.arange(max(sizes) + 1, dtype=np.int32)
        found = estimates(self, tree, useful, [self._places_of(size, numbers) for size in sizes])
        number = self._selected(found, numbers)
        path = self.path(tree, decision)
        step = max(len(path.keys) - 1 - number, 0)  # a tree that cannot grow so far stays whole
        results = {"Chosen": float(number), "Validation error": float(found.errors[number])}
        return Chosen(path.cut(step), results)

    def _places_of(self, size: int, numbers: Codes) -> Codes:
        """Where numbers of expansions are in the table of a tree with so many, the largest first."""
        missing = 0 if self.exhausted == "carry" else -1
        return np.where(numbers <= size, size - numbers, missing).astype(np.int32)

    def _selected(self, found: Estimates, numbers: Codes) -> int:
        if self.rule == "min":
            return selected(self, found, numbers, -numbers.astype(np.float64))
        errors = found.errors
        if self.rule == "first increase":
            worse = np.flatnonzero(np.diff(errors) > CLOSE)
            return int(worse[0]) if len(worse) else len(errors) - 1
        least = np.minimum.accumulate(errors)
        limits = np.array([each + self.se * error_of_a_share(float(each), found.rows) for each in least])
        stops = np.flatnonzero((np.diff(errors) > CLOSE) & (errors > limits + CLOSE)[1:])
        last = int(stops[0]) + 1 if len(stops) else len(errors) - 1
        return int(np.argmax(errors[: last + 1] <= limits[last] + CLOSE))


def _losses(tree: Tree, decision: DecisionModule, estimate: Literal["error", "rmse"]) -> Floats:
    """What a row of each class costs in each node: 1 if it is not the class that the node answers, or the mean square
    of what its probabilities lack."""
    k = tree.class_weights.shape[1]
    if estimate == "error":
        return np.asarray(1.0 - np.eye(k)[node_classes(tree, decision)])
    answers = decision.probabilities(tree)
    squares = (answers**2).sum(axis=1, keepdims=True)
    return np.asarray((squares - 2 * answers + 1) / k)  # the sum over c of (1[c = y] - P_c)² is ΣP² - 2P_y + 1
