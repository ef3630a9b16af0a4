"""Search methods."""

from intemi.machines.trees.search.beam import BeamSearch
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.search.lookahead import Lookahead
from intemi.machines.trees.search.method import SearchMethod

__all__ = ["SearchMethod", "HillClimbing", "BeamSearch", "Lookahead"]
