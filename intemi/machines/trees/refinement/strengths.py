"""Testing many prunings of one tree at once."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, parameter
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.machines import NodeCounts
from intemi.machines.trees.refinement.path_validator import NestedValidator, last_up_to
from intemi.machines.trees.tree import Tree


class PruningTest(Machine):
    """Test a tree, cut back with each of several strengths: costs of a leaf, depths or degrees.

    Rows are sent down the tree once, and what prunings do is read off the nodes. The costs of
    `CostComplexity(risk="gini")` are those of scikit-learn's `ccp_alpha`. The results "Accuracy" and "Leaves" are
    vectors with a number for each strength; a row that goes to several leaves, as a value is missing, counts in parts.

    >>> from intemi.machines.trees.decision_tree import DecisionTree
    >>> from intemi.machines.trees.refinement.depth import Depth
    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 3, 8, 9]], Column("class", ("low", "high")), [0, 1, 0, 1, 1]))
    >>> tree = DecisionTree().run(data).outputs["tree"]
    >>> done = PruningTest(strengths=(0, 1)).run(tree, data)
    >>> done.results["Accuracy"].tolist(), done.results["Leaves"].tolist()
    ([1.0, 0.6], [4, 1])
    >>> PruningTest((1, 2, 3), Depth(passes=None)).run(tree, data).results["Leaves"].tolist()
    [1, 2, 3]
    """

    tree = Input(Tree)
    data = Input(Data)

    strengths: tuple[float, ...] = parameter()
    pruning: NestedValidator = CostComplexity(passes=None)

    releases_gil = True

    def check(self) -> None:
        if not self.strengths:
            raise ConfigurationError(f"{self.kind}: strengths must be at least one, got none")
        if self.pruning.passes is not None:
            raise ConfigurationError(f"{self.kind}: pruning.passes must be None, got {self.pruning.passes!r}")

    def run(self, tree: Tree, data: Data) -> Model:
        known = data.classes >= 0
        data = data if known.all() else data.select_rows(known)
        if not len(data):
            raise ConfigurationError(f"{self.kind}: there is no row whose class is known")
        counts = NodeCounts().run(tree, data).outputs["counts"]
        table = self.pruning.table(tree, counts, Proportions())
        places = last_up_to(table, np.array([self.pruning.key(strength) for strength in self.strengths]))
        accuracy = 1 - table.validation[places] / table.validated
        return Model(results={"Accuracy": accuracy, "Leaves": table.leaves[places]})
