"""The statistics of tree growing: pure functions of arrays, with weights that count as repetitions of rows.

Probabilities are returned as logarithms throughout: those of strong features are too small for a float.
"""

from intemi.machines.trees.statistics.adjustment import bonferroni_level, log_sidak
from intemi.machines.trees.statistics.box_cox import BoxCox, fit_box_cox
from intemi.machines.trees.statistics.contingency import (
    fisher_exact,
    normal_deviates,
    pearson,
    pearson_of_each,
    pearson_of_parts,
)
from intemi.machines.trees.statistics.correspondence import crimcoord
from intemi.machines.trees.statistics.discriminants import cheapest_intervals, linear_intervals, quadratic_roots
from intemi.machines.trees.statistics.moments import ClassMoments, class_moments, distances
from intemi.machines.trees.statistics.permutation import (
    greatest_nominal,
    greatest_numeric,
    quadratic_nominal,
    quadratic_numeric,
    quadratic_of_parts,
)
from intemi.machines.trees.statistics.resampling import log_p_by_resampling
from intemi.machines.trees.statistics.tails import log_p_chi_squared, log_p_f
from intemi.machines.trees.statistics.taming import tamed
from intemi.machines.trees.statistics.variance import Tested, analysis_of_variance, levene

__all__ = [
    "tamed",
    "ClassMoments",
    "class_moments",
    "distances",
    "Tested",
    "analysis_of_variance",
    "levene",
    "pearson",
    "pearson_of_each",
    "pearson_of_parts",
    "normal_deviates",
    "fisher_exact",
    "crimcoord",
    "BoxCox",
    "fit_box_cox",
    "cheapest_intervals",
    "linear_intervals",
    "quadratic_roots",
    "quadratic_numeric",
    "quadratic_nominal",
    "quadratic_of_parts",
    "greatest_numeric",
    "greatest_nominal",
    "log_p_by_resampling",
    "log_p_chi_squared",
    "log_p_f",
    "bonferroni_level",
    "log_sidak",
]
