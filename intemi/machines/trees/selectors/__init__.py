"""Selectors: statistical tests choose the feature to split on, so that features of many values are not favoured."""

from intemi.machines.trees.selectors.largest_f import LargestF, Undecided
from intemi.machines.trees.selectors.pairwise_tests import PairwiseTests
from intemi.machines.trees.selectors.permutation_test import PermutationTest
from intemi.machines.trees.selectors.smallest_p import SmallestP
from intemi.machines.trees.selectors.smallest_q import SmallestQ

__all__ = ["LargestF", "Undecided", "SmallestP", "SmallestQ", "PermutationTest", "PairwiseTests"]
