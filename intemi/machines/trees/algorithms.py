"""Published algorithms as settings of the one `DecisionTree`."""

from __future__ import annotations

from intemi.machines.trees.components import MissingPolicy
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Laplace
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.pruning import Collapse
from intemi.machines.trees.quality import AUC, SSV, FilteredGainRatio, Gini, InformationGain, SplitQuality
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach, NominalSplits, SmallSets, TwoSets
from intemi.machines.trees.stop import AnyOf, MaxErrors, MinNodeSize

GINI, PAIRS, AREA = Gini(), SSV(), AUC()


def ID3() -> DecisionTree:
    """A branch for each symbol, information gain. Numeric features are to be discretised before.

    >>> ID3().splitter.quality
    InformationGain()
    """
    return DecisionTree(
        splitter=ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach(), min_branch=0.0),
        missing_values=ImputeNode(),
    )


def CART(
    quality: SplitQuality = GINI,
    min_size: float = 2.0,
    min_branch: float = 1.0,
    surrogates: int = 5,
    enumerated: int = 10,
) -> DecisionTree:
    """Two branches, Gini gain (or information gain, or twoing), surrogate splits; not pruned.

    >>> CART(surrogates=2).missing_values
    Surrogates(most=2)
    """
    missing: MissingPolicy = Surrogates(most=surrogates) if surrogates else MajorityBranch()
    return DecisionTree(
        splitter=ExhaustiveSearch(quality=quality, nominal=TwoSets(enumerated=enumerated), min_branch=min_branch),
        stop=AnyOf((MaxErrors(), MinNodeSize(size=min_size))),
        missing_values=missing,
    )


def C45(min_objects: float = 2.0, mdl: bool = True, binary: bool = False, collapse: bool = True) -> DecisionTree:
    """Gain ratio among features of at least average gain, a branch for each symbol (or, `binary`, one symbol against
    the others), missing values in parts; not pruned, but with `collapse` splits are undone that remove no errors.

    >>> C45().stop.criteria[1]
    MinNodeSize(size=4.0)
    """
    nominal: NominalSplits = SmallSets(count=1) if binary else BranchForEach(empty=True, heavy="two")
    return DecisionTree(
        splitter=ExhaustiveSearch(
            quality=FilteredGainRatio(mdl=mdl), nominal=nominal, min_branch=min_objects, scale=True, threshold="value"
        ),
        stop=AnyOf((MaxErrors(), MinNodeSize(size=2 * min_objects))),
        missing_values=Fractional(),
        pruning=Collapse() if collapse else None,
    )


def SSVTree(quality: SplitQuality = PAIRS) -> DecisionTree:
    """Two branches that separate as many pairs of different classes as possible; of symbols, small sets.

    >>> SSVTree().splitter.nominal
    SmallSets(count=None)
    """
    return DecisionTree(splitter=ExhaustiveSearch(quality=quality, nominal=SmallSets()))


def AUCTree(quality: SplitQuality = AREA) -> DecisionTree:
    """A tree that ranks: splits by the area under the ROC curve, Laplace probabilities.

    >>> AUCTree().decision
    Laplace()
    """
    return DecisionTree(
        splitter=ExhaustiveSearch(quality=quality, nominal=BranchForEach()),
        missing_values=Fractional(),
        decision=Laplace(),
    )
