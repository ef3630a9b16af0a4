"""Whether a tree of scikit-learn could be ours: its order of features is drawn, so of equal splits any may win."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain, SplitQuality
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch

SAME = 1e-9
"""Gains that differ by less are the same; scikit-learn's thresholds are single precision, its gains are not."""


def worse_splits(data: Data, quality: SplitQuality, seed: int = 0) -> tuple[int, int]:
    """How many splits scikit-learn's tree has, and how many of these gain less than our best split of the same rows."""
    from sklearn.tree import DecisionTreeClassifier

    criterion = "entropy" if isinstance(quality, InformationGain) else "gini"
    fitted = DecisionTreeClassifier(criterion=criterion, random_state=seed).fit(data.features.T, data.classes).tree_
    values = data.features.astype(np.float32)
    search = ExhaustiveSearch(quality=quality, allow_zero_gain=True)
    splits, worse = 0, 0
    stack = [(0, NodeData.of(data), np.arange(len(data)))]
    while stack:
        number, node, rows = stack.pop()
        if fitted.children_left[number] < 0:
            continue
        splits += 1
        goes_right = values[fitted.feature[number], rows] > fitted.threshold[number]
        gain = quality.multi(node.table_of(goes_right, 2))
        [best] = search.best_splits(node, 1)
        worse += gain < best.quality - SAME
        for child, side in ((fitted.children_left[number], ~goes_right), (fitted.children_right[number], goes_right)):
            stack.append((int(child), node.select(np.flatnonzero(side), branch=0), rows[side]))
    return splits, worse
