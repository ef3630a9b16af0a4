"""Growing a whole tree in one compiled call, where the components allow it; the result is that of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes
from intemi.machines.trees.components import MissingPolicy
from intemi.machines.trees.limits import Limits
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch
from intemi.machines.trees.prospects import ConstantProspects
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.tree import Tree

if TYPE_CHECKING:
    from intemi.machines.trees.decision_tree import DecisionTree

MOST_BRANCHES = 2**15 - 1
"""The kernel keeps the branch of a row in 16 bits."""
ROWS_FOR_A_BIN = 16
"""Features with fewer values than rows divided by this are counted, the others are kept in order; the tree is the same.
In small nodes all values are looked at, so many values would cost too much."""


def limits_of(learner: DecisionTree, data: Data) -> Limits | None:
    """The limits of growth, if the kernel can grow what the learner would."""
    plain = (
        type(learner.search) is HillClimbing
        and learner.search.ties == "first"
        and type(learner.splitter) is ExhaustiveSearch
        and type(learner.prospects) is ConstantProspects
        and learner.acceptor is None
        and learner.transformation is None
        and _is_simple(learner.missing_values, data)
        and not (type(learner.missing_values) is ImputeNode and learner.splitter.threshold == "value")
        and all(len(column.categories or ()) <= MOST_BRANCHES for column in data.columns)
    )
    return learner.stop.limits() if plain else None


def _is_simple(missing: MissingPolicy, data: Data) -> bool:
    """Whether no row has to be divided into parts."""
    if type(missing) in (MajorityBranch, ImputeNode):
        return True
    return type(missing) is Fractional and not np.isnan(data.features).any()


def grown(learner: DecisionTree, data: Data, limits: Limits) -> Tree:
    """The tree of a learner that the kernel can grow."""
    from intemi.machines.trees.kernels.cells import MISSING_BIN, fill_bins, fill_cells, shifts
    from intemi.machines.trees.kernels.grow import grow, numbered

    splitter = learner.splitter
    assert isinstance(splitter, ExhaustiveSearch)
    columns, classes, k = data.columns, data.classes, len(data.labels)
    symbols = np.array([len(column.categories or ()) for column in columns], dtype=np.int32)
    layout = np.array(shifts(len(data), k), dtype=np.int64)
    first, counts = places(data)
    view = (data.table.features, data.table.order, data.column_indices, first, counts, symbols)
    bins = np.empty((len(columns), len(data)), dtype=np.uint8)
    bin_values = np.empty((len(columns), MISSING_BIN))
    place = np.empty(len(columns), dtype=np.int32)
    most = min(MISSING_BIN, max(ROWS_FOR_A_BIN, len(data) // ROWS_FOR_A_BIN))
    infinite = fill_bins(*view, most, bins, bin_values, place)
    cells = np.empty((int(place.max(initial=-1)) + 1, len(data)), dtype=np.int64)
    infinite = max(infinite, fill_cells(*view, place, classes, layout, cells))
    if infinite >= 0:
        raise infinite_values(columns[infinite])
    nodes = grow(
        splitter.quality.address,
        data.table.features,
        data.column_indices,
        data.rows,
        bins,
        bin_values,
        cells,
        symbols,
        place,
        layout,
        classes,
        data.weights,
        data.is_weighted,
        k,
        splitter.settings(k, limits, type(learner.missing_values) is ImputeNode),
        splitter.quality.context(),
    )
    arrays = numbered(*nodes, symbols, type(learner.missing_values) is Fractional)
    tree = Tree(columns, data.labels, *arrays)
    if splitter.threshold == "value":
        _take_values(data, tree)
    return tree


def infinite_values(column: Column) -> ConfigurationError:
    """The error that says so."""
    return ConfigurationError(f"DecisionTree: values must be finite, but some of {column.name!r} are infinite")


def places(data: Data) -> tuple[Codes, Codes]:
    """For each row of the table its first position in the data, and how often it is there."""
    size = len(data.table)
    counts = np.bincount(data.rows, minlength=size).astype(np.int32)
    return (np.cumsum(counts) - counts).astype(np.int32), counts


def _take_values(data: Data, tree: Tree) -> None:
    """Replace thresholds by the largest values of the data that are not above them."""
    for feature in np.unique(tree.feature):
        if not tree.columns[feature].is_nominal:
            tests = tree.parameter_start[:-1][tree.feature == feature]
            known = np.sort(data.feature(int(feature)))
            tree.parameters[tests] = known[np.searchsorted(known, tree.parameters[tests], side="right") - 1]
