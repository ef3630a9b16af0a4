"""Growing the tree of a splitter that chooses a feature first, in one call; the result is that of the search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.data import Data
from intemi.machines.trees import kernels
from intemi.machines.trees.acceptors import AcceptIfImproved
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.kernels.settings import settings_of
from intemi.machines.trees.missing import ImputeNode, MajorityBranch
from intemi.machines.trees.prospects import ConstantProspects
from intemi.machines.trees.quality import SplitQuality
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.splitters.select_and_split import SelectAndSplit
from intemi.machines.trees.splitters.whole_features import WholeFeatures
from intemi.machines.trees.whole_feature import BestCut, ConfidentIntervals

if TYPE_CHECKING:
    from intemi.machines.trees.decision_tree import DecisionTree

REMEMBERED = 256
"""Learners whose plans are remembered."""
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True)
class SelectionPlan:
    """How the kernel that chooses features first grows the tree of a learner."""

    settings: dict[str, float]
    quality: SplitQuality | None
    """What splits are compared by, if they are."""

    def grown(self, data: Data) -> tuple[int, Any]:
        """A column with infinite values, if there is one, and the tree, as the kernel has packed it."""
        table, quality = data.table, self.quality
        assert table.classes is not None
        infinite, packed = kernels.select_and_split.grow_by_selection(
            table.features,
            table.classes,
            NO_WEIGHTS if table.weights is None else table.weights,
            data.rows,
            data.column_indices,
            data.category_counts,
            len(data.labels),
            0 if quality is None else quality.address,
            settings_of({**self.settings, "CLASSES": len(data.labels)}),
            np.zeros(2) if quality is None else quality.context(),
        )
        return infinite, packed


@lru_cache(maxsize=REMEMBERED)
def selection_plan_of(learner: DecisionTree) -> SelectionPlan | None:
    """How the kernel grows the trees of a learner; None: it cannot, on any data."""
    limits, missing, acceptor = learner.stop.limits(), learner.missing_values, learner.acceptor
    of_splitter = _settings_of(learner.splitter)
    if (
        of_splitter is None
        or learner.transformation is not None
        or type(learner.search) is not HillClimbing
        or learner.search.ties != "first"
        or type(learner.prospects) is not ConstantProspects
        or type(missing) not in (MajorityBranch, ImputeNode)
        or not (acceptor is None or (type(acceptor) is AcceptIfImproved and acceptor.cost is None))
        or limits is None
        or limits.max_leaves < inf  # the order of splitting matters
    ):
        return None
    settings, quality = of_splitter
    others = {"IMPUTES": float(type(missing) is ImputeNode), "IMPROVES": float(acceptor is not None)}
    return SelectionPlan({**limits.settings(), **settings, **others}, quality)


def _settings_of(splitter: NodeSplitter) -> tuple[dict[str, float], SplitQuality | None] | None:
    """What the kernel is told of a splitter, and what it compares splits by; None if it cannot do it."""
    if type(splitter) is WholeFeatures and type(splitter.splitter) is ConfidentIntervals:
        intervals = splitter.splitter.settings()
        return {"SELECTOR": kernels.selecting.BY_QUALITY, **intervals}, splitter.quality
    if type(splitter) is not SelectAndSplit:
        return None
    selection, cutting = splitter.selector.settings(), splitter.splitter.settings()
    if selection is None or cutting is None:
        return None
    quality = splitter.splitter.quality if isinstance(splitter.splitter, BestCut) else None
    return {**selection, **cutting, "RETRIES": splitter.retry}, quality
