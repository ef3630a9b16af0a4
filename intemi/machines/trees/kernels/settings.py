"""The numbers that tell kernels what to do: places in one array, so that all kernels have short, fixed signatures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from intemi.machines.interfaces import Floats

LEAST_BRANCH = 0
"""What every branch must weigh at least."""
LEAST_QUALITY = 1
"""What the quality of a split must exceed."""
AT_BORDERS = 2
"""1: the measure is convex, so only cuts at borders between classes are scored."""
SCALES = 3
"""1: qualities are multiplied by the share of the rows whose value is known."""
MULTIWAY = 4
"""1: a nominal feature has one branch for each symbol; 0: two sets of symbols."""
EVERY_SYMBOL = 5
"""1: symbols that do not occur in the node get a branch as well, an empty one."""
TWO_HEAVY = 6
"""1: of many branches only two need to weigh `LEAST_BRANCH`."""
ORDER_OF_TWO = 7
"""How symbols are ordered where two classes occur; 0: sets are enumerated."""
ORDER_OF_MANY = 8
"""How they are ordered where more classes and more than `ENUMERATED` symbols occur; 0: sets are enumerated."""
ENUMERATED = 9
WANTED = 10
"""How many sets are enumerated: -1 all, 0 as many as a numeric feature of the node has cuts on average."""
FILTERED = 11
"""1: C4.5's choice, the best gain ratio of the features of at least average gain; 2: with the MDL correction."""
MAX_ERRORS = 12
MAX_RATE = 13
LEAST_WEIGHT = 14
MAX_DEPTH = 15
MAX_LEAVES = 16
IMPUTES = 17
"""1: missing values go where mean or mode go; 0: to the heaviest branch."""
CLASSES = 18
"""The number of classes of the problem."""
SURROGATES = 19
"""How many other tests of a node are asked before missing values go to the heaviest branch."""
FRACTIONAL = 20
"""1: rows whose value is missing go to all branches, in parts."""
SPREADS = 21
"""1: in the search of splits these rows count as well, in the same parts."""
LEAST_CHILD_ROWS = 22
"""The rows that each child must have, or its parent is a leaf."""
LEAST_CHILD_WEIGHT = 23
"""What each child must weigh, or its parent is a leaf."""
DRAWN = 24
"""How many features are drawn in each node, to be split by the best of them; 0: all are asked."""
LEAST_CLASS = 25
"""What at least two classes of a node must weigh, or it is a leaf."""
SELECTOR = 26
"""How features are ranked, one of `selecting`."""
LEVEL = 27
"""The level of its tests, or the F that it takes."""
ADJUSTS = 28
"""1: p is adjusted to the number of tests."""
CUTTER = 29
"""How a feature that was chosen is split, one of `splitting`."""
LEAST_SHARE = 30
"""The share of a node that every branch must weigh at least."""
BOX_COX = 31
"""1: numbers are transformed before linear discriminants are looked for."""
THRESHOLD = 32
"""Cal5's probability of a class in an interval that is sure of it."""
ALPHA = 33
"""Cal5's doubt: the smaller, the more rows it takes to be sure."""
RETRIES = 34
"""How many features that cannot be split are followed by the next one."""
IMPROVES = 35
"""1: a split must make fewer errors than the node."""
COUNT = 36

LEAST_PART = 1e-6
"""Parts of rows that weigh less are dropped."""
ROUNDING = 1e-12
"""Of a mean, relative to what numbers amount to: one that exceeds a cut by no more is at the cut, and so below it."""


def settings_of(values: Mapping[str, float]) -> Floats:
    """All settings, of which these differ from 0; by their names."""
    found, places = np.zeros(COUNT), globals()
    for name, value in values.items():
        found[places[name]] = value
    return found
