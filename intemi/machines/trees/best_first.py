"""Best-first trees without missing values: grown whole by the kernel, then put in order and cut where growth would end.

The order of splitting makes no difference to a tree that grows to its end. So nodes can be split in any order, those
whose split would not have been accepted made leaves, the others numbered in the order that best-first growth has, and
those left out that come after the last one allowed.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from intemi.data import Data
from intemi.machines.interfaces import Codes
from intemi.machines.trees.acceptors import MinBranchSize
from intemi.machines.trees.components import StopCriterion
from intemi.machines.trees.fast import grown, limits_of
from intemi.machines.trees.missing import Fractional
from intemi.machines.trees.prospects import BestSplitGain, ConstantProspects
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.splitters.spread import SpreadSearch
from intemi.machines.trees.stop import AnyOf, MaxLeaves
from intemi.machines.trees.tree import SYMBOLS, Tree

if TYPE_CHECKING:
    from intemi.machines.trees.decision_tree import DecisionTree


def grown_best_first(learner: DecisionTree, data: Data) -> Tree | None:
    """The tree of a best-first learner, if the kernel can grow it on these data."""
    plain = _without_order(learner)
    if plain is None or data.is_weighted:
        return None
    whole, most = plain
    limits = limits_of(whole, data)
    if limits is None or limits.max_leaves < inf:  # a limit of leaves that is not by itself: the order matters
        return None
    tree = grown(whole, data)
    if isinstance(learner.splitter, SpreadSearch) and learner.splitter.unseen == "heavier":
        tree = _with_unseen_symbols(tree)
    if isinstance(learner.acceptor, MinBranchSize):
        small = (tree.weights < learner.acceptor.size - 1e-9) & (tree.parent >= 0)
        tree = cut_at(tree, np.unique(tree.parent[small]))
    tree = replace(tree, expansion=_order(tree, learner))
    return tree if most is None else cut_at(tree, np.flatnonzero(tree.expansion >= most))


@lru_cache(maxsize=256)
def _without_order(learner: DecisionTree) -> tuple[DecisionTree, int | None] | None:
    """The learner that grows the whole tree in any order, and how many leaves the tree may have."""
    acceptor, stop = learner.acceptor, learner.stop
    if not (
        type(learner.splitter) is SpreadSearch
        and type(learner.prospects) is BestSplitGain
        and type(learner.search) is HillClimbing
        and type(learner.missing_values) is Fractional
        and learner.transformation is None
        and (acceptor is None or (type(acceptor) is MinBranchSize and acceptor.which == "all"))
        and type(stop) is AnyOf
    ):
        return None
    leaves = [each.leaves for each in _criteria(stop) if type(each) is MaxLeaves]
    whole = learner.with_part("splitter", learner.splitter.plain()).with_part("acceptor", None)
    whole = whole.with_part("prospects", ConstantProspects()).with_part("search", HillClimbing())
    others = AnyOf(tuple(each for each in _criteria(stop) if type(each) is not MaxLeaves))
    return whole.with_part("stop", others), min(leaves, default=None)


def _criteria(stop: StopCriterion) -> list[StopCriterion]:
    """All of which any stops growth."""
    return [each for part in stop.criteria for each in _criteria(part)] if isinstance(stop, AnyOf) else [stop]


def _with_unseen_symbols(tree: Tree) -> Tree:
    """The tree that sends symbols that do not occur in a node to its heavier branch."""
    parameters = tree.parameters.copy()
    for node in np.flatnonzero(tree.branch_count).tolist():
        test = int(tree.test_start[node])
        if tree.kind[test] == SYMBOLS:
            branches = parameters[tree.parameter_start[test] : tree.parameter_start[test + 1]]
            weights = tree.branch_weight[list(tree.children(node))]
            branches[branches < 0] = np.argmax(weights >= weights.max() - 1e-12)
    return replace(tree, parameters=parameters)


def _order(tree: Tree, learner: DecisionTree) -> Codes:
    """The place of each split if the one that gains most is always made first; 0 for leaves."""
    assert isinstance(learner.prospects, BestSplitGain)
    assert isinstance(learner.search, HillClimbing)
    gains = (tree.quality * tree.weights if learner.prospects.scope == "tree" else tree.quality).tolist()
    later = -1 if learner.search.ties == "last" else 1
    order, inserted = np.zeros(len(tree), dtype=np.int32), 0
    queue = [(0.0, 0, 0)] if tree.branch_count[0] else []
    made = 0
    while queue:
        _, _, node = heapq.heappop(queue)
        made += 1
        order[node] = made
        for child in tree.children(node):
            if tree.branch_count[child]:
                inserted += 1
                heapq.heappush(queue, (-gains[child], later * inserted, child))
    return order
