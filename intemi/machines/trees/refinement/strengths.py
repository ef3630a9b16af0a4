"""Testing many prunings of trees at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, parameter
from intemi.machines.interfaces import Codes, Floats, check_columns
from intemi.machines.trees import kernels
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.counting import counted
from intemi.machines.trees.refinement.path_validator import NestedValidator
from intemi.machines.trees.tree import Tree

MAJORITY = Proportions()


class PruningTest(Machine):
    """Test trees, cut back with each of several strengths: costs of a leaf, depths or degrees.

    Rows are sent down a tree once, and what prunings do is read off its nodes. The costs of
    `CostComplexity(risk="gini")` are those of scikit-learn's `ccp_alpha`. The results "Accuracy" and "Leaves" have a
    row for each tree and a column for each strength; what goes to several leaves, as a value is missing, counts in
    parts.

    >>> from intemi.machines.trees.decision_tree import DecisionTree
    >>> from intemi.machines.trees.refinement.depth import Depth
    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 3, 8, 9]], Column("class", ("low", "high")), [0, 1, 0, 1, 1]))
    >>> tree = DecisionTree().run(data).outputs["tree"]
    >>> done = PruningTest(strengths=(0, 1)).run([tree], data)
    >>> done.results["Accuracy"].tolist(), done.results["Leaves"].tolist()
    ([[1.0, 0.6]], [[4, 1]])
    >>> PruningTest((1, 2, 3), Depth(passes=None)).run([tree], data).results["Leaves"].tolist()
    [[1, 2, 3]]
    """

    trees = MultiInput(Tree)
    data = Input(Data)

    strengths: tuple[float, ...] = parameter()
    pruning: NestedValidator = CostComplexity(passes=None)

    def check(self) -> None:
        if not self.strengths:
            raise ConfigurationError(f"{self.kind}: strengths must be at least one, got none")
        if self.pruning.passes is not None:
            raise ConfigurationError(f"{self.kind}: pruning.passes must be None, got {self.pruning.passes!r}")

    def run(self, trees: Sequence[Tree], data: Data) -> Model:
        shape = (len(trees), len(self.strengths))
        accuracy, leaves = np.empty(shape), np.empty(shape, dtype=np.int32)
        for place, tree in enumerate(trees):
            check_columns(self.kind, tree.columns, data)
            self._test(tree, data, accuracy[place], leaves[place])
        return Model(results={"Accuracy": accuracy, "Leaves": leaves})

    def _test(self, tree: Tree, data: Data, accuracy: Floats, leaves: Codes) -> None:
        """Fill in the accuracy and the number of leaves of a tree for each strength."""
        counts = counted(tree, data)
        weight = float(np.add.reduce(counts[0]))
        if not weight:
            raise ConfigurationError(f"{self.kind}: there is no row whose class is known")
        path, (keys, order) = self.pruning.path(tree, MAJORITY), _ascending(self)
        kernels.strengths.score_prunings(
            tree.class_weights, counts, weight, tree.parent, path.critical, path.keys[0], keys, order, accuracy, leaves
        )


@lru_cache(maxsize=256)
def _ascending(test: PruningTest) -> tuple[Floats, NDArray[np.int64]]:
    """The keys of the strengths in ascending order, and the place of each among the strengths."""
    keys = test.pruning.keys_of(np.array(test.strengths))
    order = np.argsort(keys)
    return keys[order], order
