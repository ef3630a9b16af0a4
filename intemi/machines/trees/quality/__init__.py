"""Split quality measures."""

from intemi.machines.trees.quality.impurity import FilteredGainRatio, GainRatio, Gini, InformationGain, SumOfImpurity
from intemi.machines.trees.quality.majority import Accuracy, MaxMinority, SumMinority
from intemi.machines.trees.quality.quality import SplitQuality
from intemi.machines.trees.quality.separation import AUC, PermutationStatistic, Twoing
from intemi.machines.trees.quality.ssv import SSV, SSVAlpha, SSVLexicographic

__all__ = [
    "SplitQuality",
    "Accuracy",
    "InformationGain",
    "GainRatio",
    "FilteredGainRatio",
    "Gini",
    "Twoing",
    "SSV",
    "SSVLexicographic",
    "SSVAlpha",
    "AUC",
    "PermutationStatistic",
    "SumMinority",
    "MaxMinority",
    "SumOfImpurity",
]
