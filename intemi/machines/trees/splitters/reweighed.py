"""Splits that another splitter finds if rows have other weights: by priors and costs of classes, or by importance."""

from __future__ import annotations

from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.costs import check_costs, costs_of
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.priors import check_priors, factors, priors_of
from intemi.machines.trees.splits import Split
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch


class AlteredPriors(NodeSplitter):
    """Find splits as if classes were as frequent as `priors` say, and the more so the more their errors cost (CART).

    `cost[i][j]` is what it costs to answer class i where j is right: class j counts by the sum of its column. None:
    classes are as frequent as in the data, and errors cost alike. Whatever the splitter weighs, branches among them,
    it weighs in this way.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = [1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 1, 1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> search = ExhaustiveSearch(min_branch=0.0)
    >>> [AlteredPriors(search, priors=(1, b)).best_splits(node, 1)[0].cuts.tolist() for b in (1, 9)]
    [[4.5], [1.5]]
    """

    splitter: NodeSplitter = ExhaustiveSearch()
    priors: tuple[float, ...] | None = None
    cost: tuple[tuple[float, ...], ...] | None = None

    def check(self) -> None:
        if self.priors is not None:
            check_priors(self.kind, self.priors)
        if self.cost is not None:
            check_costs(self.kind, self.cost)

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        weights = data.weights * data.once(self, self._factors)[data.classes]
        return _best_splits(self.splitter, data, data.reweighed(weights, data.training_weight), count)

    def _factors(self, root: NodeData) -> Floats:
        weights = root.class_weights
        shares = weights / weights.sum()
        if self.priors is not None:
            shares = priors_of(self.kind, self.priors, root.class_count)
        if self.cost is not None:
            shares = shares * costs_of(self.kind, self.cost, root.class_count).sum(axis=0)
            shares = shares / max(float(shares.sum()), 1e-300)
        return factors(shares, weights)


class ImportanceWeights(NodeSplitter):
    """Find splits with weights that add up to the number of rows in the node, as those of boosting should.

    For most measures weights are relative anyway. For `SSV`, the MDL correction of C4.5, Cal5's intervals and all
    tests they are numbers of rows, so that twice the weights are twice the evidence: not so with these.

    >>> from intemi.data import Column, Data, Table
    >>> x, y, weights = [1, 2, 3, 4], [0, 0, 1, 1], [0.1, 0.1, 0.1, 0.1]
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y, weights)))
    >>> ExhaustiveSearch().best_splits(node, 1), ImportanceWeights().best_splits(node, 1)[0].cuts.tolist()
    ([], [2.5])
    """

    splitter: NodeSplitter = ExhaustiveSearch()

    def best_splits(self, data: NodeData, count: int) -> list[Split]:
        reweighed = data.reweighed(data.weights * (len(data) / data.weight), float(len(data.root)))
        return _best_splits(self.splitter, data, reweighed, count)


def _best_splits(splitter: NodeSplitter, data: NodeData, reweighed: NodeData, count: int) -> list[Split]:
    """What a splitter finds with other weights, told with those of the node."""
    found = splitter.best_splits(reweighed, count) if len(reweighed) else []
    return [split for split in (each.weighed(data) for each in found) if split is not None]
