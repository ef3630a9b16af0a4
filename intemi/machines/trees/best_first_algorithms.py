"""Best-first trees as settings of the one `DecisionTree`: the node whose best split gains most is split first.

>>> from intemi.data import Column, Data, Table
>>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 1, 0, 0, 0]
>>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
>>> print(BestFirstTree().run(data).outputs["tree"])
x <= 3.5: A (3)
x > 3.5
|   x <= 5.5: B (2)
|   x > 5.5: A (3)
>>> print(BestFirstTree(expansions=1).run(data).outputs["tree"])
x <= 3.5: A (3)
x > 3.5: A (5/2)
"""

from __future__ import annotations

from typing import Literal

from intemi.kernel import ConfigurationError
from intemi.machines.trees.acceptors import MinBranchSize
from intemi.machines.trees.components import StopCriterion
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.missing import Fractional
from intemi.machines.trees.prospects import BestSplitGain
from intemi.machines.trees.quality import Gini, SplitQuality
from intemi.machines.trees.refinement.machines import TreeLearner, refined
from intemi.machines.trees.refinement.refinement import Refinement
from intemi.machines.trees.search import HillClimbing
from intemi.machines.trees.splitters.nominal import TwoSets
from intemi.machines.trees.splitters.spread import SpreadSearch
from intemi.machines.trees.stop import AnyOf, MaxErrors, MaxLeaves, MinNodeSize

GINI = Gini()


def BestFirstTree(
    quality: SplitQuality = GINI,
    expansions: int | None = None,
    min_objects: int = 2,
    enumerated: int = 4,
    scope: Literal["node", "tree"] = "node",
    allow_zero_gain: bool = False,
    unseen: Literal["heavier", "missing"] = "heavier",
    refinement: Refinement | None = None,
) -> TreeLearner:
    """Two branches by Gini (or information) gain, the largest gain first, up to a number of `expansions`.

    Of more than `enumerated` symbols and two classes only the sets are tried that an order suggests. A node whose best
    split would leave a branch with fewer than `min_objects` rows is a leaf: no other split of it is tried. With
    `scope="tree"` gains count by the share of rows they apply to, which is the order of scikit-learn. Splits that gain
    nothing are made with `allow_zero_gain` only: a parity of features cannot be learned without. Symbols that a node
    has not seen go to its heavier branch, or with `unseen="missing"` to both, in parts.

    >>> BestFirstTree(expansions=3).stop.criteria[2]
    MaxLeaves(leaves=4, strict=False)
    """
    stop: tuple[StopCriterion, ...] = (MaxErrors(), MinNodeSize(size=2.0 * min_objects))
    if expansions is not None:
        if expansions < 0:
            raise ConfigurationError(f"BestFirstTree: expansions must be at least 0, got {expansions}")
        # Both branches of a split are new, the node is no leaf any more.
        stop = (*stop, MaxLeaves(leaves=expansions + 1))
    return refined(
        DecisionTree(
            splitter=SpreadSearch(
                quality=quality,
                nominal=TwoSets(enumerated=enumerated, order="profile"),
                allow_zero_gain=allow_zero_gain,
                unseen=unseen,
            ),
            stop=AnyOf(stop),
            acceptor=MinBranchSize(size=float(min_objects), unit="rows"),
            prospects=BestSplitGain(scope=scope),
            search=HillClimbing(ties="last"),
            missing_values=Fractional(),
        ),
        refinement,
    )
