"""Published algorithms as settings of the one `DecisionTree`, and of the `refinement` that cuts it back.

`CART` and `C45` are pruned as their authors prune, `J48` and `RPart` as the programs do by default;
`refinement=None` is the bare growing. The others are cut back only if a refinement is given.
"""

from __future__ import annotations

from intemi.kernel import ConfigurationError
from intemi.machines.trees.components import DecisionModule, MissingPolicy, NodeSplitter
from intemi.machines.trees.costs import Costs
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Laplace, LeastCost, PathCombined, Proportions, WithPriors
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.priors import Priors
from intemi.machines.trees.quality import AUC, SSV, FilteredGainRatio, Gini, InformationGain, SplitQuality
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.direct import Collapse
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.fixed_cost_complexity import FixedCostComplexity
from intemi.machines.trees.refinement.machines import TreeLearner, refined
from intemi.machines.trees.refinement.refinement import Refinement
from intemi.machines.trees.splitters.each_feature import EachFeature
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.merged_symbols import MergedSymbols
from intemi.machines.trees.splitters.nominal import BranchForEach, NominalSplits, SmallSets, TwoSets
from intemi.machines.trees.splitters.reweighed import AlteredPriors
from intemi.machines.trees.splitters.significant import SignificantSplits
from intemi.machines.trees.stop import AnyOf, MaxDepth, MaxErrors, MinNodeSize
from intemi.machines.trees.transformations.discriminant_axes import DiscriminantAxes

GINI, PAIRS, AREA = Gini(), SSV(), AUC()
BREIMAN = CostComplexity(se=1)
"""How CART prunes: by ten folds, to the smallest tree within one standard error of the best."""
QUINLAN = ErrorBased(cf=0.25, slack=0.1, raising=True)
"""How C4.5 prunes, release 8."""


def ID3(alpha: float | None = None, refinement: Refinement | None = None) -> TreeLearner:
    """A branch for each symbol, information gain. Numeric features are to be discretised before.

    With `alpha` features are left out on which the classes do not depend, by a χ² test at this level.

    >>> ID3().splitter.quality
    InformationGain()
    """
    splitter: NodeSplitter = ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach(), min_branch=0.0)
    if alpha is not None:
        splitter = SignificantSplits(splitter, alpha)
    return refined(DecisionTree(splitter=splitter, missing_values=ImputeNode()), refinement)


def DecisionStump(quality: SplitQuality = GINI) -> DecisionTree:
    """A tree of one split, the usual weak learner of boosting; of symbols, one against the others. A branch may weigh
    as little as it likes.

    >>> DecisionStump().stop
    MaxDepth(depth=2)
    """
    splitter = ExhaustiveSearch(quality=quality, nominal=SmallSets(count=1), min_branch=0.0)
    return DecisionTree(splitter=splitter, stop=MaxDepth(depth=2))


def CART(
    quality: SplitQuality = GINI,
    min_size: float = 2.0,
    min_branch: float = 1.0,
    surrogates: int = 5,
    enumerated: int = 10,
    priors: Priors | None = None,
    cost: Costs | None = None,
    refinement: Refinement | None = BREIMAN,
) -> TreeLearner:
    """Two branches, Gini gain (or information gain, or twoing), surrogate splits; cost-complexity pruning in ten folds.

    Without `refinement` the tree is left as it was grown.

    Where classes are to be as frequent as `priors` say, or errors cost differently, `cost[i][j]` if i is answered
    where j is right, splits are found with altered priors, a `min_branch` above 1 counted likewise, and leaves answer
    what is most probable, or costs least.

    >>> CART().refinement.se, CART(surrogates=2, refinement=None).missing_values
    (1.0, Surrogates(most=2))
    """
    missing: MissingPolicy = Surrogates(most=surrogates) if surrogates else MajorityBranch()
    decision: DecisionModule = Proportions() if priors is None else WithPriors(priors)
    is_altered = priors is not None or cost is not None
    # One row is enough for a branch, whatever it weighs then.
    least = 0.0 if is_altered and min_branch <= 1 else min_branch
    splitter: NodeSplitter = ExhaustiveSearch(quality=quality, nominal=TwoSets(enumerated=enumerated), min_branch=least)
    if is_altered:
        splitter = AlteredPriors(splitter, priors, cost)
    return refined(
        DecisionTree(
            splitter=splitter,
            stop=AnyOf((MaxErrors(), MinNodeSize(size=min_size))),
            missing_values=missing,
            decision=decision if cost is None else LeastCost(cost, decision),
        ),
        refinement,
    )


def C45(
    min_objects: float = 2.0,
    mdl: bool = True,
    binary: bool = False,
    collapse: bool = True,
    average_filter: bool = True,
    subset: bool = False,
    refinement: Refinement | None = QUINLAN,
) -> TreeLearner:
    """Gain ratio among features of at least average gain, a branch for each symbol, missing values in parts; pruned by
    the errors to be expected.

    Symbols may also be split one against the others (`binary`), or in sets that are merged while the ratio improves
    (`subset`). With `collapse` splits are undone that remove no errors, with or without a `refinement`. Without
    `average_filter` any gain above 0 will do.

    >>> C45().refinement.cf, C45(refinement=None).stop.criteria[1]
    (0.25, MinNodeSize(size=4.0))
    """
    if binary and subset:
        raise ConfigurationError("C45: binary and subset are two ways to split nominal features, got both")
    nominal: NominalSplits = SmallSets(count=1) if binary else BranchForEach(empty=True, heavy="two")
    if subset:
        nominal = MergedSymbols(empty=True)
    search = ExhaustiveSearch(
        quality=FilteredGainRatio(mdl=mdl), nominal=nominal, min_branch=min_objects, scale=True, threshold="value"
    )
    return refined(
        DecisionTree(
            splitter=search if average_filter else EachFeature(search),
            stop=AnyOf((MaxErrors(), MinNodeSize(size=2 * min_objects))),
            missing_values=Fractional(),
            pruning=Collapse() if collapse else None,
        ),
        refinement,
    )


def J48(confidence: float = 0.25, min_objects: float = 2.0, binary: bool = False, raising: bool = True) -> TreeLearner:
    """C4.5 as J48 of WEKA has it, with its options and their defaults.

    >>> J48(confidence=0.1).refinement.estimator
    'j48'
    """
    pruning = ErrorBased(cf=confidence, estimator="j48", slack=0.1, raising=raising)
    return C45(min_objects=min_objects, binary=binary, refinement=pruning)


def RPart(
    quality: SplitQuality = GINI,
    min_split: float = 20.0,
    min_bucket: float = 7.0,
    max_depth: int = 30,
    surrogates: int = 5,
    cp: float = 0.01,
) -> TreeLearner:
    """CART as rpart of R grows it, with its options and their defaults: what `cp` says is not worth a leaf is undone.

    >>> RPart(cp=0.001).refinement
    FixedCostComplexity(cp=0.001)
    """
    search = ExhaustiveSearch(quality=quality, nominal=TwoSets(), min_branch=min_bucket, scale=True)
    missing: MissingPolicy = Surrogates(most=surrogates) if surrogates else MajorityBranch()
    # It counts splits above a node, we count the node as well.
    stop = AnyOf((MaxErrors(), MinNodeSize(size=min_split), MaxDepth(depth=max_depth + 1)))
    return refined(DecisionTree(splitter=search, stop=stop, missing_values=missing), FixedCostComplexity(cp=cp))


def LTree(min_objects: float = 2.0, w: float = 1.0, refinement: Refinement | None = QUINLAN) -> TreeLearner:
    """C4.5 with linear discriminants of the classes in a node among its features, after Gama. Nodes answer together
    with those above them, which weigh 1 where they weigh `w`.

    >>> LTree().learner.transformation, LTree().learner.decision
    (DiscriminantAxes(ridge=1e-06), PathCombined(w=1.0))
    """
    search = ExhaustiveSearch(
        quality=FilteredGainRatio(), nominal=BranchForEach(empty=True, heavy="two"), min_branch=min_objects, scale=True
    )
    grower = DecisionTree(
        splitter=search,
        stop=AnyOf((MaxErrors(), MinNodeSize(size=2 * min_objects))),
        missing_values=Fractional(),
        decision=PathCombined(w),
        transformation=DiscriminantAxes(),
    )
    return refined(grower, refinement)


def SSVTree(quality: SplitQuality = PAIRS, refinement: Refinement | None = None) -> TreeLearner:
    """Two branches that separate as many pairs of different classes as possible; of symbols, small sets.

    >>> SSVTree().splitter.nominal
    SmallSets(count=None)
    """
    return refined(DecisionTree(splitter=ExhaustiveSearch(quality=quality, nominal=SmallSets())), refinement)


def AUCTree(quality: SplitQuality = AREA, refinement: Refinement | None = None) -> TreeLearner:
    """A tree that ranks: splits by the area under the ROC curve, Laplace probabilities.

    >>> AUCTree().decision
    Laplace()
    """
    return refined(
        DecisionTree(
            splitter=ExhaustiveSearch(quality=quality, nominal=BranchForEach()),
            missing_values=Fractional(),
            decision=Laplace(),
        ),
        refinement,
    )
