"""Testing many prunings of trees at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, parameter
from intemi.machines.interfaces import Floats, check_columns
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
        keys = self.pruning.keys_of(np.array(self.strengths))
        order = np.argsort(keys)
        ascending, shape = keys[order], (len(trees), len(keys))
        accuracy, leaves = np.empty(shape), np.empty(shape, dtype=np.int32)
        for place, tree in enumerate(trees):
            check_columns(self.kind, tree.columns, data)
            accuracy[place, order], leaves[place, order] = self._tested(tree, data, ascending)
        return Model(results={"Accuracy": accuracy, "Leaves": leaves})

    def _tested(self, tree: Tree, data: Data, keys: Floats) -> tuple[Floats, Floats]:
        """The accuracy and the number of leaves of a tree for each key, ascending."""
        from intemi.machines.trees.kernels.strengths import errors_and_leaves

        counts = counted(tree, data)
        validated = float(counts[0].sum())
        if not validated:
            raise ConfigurationError(f"{self.kind}: there is no row whose class is known")
        path = self.pruning.path(tree, MAJORITY)
        found = errors_and_leaves(
            tree.class_weights, counts, tree.parent, path.critical, np.maximum(keys, path.keys[0])
        )
        return 1 - found[0, :-1] / validated, found[1, :-1]
