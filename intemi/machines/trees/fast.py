"""Growing a whole tree in one compiled call, where the components allow it; the result is that of the search.

This is where it is decided which kernel grows the tree of a learner: `select_and_split`, where a feature is chosen, and
then split; `grow`, where each row has one branch; `parts`, where rows are divided or weights have to be added up in a
certain order; or none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.acceptors import MinBranchSize
from intemi.machines.trees.best_first import BestFirst
from intemi.machines.trees.components import StopCriterion
from intemi.machines.trees.fast_selection import selection_plan_of
from intemi.machines.trees.limits import Limits
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.prospects import BestSplitGain, ConstantProspects
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.random_subset import RandomSubset
from intemi.machines.trees.splitters.spread import SpreadSearch
from intemi.machines.trees.statistics.rounding import largest_values
from intemi.machines.trees.stop import AnyOf, MaxLeaves
from intemi.machines.trees.tree import Tree

if TYPE_CHECKING:
    from intemi.machines.trees.decision_tree import DecisionTree

MOST_BRANCHES = 2**15 - 1
"""The kernel keeps the branch of a row in 16 bits."""
FEW_BINS = 16
"""Features with at most so many values are always counted, the others if there are enough rows for each value."""
ROWS_FOR_A_BIN = 16
"""The rows for each value of a feature that is counted; the others are kept in order, and the tree is the same."""
ROWS_FOR_A_WHOLE_NUMBER = 4
"""The same for whole numbers, which need not be sorted in order to be counted. Not if rows have weights: sums of
fractions, added up in another order, are not the same ones to the last digit."""
REMEMBERED = 256
"""Learners whose settings are remembered: to work them out takes as long as to grow a small tree."""
NO_WEIGHTS = np.empty(0)
NO_ORDER = np.empty((0, 0), dtype=np.int32)


@dataclass(frozen=True)
class Plan:
    """How kernels grow the tree of a learner."""

    search: ExhaustiveSearch
    limits: Limits
    missing: MajorityBranch | ImputeNode | Fractional | Surrogates
    acceptor: MinBranchSize | None = None
    best_first: BestFirst | None = None
    subset: RandomSubset | None = None

    def divides(self, data: Data) -> bool:
        """Whether rows go to several branches, or weights have to be added up as the search adds them up."""
        if data.is_weighted and (isinstance(self.missing, Surrogates) or self.best_first is not None):
            return True
        return isinstance(self.missing, Fractional) and bool(np.isnan(data.features).any())

    def settings(self, classes: int, features: int) -> Floats:
        """What kernels are told, if there are so many classes and features."""
        acceptor = MinBranchSize(size=0.0) if self.acceptor is None else self.acceptor
        return self.search.settings(
            classes,
            self.limits,
            IMPUTES=isinstance(self.missing, ImputeNode),
            SURROGATES=self.missing.most if isinstance(self.missing, Surrogates) else 0,
            FRACTIONAL=isinstance(self.missing, Fractional),
            SPREADS=self.best_first is not None,
            DRAWN=0 if self.subset is None else self.subset.count_of(features),
            LEAST_CHILD_ROWS=acceptor.size if acceptor.unit == "rows" else 0.0,
            LEAST_CHILD_WEIGHT=acceptor.size if acceptor.unit == "weight" else 0.0,
        )


@lru_cache(maxsize=REMEMBERED)
def plan_of(learner: DecisionTree) -> Plan | None:
    """How kernels grow the trees of a learner; None: they cannot, on any data."""
    search, missing = learner.search, learner.missing_values
    if type(search) is not HillClimbing or learner.transformation is not None:
        return None
    if type(missing) not in (MajorityBranch, ImputeNode, Fractional, Surrogates):
        return None
    assert isinstance(missing, MajorityBranch | ImputeNode | Fractional | Surrogates)
    if type(learner.splitter) is SpreadSearch:
        return _best_first_plan(learner, learner.splitter, search, missing)
    limits, splitter = learner.stop.limits(), learner.splitter
    subset = splitter if type(splitter) is RandomSubset else None
    if subset is not None and subset.compares_features:
        return None
    exhaustive = splitter if subset is None else subset.splitter
    if (
        type(exhaustive) is not ExhaustiveSearch
        or not exhaustive.nominal.is_compiled
        or (exhaustive.threshold == "value" and type(missing) is ImputeNode)
        or type(learner.prospects) is not ConstantProspects
        or search.ties != "first"
        or learner.acceptor is not None
        or limits is None
    ):
        return None
    return Plan(exhaustive, limits, missing, subset=subset)


def _best_first_plan(
    learner: DecisionTree,
    splitter: SpreadSearch,
    search: HillClimbing,
    missing: MajorityBranch | ImputeNode | Fractional | Surrogates,
) -> Plan | None:
    acceptor, stop, prospects = learner.acceptor, learner.stop, learner.prospects
    if (
        type(missing) is not Fractional
        or type(prospects) is not BestSplitGain
        or not (acceptor is None or (type(acceptor) is MinBranchSize and acceptor.which == "all"))
    ):
        return None
    assert acceptor is None or isinstance(acceptor, MinBranchSize)
    assert isinstance(prospects, BestSplitGain)
    leaves = [each.leaves for each in _criteria(stop) if type(each) is MaxLeaves]
    limits = AnyOf(tuple(each for each in _criteria(stop) if type(each) is not MaxLeaves)).limits()
    if limits is None or limits.max_leaves < inf:  # a limit of leaves that is not by itself: the order matters
        return None
    order = BestFirst(min(leaves, default=None), prospects.scope, search.ties, splitter.unseen)
    return Plan(splitter.plain(), limits, missing, acceptor, order)


def _criteria(stop: StopCriterion) -> list[StopCriterion]:
    """All of which any stops growth."""
    return [each for part in stop.criteria for each in _criteria(part)] if type(stop) is AnyOf else [stop]


@lru_cache(maxsize=REMEMBERED)
def _settings(learner: DecisionTree, classes: int, features: int) -> Floats:
    plan = plan_of(learner)
    assert plan is not None
    return plan.settings(classes, features)


def grown(learner: DecisionTree, data: Data, seed: int = 0) -> Tree | None:
    """The tree of a learner, which draws by this seed; None if no kernel can grow it, and it has to be searched."""
    selection = selection_plan_of(learner)
    if selection is not None:
        return _unpacked(data, *selection.grown(data))
    plan = plan_of(learner)
    if plan is None or data.table.most_categories > MOST_BRANCHES:
        return None
    settings = _settings(learner, len(data.labels), len(data.columns))
    if plan.divides(data):
        if plan.limits.max_leaves < inf or plan.subset is not None:  # the order of splitting matters, or chance
            return None
        tree = _grown_in_parts(plan, settings, data)
    else:
        tree = _grown(plan, settings, data, seed)
    if plan.search.threshold == "value":
        tree = _with_values(data, tree)
    return tree if plan.best_first is None else plan.best_first.of(tree)


def _grown(plan: Plan, settings: Floats, data: Data, seed: int) -> Tree:
    """The tree that the kernel grows in which each row has one branch."""
    cells, grow = kernels.cells, kernels.grow.grow
    table, labels, size = data.table, data.labels, len(data)
    assert table.classes is not None
    rows_for_a_whole = ROWS_FOR_A_BIN if data.is_weighted else ROWS_FOR_A_WHOLE_NUMBER
    given = (
        table.features,
        table.classes,
        NO_WEIGHTS if table.weights is None else table.weights,
        data.rows,
        data.column_indices,
        data.category_counts,
        len(labels),
        min(cells.MISSING_BIN, max(FEW_BINS, size // ROWS_FOR_A_BIN)),
        min(cells.MISSING_BIN, max(FEW_BINS, size // rows_for_a_whole)),
        *cells.shifts(size, len(labels)),
        plan.search.quality.address,
        settings,
        plan.search.quality.context(),
        seed,
    )
    infinite, packed = grow(table.order if _is_sorted(data) else NO_ORDER, *given)
    if infinite == cells.UNSORTED:
        infinite, packed = grow(table.order, *given)
    tree = _unpacked(data, infinite, packed)
    if plan.acceptor is not None:
        small = (tree.weights < plan.acceptor.size - 1e-9) & (tree.parent >= 0)
        tree = cut_at(tree, np.unique(tree.parent[small]))
    return tree


def _grown_in_parts(plan: Plan, settings: Floats, data: Data) -> Tree:
    """The tree that the kernel grows which divides rows."""
    table, labels = data.table, data.labels
    assert table.classes is not None
    has_numbers = (data.category_counts == 0).any() or table.most_categories > kernels.cells.MISSING_BIN
    infinite, packed = kernels.parts.grow_in_parts(
        table.order if has_numbers else NO_ORDER,
        table.features,
        table.classes,
        NO_WEIGHTS if table.weights is None else table.weights,
        data.rows,
        data.column_indices,
        data.category_counts,
        len(labels),
        *kernels.cells.shifts(len(data), len(labels)),
        plan.search.quality.address,
        settings,
        plan.search.quality.context(),
    )
    return _unpacked(data, infinite, packed)


def _unpacked(data: Data, infinite: int, packed: Any) -> Tree:
    """The tree that a kernel has packed, if no column has infinite values."""
    if infinite != kernels.cells.NONE:
        raise infinite_values(data.columns[infinite])
    return Tree.from_state((data.columns, data.labels, *packed))


def _is_sorted(data: Data) -> bool:
    """Whether the order is there already, or looks as if it will be needed: small whole numbers are not sorted."""
    values, rows, columns = data.table.features, data.rows, data.column_indices
    return data.table.is_order_known or len(columns) == 0 or not float(values[columns[0], rows[0]]).is_integer()


def infinite_values(column: Column) -> ConfigurationError:
    """The error that says so."""
    return ConfigurationError(f"DecisionTree: values must be finite, but some of {column.name!r} are infinite")


def _with_values(data: Data, tree: Tree) -> Tree:
    """The tree with the largest values of the data that are not above the thresholds of its splits in place of these.

    Surrogates stay as they are.
    """
    splits = tree.test_start[:-1][tree.branch_count > 0]
    features, starts = tree.feature[splits], tree.parameter_start[splits]
    is_numeric = data.category_counts[features] == 0
    if not is_numeric.any():
        return tree
    places, columns = starts[is_numeric], data.column_indices[features[is_numeric]]
    parameters = tree.parameters.copy()
    cuts = parameters[places]
    is_there = np.zeros(len(data.table), dtype=np.uint8)
    is_there[data.rows] = 1
    kernels.values.move_to_values(data.table.order, data.table.features, is_there, columns, cuts)
    for column in np.unique(columns[cuts == 0.0]):  # a zero may have a sign, which depends on the way of sorting
        values, same = data.table.features[column][data.rows], columns == column
        if np.signbit(values[values == 0.0]).any():
            cuts[same] = largest_values(values, parameters[places][same])
    parameters[places] = cuts
    return replace(tree, parameters=parameters)
