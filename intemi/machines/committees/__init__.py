"""Committees: several classifiers that decide together.

`answers` are what members say, `decision_rules` and `tie_rules` what is made of it, `classifier` is the committee as a
classifier, and `committee` the machine that makes it of members. `predictions` are answers as a value.

Combiners of several learners (`voting`, `select_best`, `stacking`, `cascading`, `arbiters`, `meta_decision_tree`, and
those of `algorithms`) share models: `combiner` says how they ask for them, `cross_predictions` are answers for rows
that were not trained on, by `inner_folds`. `meta_attributes` are told of answers, `meta_data` is a table of them;
`meta_level` are classifiers of two levels, and `route` makes them. `accuracy_growth` grows the trees of
`meta_decision_tree` and `ac45`, `correspondence` is what SCANN learns by. `error_correlation` is how alike errors are.

`weights` are how much rows count, `sampling` and `noise` draw, and `weighted_learn` lets any learner learn from it.
`bagging`, `wagging`, `randomization` and `boosting` are templates of committees, `forest_algorithms` settings of them;
`update_rules` are what boosting may do, `backfit` is what bagging and wagging may. `out_of_bag`, `bootstrap_estimates`
and `importance` tell what members are worth on rows that they never saw. `alternating_tree` and `gradient_boosting`
are trees that are committees by themselves.

A machine of one's own uses `answers_of`, `decision` (of all members), `decisions` (of the first 1, 2, … of them),
`committee_of` and `predictions_of`.
"""

from intemi.machines.committees.ac45 import AC45
from intemi.machines.committees.accuracy_growth import AccuracyGrowth
from intemi.machines.committees.algorithms import SCANN, StackingAC45, StackingC45
from intemi.machines.committees.alternating_tree import AlternatingClassifier, AlternatingRules, AlternatingTree
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.arbiters import Arbiters
from intemi.machines.committees.backfit import Backfit
from intemi.machines.committees.bagging import Bagging
from intemi.machines.committees.boosting import Boosting, BoostUpdate
from intemi.machines.committees.bootstrap_estimates import BootstrapEstimates
from intemi.machines.committees.cascading import Cascading
from intemi.machines.committees.classifier import CommitteeClassifier
from intemi.machines.committees.committee import Committee
from intemi.machines.committees.committee_test import CommitteeTest
from intemi.machines.committees.correspondence import CorrespondenceAnalysis
from intemi.machines.committees.cross_predictions import CrossPredictions
from intemi.machines.committees.cv_committee import CVCommittee, CVCommitteeTest, RankedTrees
from intemi.machines.committees.decision_rules import (
    Average,
    DecisionRule,
    LeastCostRule,
    MaximumRule,
    MedianRule,
    MinimumRule,
    ProductRule,
    Support,
    Vote,
    WeightedAverage,
    WeightedVote,
)
from intemi.machines.committees.diversity_test import DiversityTest
from intemi.machines.committees.error_correlation import error_correlation
from intemi.machines.committees.forest_algorithms import CombinationForest, RandomForest, TopSplitForest
from intemi.machines.committees.gradient_boosting import BoostedTrees, GradientBoosting
from intemi.machines.committees.importance import PermutationImportance
from intemi.machines.committees.inner_folds import InnerFolds
from intemi.machines.committees.meta_attributes import (
    AttributeUnion,
    DistributionProperties,
    MetaAttributes,
    OriginalFeatures,
    PredictedLabels,
    PredictedProbabilities,
)
from intemi.machines.committees.meta_data import MetaData
from intemi.machines.committees.meta_decision_tree import MLC45, MetaDecisionTree
from intemi.machines.committees.noise import GaussianNoise, Noise, NoiseWeights
from intemi.machines.committees.out_of_bag import OutOfBag
from intemi.machines.committees.predictions import Predict, Predictions
from intemi.machines.committees.randomization import Randomization
from intemi.machines.committees.route import Route, Stack
from intemi.machines.committees.rows_that_count import RowsThatCount
from intemi.machines.committees.sampling import BootstrapSampler, BootstrapSamples
from intemi.machines.committees.select_best import SelectBest
from intemi.machines.committees.stacking import Stacking
from intemi.machines.committees.tie_rules import LargestMeanProbability, LargestPrior, LowestClass, RandomClass, TieRule
from intemi.machines.committees.update_rules import (
    SAMME,
    AdaBoost,
    AdaBoostAlpha,
    AdaBoostM2,
    ArcX4,
    Averaged,
    AveragedConservative,
    AveragedConservativeNormalized,
    Conservative,
    CostBoosting,
    Inverse,
    UpdateRule,
)
from intemi.machines.committees.voting import Voting
from intemi.machines.committees.wagging import Wagging
from intemi.machines.committees.weighted_learn import WeightedLearn
from intemi.machines.committees.weights import Reweighted, Weights

__all__ = [
    "Voting",
    "SelectBest",
    "Stacking",
    "StackingC45",
    "StackingAC45",
    "SCANN",
    "Cascading",
    "Arbiters",
    "MetaDecisionTree",
    "MLC45",
    "AC45",
    "AccuracyGrowth",
    "CorrespondenceAnalysis",
    "CrossPredictions",
    "InnerFolds",
    "MetaData",
    "MetaAttributes",
    "PredictedLabels",
    "PredictedProbabilities",
    "DistributionProperties",
    "OriginalFeatures",
    "AttributeUnion",
    "error_correlation",
    "Route",
    "Stack",
    "Committee",
    "CommitteeClassifier",
    "CommitteeTest",
    "DiversityTest",
    "CVCommittee",
    "CVCommitteeTest",
    "RankedTrees",
    "Predict",
    "Predictions",
    "DecisionRule",
    "Vote",
    "WeightedVote",
    "Average",
    "WeightedAverage",
    "Support",
    "ProductRule",
    "MinimumRule",
    "MaximumRule",
    "MedianRule",
    "LeastCostRule",
    "TieRule",
    "LowestClass",
    "LargestMeanProbability",
    "LargestPrior",
    "RandomClass",
    "Answers",
    "AlternatingTree",
    "AlternatingClassifier",
    "AlternatingRules",
    "GradientBoosting",
    "BoostedTrees",
    "Bagging",
    "Randomization",
    # Forests, as settings of these
    "RandomForest",
    "CombinationForest",
    "TopSplitForest",
    "Wagging",
    "Boosting",
    "UpdateRule",
    "AdaBoost",
    "AdaBoostAlpha",
    "Conservative",
    "Inverse",
    "Averaged",
    "AveragedConservative",
    "AveragedConservativeNormalized",
    "SAMME",
    "ArcX4",
    "AdaBoostM2",
    "CostBoosting",
    "BootstrapSampler",
    "BootstrapSamples",
    "RowsThatCount",
    "NoiseWeights",
    "Noise",
    "GaussianNoise",
    "Reweighted",
    "Weights",
    "WeightedLearn",
    "BoostUpdate",
    "Backfit",
    "OutOfBag",
    "BootstrapEstimates",
    "PermutationImportance",
]
