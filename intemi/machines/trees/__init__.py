"""Decision trees of exchangeable components.

`DecisionTree` is the one machine that grows them; `algorithms`, `statistical_algorithms` and `best_first_algorithms`
name settings of it. What it is made of: `search` methods, `splitters` with `quality` measures or with `selectors` and
`whole_feature` splitters, `transformations` of nodes, and the smaller parts in files of their own. `tree` is what it
leaves, and a `refinement` cuts it back.
"""

from intemi.machines.trees import quality, search, selectors, transformations, whole_feature
from intemi.machines.trees.acceptors import AcceptIfImproved, MinBranchSize
from intemi.machines.trees.algorithms import C45, CART, ID3, J48, AUCTree, DecisionStump, LTree, RPart, SSVTree
from intemi.machines.trees.best_first_algorithms import BestFirstTree
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.components import (
    DecisionModule,
    FeatureSelector,
    Growth,
    MissingPolicy,
    NodeSplitter,
    NodeTransformation,
    RankedFeature,
    SplitAcceptor,
    SplitProspects,
    StopCriterion,
    TransformedNode,
    WholeFeatureSplitter,
)
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Laplace, LeastCost, MEstimate, PathCombined, Proportions, WithPriors
from intemi.machines.trees.grouping import ClassGrouping, TwoMeans
from intemi.machines.trees.independence import IndependenceTestAcceptor, IndependenceTestStop
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.option_tree import (
    AverageOptions,
    BayesOptions,
    OptionRule,
    OptionTree,
    OptionTreeClassifier,
    TreeOfOptions,
    VoteOptions,
)
from intemi.machines.trees.prospects import (
    BestSplitGain,
    ClassificationProspects,
    ConstantProspects,
    DepthProspects,
    SSVProspects,
)
from intemi.machines.trees.quality import *  # noqa: F403
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.critical_value import CriticalValue
from intemi.machines.trees.refinement.degree import Degree
from intemi.machines.trees.refinement.depth import Depth
from intemi.machines.trees.refinement.depth_impurity import DepthImpurity
from intemi.machines.trees.refinement.depth_impurity_validation import DepthImpurityValidation
from intemi.machines.trees.refinement.description_length import DescriptionLength
from intemi.machines.trees.refinement.direct import Collapse, PathError, PessimisticError
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.expansions import Expansions
from intemi.machines.trees.refinement.fixed_cost_complexity import FixedCostComplexity
from intemi.machines.trees.refinement.lockstep import LockstepTree
from intemi.machines.trees.refinement.m_estimate_validation import MEstimateValidation
from intemi.machines.trees.refinement.machines import (
    RefinedTree,
)
from intemi.machines.trees.refinement.minimum_error import MEstimateError, MinimumError
from intemi.machines.trees.refinement.optimal_size import OptimalSize
from intemi.machines.trees.refinement.path_validator import NestedValidator, PathValidator
from intemi.machines.trees.refinement.reduced_error import ReducedError
from intemi.machines.trees.refinement.refiltering import Refiltering
from intemi.machines.trees.refinement.refinement import DirectPruning, Refinement, Validator
from intemi.machines.trees.refinement.strengths import PruningTest
from intemi.machines.trees.refinement.windowing import Windowing
from intemi.machines.trees.rules import Condition, Rule
from intemi.machines.trees.search import *  # noqa: F403
from intemi.machines.trees.selectors import *  # noqa: F403
from intemi.machines.trees.splits import (
    DeviationSplit,
    LinearSplit,
    ReversedSplit,
    Split,
    SymbolSplit,
    ThresholdSplit,
)
from intemi.machines.trees.splitters.each_feature import EachFeature
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.merged_symbols import MergedSymbols
from intemi.machines.trees.splitters.nominal import BranchForEach, NominalSplits, SmallSets, TwoSets
from intemi.machines.trees.splitters.random_combinations import RandomCombinations
from intemi.machines.trees.splitters.random_subset import RandomSubset
from intemi.machines.trees.splitters.random_top_split import RandomTopSplit
from intemi.machines.trees.splitters.reweighed import AlteredPriors, ImportanceWeights
from intemi.machines.trees.splitters.select_and_split import SelectAndSplit
from intemi.machines.trees.splitters.several_per_feature import SeveralPerFeature
from intemi.machines.trees.splitters.significant import SignificantSplits
from intemi.machines.trees.splitters.spread import SpreadSearch
from intemi.machines.trees.splitters.whole_features import WholeFeatures
from intemi.machines.trees.statistical_algorithms import CRUISE1D, CRUISE2D, FACT, QUEST, Cal5, CTree
from intemi.machines.trees.stop import (
    AllOf,
    AnyOf,
    FewLargeClasses,
    MaxDepth,
    MaxErrors,
    MaxLeaves,
    MinClassCount,
    MinNodeSize,
)
from intemi.machines.trees.transformations import *  # noqa: F403
from intemi.machines.trees.tree import Tree
from intemi.machines.trees.whole_feature import *  # noqa: F403

__all__ = [
    "DecisionTree",
    # Published algorithms, as settings of it
    "ID3",
    "DecisionStump",
    "CART",
    "C45",
    "J48",
    "RPart",
    "SSVTree",
    "AUCTree",
    "LTree",
    "Cal5",
    "FACT",
    "QUEST",
    "CRUISE1D",
    "CRUISE2D",
    "CTree",
    "BestFirstTree",
    # Trees whose nodes have several splits
    "OptionTree",
    "TreeOfOptions",
    "OptionTreeClassifier",
    "OptionRule",
    "AverageOptions",
    "VoteOptions",
    "BayesOptions",
    # What it leaves
    "Tree",
    "TreeClassifier",
    "Rule",
    "Condition",
    # Splitters
    "NodeSplitter",
    "ExhaustiveSearch",
    "SpreadSearch",
    "EachFeature",
    "WholeFeatures",
    "SelectAndSplit",
    "RandomCombinations",
    "RandomSubset",
    "RandomTopSplit",
    "SeveralPerFeature",
    "SignificantSplits",
    "AlteredPriors",
    "ImportanceWeights",
    "NominalSplits",
    "BranchForEach",
    "TwoSets",
    "SmallSets",
    "MergedSymbols",
    *quality.__all__,
    "FeatureSelector",
    *selectors.__all__,
    "WholeFeatureSplitter",
    *whole_feature.__all__,
    "ClassGrouping",
    "TwoMeans",
    # Growth
    *search.__all__,
    "StopCriterion",
    "AnyOf",
    "AllOf",
    "MaxErrors",
    "MinNodeSize",
    "MinClassCount",
    "FewLargeClasses",
    "MaxDepth",
    "MaxLeaves",
    "IndependenceTestStop",
    "SplitProspects",
    "ConstantProspects",
    "DepthProspects",
    "ClassificationProspects",
    "SSVProspects",
    "BestSplitGain",
    "SplitAcceptor",
    "AcceptIfImproved",
    "MinBranchSize",
    "IndependenceTestAcceptor",
    "NodeTransformation",
    *transformations.__all__,
    # Answers
    "MissingPolicy",
    "MajorityBranch",
    "Fractional",
    "ImputeNode",
    "Surrogates",
    "DecisionModule",
    "Proportions",
    "Laplace",
    "LeastCost",
    "MEstimate",
    "PathCombined",
    "WithPriors",
    # Refinement
    "RefinedTree",
    "LockstepTree",
    "Refiltering",
    "Windowing",
    "Refinement",
    "DirectPruning",
    "BottomUpPruning",
    "Collapse",
    "FixedCostComplexity",
    "PessimisticError",
    "ErrorBased",
    "MinimumError",
    "MEstimateError",
    "DescriptionLength",
    "DepthImpurity",
    "PathError",
    "Validator",
    "PathValidator",
    "NestedValidator",
    "ReducedError",
    "CostComplexity",
    "CriticalValue",
    "Degree",
    "Depth",
    "OptimalSize",
    "MEstimateValidation",
    "DepthImpurityValidation",
    "Expansions",
    "PruningTest",
    # What components of your own get and give
    "NodeData",
    "Split",
    "ThresholdSplit",
    "SymbolSplit",
    "DeviationSplit",
    "LinearSplit",
    "ReversedSplit",
    "RankedFeature",
    "TransformedNode",
    "Growth",
]
