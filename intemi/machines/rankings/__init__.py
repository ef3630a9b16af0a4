"""Feature rankings: machines that say which features are more useful than others, and one that selects the best."""

from intemi.machines.rankings.correlation import CorrelationRanking
from intemi.machines.rankings.f_score import FScoreRanking
from intemi.machines.rankings.forest import ForestRanking
from intemi.machines.rankings.given import GivenRanking
from intemi.machines.rankings.mutual_information import MutualInformationRanking
from intemi.machines.rankings.permutation import PermutationRanking
from intemi.machines.rankings.relief_f import ReliefFRanking
from intemi.machines.rankings.selection import Count, FeatureChoice, FeatureSelection, Share, Threshold
from intemi.machines.rankings.template import selection_by_ranking

__all__ = [
    "CorrelationRanking",
    "FScoreRanking",
    "MutualInformationRanking",
    "ReliefFRanking",
    "PermutationRanking",
    "ForestRanking",
    "GivenRanking",
    "FeatureSelection",
    "FeatureChoice",
    "Count",
    "Share",
    "Threshold",
    "selection_by_ranking",
]
