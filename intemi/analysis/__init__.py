"""Transformations of series: statistics, tests, ranks, wins. Each is a small value that is called on series.

A test gives a series of one item, or of one for each pair of machines, with its p as the main label where it has one,
and says which variant of the test it is. It refuses a series on which it would mean nothing.
"""

from intemi.analysis.answers import ROC, PerClass, Reliability
from intemi.analysis.basic_statistics import BasicStatistics
from intemi.analysis.bayesian_signed_rank import BayesianSignedRank
from intemi.analysis.corrected_t_test import CorrectedTTest
from intemi.analysis.critical_difference import CriticalDifference
from intemi.analysis.dunn import Dunn
from intemi.analysis.effect_sizes import CliffsDelta, CohensD, EffectSize, EffectSizes, VarghaDelaney, effect_size
from intemi.analysis.errors import InvalidComparison
from intemi.analysis.five_by_two import FiveByTwoFTest
from intemi.analysis.friedman import Friedman
from intemi.analysis.holm import Holm
from intemi.analysis.hypothesis_test import hypothesis_test
from intemi.analysis.mann_whitney import MannWhitney
from intemi.analysis.mcnemar import McNemar
from intemi.analysis.nemenyi import Nemenyi
from intemi.analysis.paired_t_test import PairedTTest
from intemi.analysis.ranks import AverageRanks, Ranks
from intemi.analysis.relative_improvement import relative_improvement
from intemi.analysis.sign_test import SignTest
from intemi.analysis.stamps import competing, stamps_of
from intemi.analysis.standardized_difference import StandardizedDifference
from intemi.analysis.t_test import TTest
from intemi.analysis.transformation import Transformation
from intemi.analysis.wilcoxon import Wilcoxon
from intemi.analysis.wins import Wins
from intemi.analysis.wins_draws_losses import WinsDrawsLosses

__all__ = [
    "BasicStatistics",
    "TTest",
    "PairedTTest",
    "CorrectedTTest",
    "FiveByTwoFTest",
    "Wilcoxon",
    "SignTest",
    "MannWhitney",
    "McNemar",
    "BayesianSignedRank",
    "Ranks",
    "AverageRanks",
    "Friedman",
    "Nemenyi",
    "Dunn",
    "Holm",
    "CriticalDifference",
    "WinsDrawsLosses",
    "Wins",
    "StandardizedDifference",
    "relative_improvement",
    "CohensD",
    "CliffsDelta",
    "VarghaDelaney",
    "EffectSizes",
    "EffectSize",
    "effect_size",
    "PerClass",
    "ROC",
    "Reliability",
    "stamps_of",
    "competing",
    "Transformation",
    "hypothesis_test",
    "InvalidComparison",
]
