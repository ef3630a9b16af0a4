"""Growing a whole tree in one compiled call, where the components allow it; the result is that of the search."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.limits import Limits
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.prospects import ConstantProspects
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.statistics.rounding import largest_values
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


def limits_of(learner: DecisionTree, data: Data) -> Limits | None:
    """The limits of growth, if the kernel can grow what the learner would."""
    limits = _limits(learner)
    if limits is None or data.table.most_categories > MOST_BRANCHES:
        return None
    if type(learner.missing_values) is Surrogates and data.is_weighted:
        return None
    # Rows whose value is missing must not have to be divided.
    return None if type(learner.missing_values) is Fractional and np.isnan(data.features).any() else limits


@lru_cache(maxsize=REMEMBERED)
def _limits(learner: DecisionTree) -> Limits | None:
    """The same for any data."""
    plain = (
        type(learner.search) is HillClimbing
        and learner.search.ties == "first"
        and type(learner.splitter) is ExhaustiveSearch
        and learner.splitter.nominal.is_compiled
        and type(learner.prospects) is ConstantProspects
        and learner.acceptor is None
        and learner.transformation is None
        and not (type(learner.missing_values) is ImputeNode and learner.splitter.threshold == "value")
        and type(learner.missing_values) in (MajorityBranch, ImputeNode, Fractional, Surrogates)
    )
    return learner.stop.limits() if plain else None


@lru_cache(maxsize=REMEMBERED)
def _settings(learner: DecisionTree, classes: int) -> Floats:
    limits = _limits(learner)
    assert isinstance(learner.splitter, ExhaustiveSearch)
    assert limits is not None
    missing = learner.missing_values
    surrogates = missing.most if isinstance(missing, Surrogates) else 0
    return learner.splitter.settings(classes, limits, isinstance(missing, ImputeNode), surrogates)


def grown(learner: DecisionTree, data: Data) -> Tree:
    """The tree of a learner that the kernel can grow, as `limits_of` says."""
    cells, grow = kernels.cells, kernels.grow.grow
    splitter = learner.splitter
    assert isinstance(splitter, ExhaustiveSearch)
    table, labels, rows, size = data.table, data.labels, data.rows, len(data)
    assert table.classes is not None
    rows_for_a_whole = ROWS_FOR_A_BIN if data.is_weighted else ROWS_FOR_A_WHOLE_NUMBER
    given = (
        table.features,
        table.classes,
        NO_WEIGHTS if table.weights is None else table.weights,
        rows,
        data.column_indices,
        data.category_counts,
        len(labels),
        min(cells.MISSING_BIN, max(FEW_BINS, size // ROWS_FOR_A_BIN)),
        min(cells.MISSING_BIN, max(FEW_BINS, size // rows_for_a_whole)),
        *cells.shifts(size, len(labels)),
        splitter.quality.address,
        _settings(learner, len(labels)),
        splitter.quality.context(),
        type(learner.missing_values) is Fractional,
    )
    infinite, packed = grow(table.order if _is_sorted(data) else NO_ORDER, *given)
    if infinite == cells.UNSORTED:
        infinite, packed = grow(table.order, *given)
    if infinite != cells.NONE:
        raise infinite_values(data.columns[infinite])
    tree = Tree.from_state((data.columns, labels, *packed))
    if splitter.threshold == "value":
        return _with_values(data, tree)
    return tree


def _is_sorted(data: Data) -> bool:
    """Whether the order is there already, or looks as if it will be needed: small whole numbers are not sorted."""
    values, rows, columns = data.table.features, data.rows, data.column_indices
    return "order" in vars(data.table) or len(columns) == 0 or not float(values[columns[0], rows[0]]).is_integer()


def infinite_values(column: Column) -> ConfigurationError:
    """The error that says so."""
    return ConfigurationError(f"DecisionTree: values must be finite, but some of {column.name!r} are infinite")


def _with_values(data: Data, tree: Tree) -> Tree:
    """The tree with the largest values of the data that are not above the thresholds of its splits in place of these.

    Surrogates stay as they are.
    """
    parameters = tree.parameters.copy()
    splits = tree.test_start[:-1][tree.branch_count > 0]
    features, starts = tree.feature[splits], tree.parameter_start[splits]
    for feature in np.unique(features):
        if not tree.columns[feature].is_nominal:
            places = starts[features == feature]
            parameters[places] = largest_values(data.feature(int(feature)), parameters[places])
    return replace(tree, parameters=parameters)
