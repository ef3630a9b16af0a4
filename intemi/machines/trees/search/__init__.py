"""Search methods, and measures of the trees that they compare."""

from intemi.machines.trees.search.beam import BeamSearch
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.search.lookahead import Lookahead
from intemi.machines.trees.search.method import SearchMethod
from intemi.machines.trees.search.tree_quality import CodeLength, Leaves, PathEstimate, TreeQuality

__all__ = [
    "SearchMethod",
    "HillClimbing",
    "BeamSearch",
    "Lookahead",
    "TreeQuality",
    "CodeLength",
    "PathEstimate",
    "Leaves",
]
