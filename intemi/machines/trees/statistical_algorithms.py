"""Published algorithms that choose features by statistical tests, as settings of the one `DecisionTree`.

Symbols are scored by CrimCoord in each node anew, from the rows of the node.

>>> from intemi.data import Column, Data, Table
>>> x, y = [1, 2, 3, 7, 8, 9], [0, 0, 0, 1, 1, 1]
>>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
>>> print(QUEST().run(data).outputs["tree"])
x <= 5: A (3)
x > 5: B (3)
"""

from __future__ import annotations

from typing import Literal

from intemi.kernel import ConfigurationError
from intemi.machines.trees.acceptors import AcceptIfImproved
from intemi.machines.trees.components import NodeSplitter
from intemi.machines.trees.costs import Costs
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import LeastCost, Proportions
from intemi.machines.trees.missing import ImputeNode, MajorityBranch
from intemi.machines.trees.quality import InformationGain, PermutationStatistic
from intemi.machines.trees.refinement.machines import TreeLearner, refined
from intemi.machines.trees.refinement.refinement import Refinement
from intemi.machines.trees.selectors import LargestF, PairwiseTests, PermutationTest, SmallestP, SmallestQ
from intemi.machines.trees.splitters.nominal import TwoSets
from intemi.machines.trees.splitters.select_and_split import SelectAndSplit
from intemi.machines.trees.splitters.whole_features import WholeFeatures
from intemi.machines.trees.stop import AnyOf, FewLargeClasses, MaxErrors, MinNodeSize
from intemi.machines.trees.whole_feature import (
    BestCut,
    ConfidentIntervals,
    LinearDiscriminants,
    QuadraticDiscriminants,
)


def Cal5(
    threshold: float = 0.8,
    alpha: float = 0.5,
    selector: Literal["information", "q"] = "information",
    refinement: Refinement | None = None,
) -> TreeLearner:
    """Cal5: intervals that are sure of a class or of none; features by information gain, or by Q."""
    if selector not in ("information", "q"):
        raise ConfigurationError(f"Cal5: selector must be one of 'information', 'q', got {selector!r}")
    intervals = ConfidentIntervals(threshold=threshold, alpha=alpha)
    splitter: NodeSplitter = WholeFeatures(splitter=intervals, quality=InformationGain())
    if selector == "q":
        splitter = SelectAndSplit(selector=SmallestQ(), splitter=intervals)
    return refined(DecisionTree(splitter=splitter, missing_values=MajorityBranch()), refinement)


def FACT(
    threshold: float = 4.0, min_class: float = 5.0, cost: Costs | None = None, refinement: Refinement | None = None
) -> TreeLearner:
    """FACT: the largest F, a branch for each region of linear discriminants, if that makes fewer errors.

    With `cost[i][j]`, what it costs to answer class i where j is right, regions are those of answers that cost least,
    splits have to save costs, and leaves answer likewise.
    """
    return refined(
        DecisionTree(
            splitter=SelectAndSplit(selector=LargestF(threshold=threshold), splitter=LinearDiscriminants(cost=cost)),
            stop=AnyOf((MaxErrors(), FewLargeClasses(size=min_class))),
            acceptor=AcceptIfImproved(cost=cost),
            missing_values=ImputeNode(),
            decision=Proportions() if cost is None else LeastCost(cost),
        ),
        refinement,
    )


def QUEST(
    alpha: float = 0.05, min_size: float = 2.0, min_branch: float = 1.0, refinement: Refinement | None = None
) -> TreeLearner:
    """QUEST: the smallest p, two superclasses, a cut by quadratic discriminants."""
    return refined(
        DecisionTree(
            splitter=SelectAndSplit(
                selector=SmallestP(alpha=alpha), splitter=QuadraticDiscriminants(min_branch=min_branch)
            ),
            stop=AnyOf((MaxErrors(), MinNodeSize(size=min_size))),
            missing_values=ImputeNode(),
        ),
        refinement,
    )


def CRUISE1D(alpha: float = 0.05, min_size: float = 2.0, refinement: Refinement | None = None) -> TreeLearner:
    """CRUISE, 1D: the smallest p, a branch for each region of linear discriminants after a Box–Cox transformation."""
    return refined(
        DecisionTree(
            splitter=SelectAndSplit(selector=SmallestP(alpha=alpha), splitter=LinearDiscriminants(box_cox=True)),
            stop=AnyOf((MaxErrors(), MinNodeSize(size=min_size))),
            missing_values=ImputeNode(),
        ),
        refinement,
    )


def CRUISE2D(
    bootstrap: int = 50,
    bootstrap_scope: Literal["root", "node"] = "root",
    max_pairs: int | None = None,
    min_size: float = 2.0,
    refinement: Refinement | None = None,
) -> TreeLearner:
    """CRUISE, 2D: tests of pairs of features, a branch for each region of linear discriminants after Box–Cox.

    How much numeric features are to be favoured is found out in the root, or in each node (`bootstrap_scope`). Of wide
    data no more than `max_pairs` pairs are tested in a node, drawn at random.
    """
    selector = PairwiseTests(bootstrap=bootstrap, bootstrap_scope=bootstrap_scope, max_pairs=max_pairs)
    return refined(
        DecisionTree(
            splitter=SelectAndSplit(selector=selector, splitter=LinearDiscriminants(box_cox=True)),
            stop=AnyOf((MaxErrors(), MinNodeSize(size=min_size))),
            missing_values=ImputeNode(),
        ),
        refinement,
    )


def CTree(
    alpha: float = 0.05,
    min_split: float = 20.0,
    min_bucket: float = 7.0,
    min_share: float = 0.01,
    enumerated: int = 20,
    statistic: Literal["quadratic", "maximum"] = "quadratic",
    form: Literal["quadratic", "maximum"] = "quadratic",
    adjustment: Literal["bonferroni", "none"] = "bonferroni",
    resample: int | None = None,
    refinement: Refinement | None = None,
) -> TreeLearner:
    """CTree: permutation tests choose the feature and say when to stop, the best two-sample statistic the split.

    `statistic` is that of the tests, `form` that of the splits; p is adjusted to the number of tests by `adjustment`,
    and with `resample` found by so many permutations instead of from the limit distribution; that takes more of them
    than there are features, divided by `alpha`.
    """
    test = PermutationTest(alpha=alpha, statistic=statistic, adjustment=adjustment, resample=resample)
    return refined(
        DecisionTree(
            splitter=SelectAndSplit(
                selector=test,
                splitter=BestCut(
                    quality=PermutationStatistic(form=form),
                    nominal=TwoSets(enumerated=enumerated),
                    min_branch=min_bucket,
                    min_share=min_share,
                ),
                retry=1,
            ),
            stop=AnyOf((MaxErrors(), MinNodeSize(size=min_split))),
            missing_values=MajorityBranch(),
        ),
        refinement,
    )
