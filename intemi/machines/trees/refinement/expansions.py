"""Pruning of best-first trees: how many expansions are made, found by validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.counting import counted, parted_rows, parts_in_nodes
from intemi.machines.trees.refinement.path_validator import NestedValidator
from intemi.machines.trees.refinement.selection import (
    Chosen,
    Estimates,
    Tally,
    error_of_a_share,
    estimates,
    passes_with_rows,
    selected,
)
from intemi.machines.trees.refinement.tables import CLOSE, ErrorTable, NestedPath, Validation
from intemi.machines.trees.tree import Tree


class Expansions(NestedValidator):
    """Keep as many of the splits, in the order in which they were made, as are best for other rows.

    `rule="min"` looks at all numbers of expansions (post-pruning). The others stop at the first that is worse than the
    one before (pre-pruning): "first_increase" there, "new1se" only if it is also `se` standard errors (one, unless it
    is told) worse than the best so far, and then takes the smallest number that is not. Where the tree of a pass
    cannot grow so far, it is left out of the mean (`exhausted="drop"`, as WEKA does) or counts with its last error
    ("carry"). A validation row that goes to several leaves, as a value is missing, is answered by their mixture, or in
    "parts" by each of them.

    >>> Expansions(rule="new1se").factor, Expansions(rule="new1se", se=0.5).factor, Expansions().factor
    (1.0, 0.5, 0.0)
    """

    se: float | None = parameter(default=None, at_least=0)  # type: ignore[assignment]  # None: by the rule
    rule: Literal["min", "first_increase", "new1se"] = "min"
    estimate: Literal["error", "rmse"] = "error"
    exhausted: Literal["drop", "carry"] = "drop"
    missing: Literal["mixture", "parts"] = "mixture"

    def check(self) -> None:
        if self.passes is not None:  # without passes it only makes tables, whatever the rule
            if self.rule == "first_increase" and self.factor != 0:
                raise ConfigurationError(f"{self.kind}: se must be 0 with rule='first_increase', got {self.se}")
            if self.rule != "min" and self.se_of != "theory":
                raise ConfigurationError(
                    f"{self.kind}: se_of must be 'theory' with rule={self.rule!r}, got {self.se_of!r}"
                )
        super().check()

    @property
    def factor(self) -> float:
        """How many standard errors worse than the best a smaller tree may be."""
        if self.se is None:
            return 1.0 if self.rule == "new1se" else 0.0
        return self.se

    def growth_key(self) -> Expansions:
        return Expansions(estimate=self.estimate, missing=self.missing, passes=None)

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

    @property
    def needs_rows(self) -> bool:
        return self.missing == "mixture"

    def table_of_rows(self, tree: Tree, data: Data, decision: DecisionModule) -> ErrorTable:
        parted = parted_rows(tree, data)
        is_whole = np.ones(len(data), dtype=bool)
        is_whole[parted] = False
        table = self.table(tree, counted(tree, data if is_whole.all() else data.select_rows(is_whole)), decision)
        rows = data.select_rows(parted[data.classes[parted] >= 0])
        if not len(rows):
            return table
        path, answers = self.path(tree, decision), decision.probabilities(tree)
        parts, losses = parts_in_nodes(tree, rows), np.zeros(len(table))
        for row, (label, weight) in enumerate(zip(rows.classes, rows.weights, strict=True)):
            mixed = path.summed_at(path.keys, *(parts[row] * answers.T))
            losses += weight * _loss(np.array(mixed).T, decision, self.estimate)[:, label]
        validated = table.validated + float(rows.weights.sum())
        return replace(table, validated=validated, validation=table.validation + losses)

    def choose(self, tree: Tree, tables: Sequence[Validation], decision: DecisionModule) -> Chosen:
        found = self._estimates(tables)
        number = self._selected(found)
        path = self.path(tree, decision)
        step = max(len(path.keys) - 1 - number, 0)  # a tree that cannot grow so far stays whole
        results = {"Chosen": float(number), "Validation error": float(found.errors[number])}
        return Chosen(path.cut(step), results)

    def has_stopped(self, tables: Sequence[Validation]) -> bool:
        """Whether pre-pruning has seen enough: trees that grow further would not change what is chosen."""
        return self._stop(self._estimates(tables)) is not None

    def _estimates(self, tables: Sequence[Validation]) -> Estimates:
        """The errors of 0, 1, … expansions."""
        useful = [table for table in passes_with_rows(self, tables) if isinstance(table, ErrorTable)]
        keys = -np.arange(max(map(len, useful)), dtype=np.float64)
        return estimates(self, Tally.of(useful, [self.places(table, keys) for table in useful]))

    def places(self, table: ErrorTable, keys: Floats) -> Codes:
        """A key is minus a number of expansions; the first row of a table is that of the largest number."""
        numbers, most = -keys, len(table) - 1
        missing = 0 if self.exhausted == "carry" else -1
        return np.where(numbers <= most, most - numbers, missing).astype(np.int32)

    def _selected(self, found: Estimates) -> int:
        errors = found.errors
        if self.rule == "min":
            numbers = np.arange(len(errors), dtype=np.int32)
            return selected(self, found, numbers, -numbers.astype(np.float64))
        stop = self._stop(found)
        last = len(errors) - 1 if stop is None else stop
        if self.rule == "first_increase":
            return last if stop is None else last - 1
        return int(np.argmax(errors[: last + 1] <= self._limits(found)[last] + CLOSE))

    def _stop(self, found: Estimates) -> int | None:
        """The first number of expansions that is too bad for pre-pruning to go on; None if it goes on to the end."""
        is_worse = np.diff(found.errors) > CLOSE
        if self.rule == "new1se":
            is_worse &= (found.errors > self._limits(found) + CLOSE)[1:]
        return int(is_worse.argmax()) + 1 if is_worse.any() else None

    def _limits(self, found: Estimates) -> Floats:
        """How large the error may be after each number of expansions, given the least so far."""
        least = np.minimum.accumulate(found.errors)
        return np.array([each + self.factor * error_of_a_share(float(each), found.rows) for each in least])


def _losses(tree: Tree, decision: DecisionModule, estimate: Literal["error", "rmse"]) -> Floats:
    """What a row of each class costs in each node."""
    return _loss(decision.probabilities(tree), decision, estimate)


def _loss(answers: Floats, decision: DecisionModule, estimate: Literal["error", "rmse"]) -> Floats:
    """For each answer what it costs, by the class that is right: 1 if it is another one than that which is answered,
    or the mean square of what the probabilities lack."""
    k = answers.shape[1]
    if estimate == "error":
        return np.asarray(1.0 - np.eye(k)[decision.classes(answers)])
    squares = (answers**2).sum(axis=1, keepdims=True)
    return np.asarray((squares - 2 * answers + 1) / k)  # the sum over c of (1[c = y] - P_c)² is ΣP² - 2P_y + 1
