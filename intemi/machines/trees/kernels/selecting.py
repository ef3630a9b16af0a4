"""Which feature of a node to split, by statistical tests: what the selectors do, for growth in one call.

Each selector fills a `Ranking`; the best of its features that has not been tried yet is tried next.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import helper
from intemi.machines.trees.kernels.confident import qualities
from intemi.machines.trees.kernels.contingency import pearson, varying
from intemi.machines.trees.kernels.correspondence import numbers_of
from intemi.machines.trees.kernels.moments import distances, exponents, f_tests, moments
from intemi.machines.trees.kernels.precision import SAME
from intemi.machines.trees.kernels.settings import ADJUSTS, ALPHA, LEVEL, SELECTOR, THRESHOLD
from intemi.machines.trees.kernels.sums import sum_of
from intemi.machines.trees.kernels.tails import log_chi_squared_tail, log_f_tail, log_sidak

SMALLEST_P, LARGEST_F, PERMUTATION_TEST, BY_QUALITY = range(4)
"""Selectors: those of QUEST and CRUISE, of FACT, of CTree; and Cal5's comparison of splits by a measure."""
F, DF, HALF_WITHIN, HALF_BETWEEN, RATIO, BETWEEN, OVERALL, OF_CLASSES = range(8)
"""Rows of what is found of features, see `of_variance`."""
VALUES, DISTANCES, MEAN = range(3)
"""What is to be cut: the values, or their distances from the mean; or the values at their mean, and nowhere else."""


class Node(NamedTuple):
    """The rows of a node."""

    features: Floats
    """A row for each feature; NaN is missing."""
    symbols: Codes
    """The number of categories of each feature, 0 if it is numeric."""
    classes: Codes
    weights: Floats
    totals: Floats
    """The weight of each class."""


class Ranking(NamedTuple):
    """Features worth splitting on, in any order."""

    features: Codes
    scores: Floats
    ties: Floats
    """What decides between equal scores; then it is the first feature."""
    use: int
    """What is to be cut."""


@helper
def rank(node: Node, settings: Floats, measure: int, context: Floats) -> Ranking:
    """What the selector that the settings name says of a node."""
    if settings[SELECTOR] == SMALLEST_P:
        return smallest_p(node, settings[LEVEL])
    if settings[SELECTOR] == LARGEST_F:
        return largest_f(node, settings[LEVEL])
    if settings[SELECTOR] == PERMUTATION_TEST:
        return permutation_test(node, settings[LEVEL], settings[ADJUSTS] > 0)
    return by_quality(node, settings, measure, context)


@helper
def best_of(ranking: Ranking, tried: Codes) -> int:
    """The place of the best feature that has not been tried; -1 if all have."""
    best = -1
    for i in range(len(tried)):
        if tried[i]:
            continue
        if best >= 0:
            first = compared(ranking.scores[i], ranking.scores[best])
            if first == 0:
                first = compared(ranking.ties[i], ranking.ties[best])
            if first < 0 or (first == 0 and ranking.features[i] > ranking.features[best]):
                continue
        best = i
    return best


@helper
def compared(one: float, other: float) -> int:
    """1 if a number is greater than another, -1 if it is less, 0 if both have the same twelve digits."""
    if not abs(one - other) > SAME * max(abs(one), abs(other)):
        one, other = rounded(one), rounded(other)
    return int(one > other) - int(one < other)


@helper
def rounded(number: float) -> float:
    """A number of twelve digits."""
    if number == 0 or not np.isfinite(number):
        return number
    exponent = math.floor(math.log10(abs(number)))
    digits = np.rint(number * 10.0 ** (11 - exponent))
    if abs(digits) < 1e11:  # the logarithm of a number just below a power of ten was rounded up
        exponent -= 1
        digits = np.rint(number * 10.0 ** (11 - exponent))
    if abs(digits) >= 1e12:  # that number itself is
        exponent += 1
        digits = math.copysign(1e11, number)
    return float(digits * 10.0 ** (exponent - 11))


@helper
def taken(features: Floats, chosen: Codes) -> Floats:
    """Some of the features, divided by powers of two where they are extreme."""
    found = np.empty((len(chosen), features.shape[1]))
    for i in range(len(chosen)):
        for row in range(features.shape[1]):
            found[i, row] = features[chosen[i], row]
    tame(found)
    return found


@helper
def tame(numbers: Floats) -> None:
    """Divide features by powers of two where they are extreme."""
    any_is_extreme, exponent = exponents(numbers)
    for i in range(len(numbers) if any_is_extreme else 0):
        for row in range(numbers.shape[1] if exponent[i] != 0 else 0):
            numbers[i, row] = math.ldexp(numbers[i, row], -exponent[i])


@helper
def of_variance(numbers: Floats, node: Node) -> Floats:
    """F tests of features, each of these a row: what `f_tests` finds, squares between classes, the mean, the means of
    classes."""
    m, k = len(numbers), len(node.totals)
    by_class, by_feature = moments(numbers, node.classes, node.weights, k)
    tested = f_tests(by_feature[2], by_feature[3], by_feature[5], by_feature[6])
    found = np.empty((OF_CLASSES + k, m))
    for i in range(m):
        for j in range(BETWEEN):
            found[j, i] = tested[j, i]
        found[BETWEEN, i], found[OVERALL, i] = by_feature[5, i], by_feature[4, i]
        for c in range(k):
            found[OF_CLASSES + c, i] = by_feature[0, i] + by_class[1, i, c]
    return found


@helper
def log_p(tested: Floats, feature: int) -> float:
    """The logarithm of the probability of an F at least as large."""
    return log_f_tail(tested[HALF_WITHIN, feature], tested[HALF_BETWEEN, feature], tested[RATIO, feature])


@helper
def smallest_p(node: Node, alpha: float) -> Ranking:
    """`SmallestP`: p of F tests and of χ² tests; where none is significant, of Levene's tests if one of these is."""
    numeric, nominal, tables, starts = varying(
        node.features, node.symbols, node.classes, node.weights, len(node.totals)
    )
    p, size = len(numeric), len(numeric) + len(nominal)
    features, scores, ties = np.empty(size, np.int32), np.empty(size), np.empty(size)
    numbers = taken(node.features, numeric)
    tested = of_variance(numbers, node)
    for i in range(p):
        features[i], scores[i], ties[i] = numeric[i], -log_p(tested, i), tested[F, i] / max(tested[DF, i], 1.0)
    for i in range(len(nominal)):
        feature = nominal[i]
        chi2, df = pearson(tables[starts[feature] : starts[feature] + node.symbols[feature]])
        features[p + i], scores[p + i] = feature, -log_chi_squared_tail(chi2, df)
        ties[p + i] = chi2 / max(df, 1.0)
    ranking, count, numeric_count = Ranking(features, scores, ties, VALUES), len(node.symbols), 0
    for feature in range(count):
        numeric_count += int(node.symbols[feature] == 0)
    if p == 0 or is_significant(ranking, alpha, count):
        return ranking
    means = np.ascontiguousarray(tested[OF_CLASSES:].T)
    spread = of_variance(distances(numbers, means, node.classes), node)
    by_spread = Ranking(numeric, np.empty(p), spread[F].copy(), DISTANCES)
    for i in range(p):
        by_spread.scores[i] = -log_p(spread, i)
    return by_spread if is_significant(by_spread, alpha, count + numeric_count) else ranking


@helper
def is_significant(ranking: Ranking, alpha: float, tests: int) -> bool:
    """Whether the best feature is significant at a level, divided by the number of tests."""
    best = best_of(ranking, np.zeros(len(ranking.features), np.int32))
    return best >= 0 and -ranking.scores[best] < math.log(alpha / max(tests, 1))


@helper
def largest_f(node: Node, threshold: float) -> Ranking:
    """`LargestF`: F of values or of symbols' scores; where none is large, of their distances from the mean."""
    k = len(node.totals)
    numeric, nominal, tables, starts = varying(node.features, node.symbols, node.classes, node.weights, k)
    chosen, numbers = numbers_of(node.features, node.symbols, numeric, nominal, tables, starts)
    tame(numbers)
    tested = of_variance(numbers, node)
    enough = threshold * (1 - SAME)
    for i in range(len(chosen)):
        if tested[F, i] >= enough:
            return Ranking(chosen, tested[F].copy(), tested[BETWEEN].copy(), VALUES)
    means = np.empty((len(chosen), 1))
    means[:, 0] = tested[OVERALL]
    spread = of_variance(distances(numbers, means, np.zeros(len(node.classes), np.int32)), node)
    for i in range(len(chosen)):
        if spread[F, i] >= enough:
            return Ranking(chosen, spread[F].copy(), spread[BETWEEN].copy(), DISTANCES)
    return Ranking(chosen, tested[F].copy(), tested[BETWEEN].copy(), MEAN)


@helper
def permutation_test(node: Node, alpha: float, adjusts: bool) -> Ranking:
    """`PermutationTest` with the quadratic statistic and its limit distribution; significant features only."""
    k = len(node.totals)
    numeric, nominal, tables, starts = varying(node.features, node.symbols, node.classes, node.weights, k)
    p, size = len(numeric), len(numeric) + len(nominal)
    features, scores, ties = np.empty(size, np.int32), np.empty(size), np.empty(size)
    tests = 0
    _, by_feature = moments(taken(node.features, numeric), node.classes, node.weights, k)
    for i in range(size):
        if i < p:  # (W − 1) SSB / SST
            feature, weight, df = numeric[i], by_feature[2, i], max(by_feature[3, i] - 1, 0.0)
            between, total = by_feature[5, i], by_feature[5, i] + by_feature[6, i]
            statistic = (weight - 1) * between / total if total > 0 else 0.0
            df = df if total > 0 else 0.0
        else:  # (W − 1) / W of Pearson's χ²
            feature = nominal[i - p]
            table = tables[starts[feature] : starts[feature] + node.symbols[feature]]
            chi2, df = pearson(table)
            weight = sum_of(table.ravel(), 0, table.size)
            statistic = (weight - 1) / weight * chi2
        if df > 0 and weight > 1:
            features[tests], scores[tests] = feature, -log_chi_squared_tail(statistic, df)
            ties[tests] = statistic / max(df, 1.0)
            tests += 1
    kept, level = 0, math.log(alpha) + 1e-12
    for i in range(tests):
        if log_sidak(-scores[i], tests if adjusts else 1) <= level:
            features[kept], scores[kept], ties[kept] = features[i], scores[i], ties[i]
            kept += 1
    return Ranking(features[:kept], scores[:kept], ties[:kept], VALUES)


@helper
def by_quality(node: Node, settings: Floats, measure: int, context: Floats) -> Ranking:
    """`WholeFeatures`: what a measure says of Cal5's intervals of each feature."""
    found = qualities(
        measure, context, node.features, node.symbols, node.classes, node.weights, len(node.totals),
        settings[THRESHOLD], settings[ALPHA],
    )  # fmt: skip
    features = np.flatnonzero(~np.isnan(found)).astype(np.int32)
    return Ranking(features, found[features], np.zeros(len(features)), VALUES)
