"""Whole-feature splitters: one split of a feature, made from all its values at once."""

from intemi.machines.trees.whole_feature.best_cut import BestCut
from intemi.machines.trees.whole_feature.confident import ConfidentIntervals
from intemi.machines.trees.whole_feature.linear import LinearDiscriminants
from intemi.machines.trees.whole_feature.quadratic import QuadraticDiscriminants

__all__ = ["LinearDiscriminants", "QuadraticDiscriminants", "ConfidentIntervals", "BestCut"]
