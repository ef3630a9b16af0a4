"""Committees: several classifiers that decide together.

`answers` are what members say, `decision_rules` and `tie_rules` what is made of it, `classifier` is the committee as a
classifier, and `committee` the machine that makes it of members. `predictions` are answers as a value.

A machine of one's own uses `answers_of`, `decision` (of all members), `decisions` (of the first 1, 2, … of them),
`committee_of` and `predictions_of`.
"""

from intemi.machines.committees.alternating_tree import AlternatingClassifier, AlternatingRules, AlternatingTree
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.classifier import CommitteeClassifier
from intemi.machines.committees.committee import Committee
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
from intemi.machines.committees.gradient_boosting import BoostedTrees, GradientBoosting
from intemi.machines.committees.predictions import Predict, Predictions
from intemi.machines.committees.tie_rules import (
    LargestMeanProbability,
    LargestPrior,
    LowestClass,
    RandomClass,
    TieRule,
)

__all__ = [
    "Committee",
    "CommitteeClassifier",
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
    # Trees that are committees by themselves
    "AlternatingTree",
    "AlternatingClassifier",
    "AlternatingRules",
    "GradientBoosting",
    "BoostedTrees",
]
