"""How a feature that was chosen is split: what the splitters of whole features do, for growth in one call."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.alone import best_of_features
from intemi.machines.trees.kernels.axis import drawn, first_legal, known_rows, merged, occupied, two_means
from intemi.machines.trees.kernels.box_cox import fitted, inverse, transformed
from intemi.machines.trees.kernels.cells import fill_cells
from intemi.machines.trees.kernels.compiling import Bytes, helper
from intemi.machines.trees.kernels.confident import intervals, sets
from intemi.machines.trees.kernels.correspondence import scores_of
from intemi.machines.trees.kernels.discriminants import linear_intervals, quadratic_roots
from intemi.machines.trees.kernels.found import POSITION, QUALITY
from intemi.machines.trees.kernels.moments import exponents, moments, moments_of_one
from intemi.machines.trees.kernels.node import choose
from intemi.machines.trees.kernels.precision import ROUNDING, SAME
from intemi.machines.trees.kernels.rows import cut, mean, table_of
from intemi.machines.trees.kernels.selecting import DISTANCES, MEAN, Node
from intemi.machines.trees.kernels.settings import (
    ALPHA,
    BOX_COX,
    CUTTER,
    LEAST_BRANCH,
    LEAST_SHARE,
    THRESHOLD,
)
from intemi.machines.trees.kernels.sums import sum_of
from intemi.machines.trees.tree import DEVIATION, SYMBOLS, THRESHOLDS

QUADRATIC, LINEAR, BEST_CUT, INTERVALS = range(4)
"""Splitters of whole features: those of QUEST, of FACT and CRUISE, of CTree, and of Cal5."""
NO_SPLIT = -1


class Found(NamedTuple):
    """The split of a feature as a tree stores it."""

    kind: int
    """`NO_SPLIT` if there is none."""
    parameters: Floats
    closed: Bytes
    """Which children must be leaves; empty if none must."""
    quality: float


class Axis(NamedTuple):
    """The numbers of the known rows along which a feature is cut, in a unit that is a power of two."""

    numbers: Floats
    classes: Codes
    weights: Floats
    centre: float
    """What distances are measured from; NaN if it is the values that are cut."""
    scores: Floats
    """Of the symbols; empty if the feature is numeric."""
    exponent: int
    """Of the unit."""


@helper
def split(node: Node, feature: int, score: float, use: int, settings: Floats, measure: int, context: Floats) -> Found:
    """The split of a feature by the splitter that the settings name; `use` says what is to be cut."""
    if settings[CUTTER] == BEST_CUT:
        return best_cut(node, feature, settings, measure, context)
    if settings[CUTTER] == INTERVALS:
        return confident_split(node, feature, score, settings)
    axis = axis_of(node, feature, settings[CUTTER] == LINEAR and use == DISTANCES)
    if len(axis.numbers) == 0:
        return no_split()
    if settings[CUTTER] == QUADRATIC:
        return split_at(axis, quadratic_cut(axis, len(node.totals), settings[LEAST_BRANCH]), score)
    return split_at(axis, linear_cuts(axis, len(node.totals), use, settings[BOX_COX] > 0), score)


@helper
def no_split() -> Found:
    """Nothing."""
    return Found(NO_SPLIT, np.empty(0), np.empty(0, np.uint8), 0.0)


@helper
def axis_of(node: Node, feature: int, uses_distances: bool) -> Axis:
    """The axis of a feature; without numbers if nothing is known, or symbols say nothing about classes."""
    values, scores, symbols = node.features[feature].copy(), np.empty(0), node.symbols[feature]
    if symbols > 0:
        scores = scores_of(table_of(values, node.classes, node.weights, symbols, len(node.totals)))
        for row in range(len(values)):
            if values[row] >= 0:
                values[row] = scores[int(values[row])]
    numbers, classes, weights = known_rows(values, node.classes, node.weights)
    any_is_extreme, exponent = exponents(numbers.reshape(1, -1))
    for row in range(len(numbers) if any_is_extreme else 0):
        numbers[row] = math.ldexp(numbers[row], -exponent[0])
    centre = np.nan
    if uses_distances and len(numbers) > 0:
        centre = mean(numbers, weights)
        numbers = distances_from(numbers, centre)
    return Axis(numbers, classes, weights, centre, scores, exponent[0])


@helper
def distances_from(values: Floats, centre: float) -> Floats:
    """The distances from a centre; those that are equal but for rounding are equal."""
    greatest, found = 0.0, np.empty(len(values))
    for i in range(len(values)):
        found[i] = abs(values[i] - centre)
        if abs(values[i]) > greatest:
            greatest = abs(values[i])
    return merged(found, ROUNDING * greatest)


@helper
def split_at(axis: Axis, cuts: Floats, score: float) -> Found:
    """The split at cuts along an axis."""
    none, is_by_values = np.empty(0, np.uint8), np.isnan(axis.centre)
    if len(axis.scores) > 0:
        numbers = axis.scores if is_by_values else distances_from(axis.scores, axis.centre)
        return Found(SYMBOLS, cut(numbers, cuts).astype(np.float64), none, score)
    if axis.exponent != 0:
        for i in range(len(cuts)):
            cuts[i] = math.ldexp(cuts[i], axis.exponent)
        cuts = np.unique(cuts)  # of tiny numbers, several may become one
    if len(cuts) == 0 or not np.isfinite(cuts).all():
        return no_split()
    if is_by_values:
        return Found(THRESHOLDS, cuts, none, score)
    parameters = np.empty(1 + len(cuts))
    parameters[0] = math.ldexp(axis.centre, axis.exponent)
    parameters[1:] = cuts
    return Found(DEVIATION, parameters, none, score)


@helper
def linear_cuts(axis: Axis, k: int, use: int, box_cox: bool) -> Floats:
    """`LinearDiscriminants`: where normal distributions of one common variance meet."""
    if use == MEAN:
        return drawn(np.array([mean(axis.numbers, axis.weights)]), axis.numbers)
    numbers, power, shift = axis.numbers, np.nan, 0.0
    if box_cox and np.isnan(axis.centre):
        power, shift = fitted(numbers, axis.classes, axis.weights, False)
    if not np.isnan(power):
        numbers = transformed(numbers, power, shift)
    by_class, by_feature = moments(numbers.reshape(1, -1), axis.classes, axis.weights, k)
    free = by_feature[2, 0] - by_feature[3, 0]
    variance = by_feature[6, 0] / free if free > 0 else 0.0
    cuts, _ = linear_intervals(by_feature[0, 0] + by_class[1, 0], variance, by_class[0, 0])
    if not np.isnan(power):
        cuts = inverse(cuts, power, shift)
        cuts = cuts[~np.isnan(cuts)]
    return occupied(drawn(cuts, axis.numbers), axis.numbers)


@helper
def quadratic_cut(axis: Axis, k: int, min_branch: float) -> Floats:
    """`QuadraticDiscriminants` of two means: the first root of the discriminant that leaves enough on both sides, the
    middle between both means or the mean of all; nothing if none does."""
    numbers, none = axis.numbers.reshape(1, -1), np.empty(0)
    weights, means, _, reach = moments_of_one(numbers, axis.classes, axis.weights, k)
    present = np.flatnonzero(weights)
    if len(present) < 2:
        return none
    lower = two_means(merged(means[present], SAME * reach), weights[present])
    is_second, second = np.ones(k, np.int32), np.empty(len(axis.numbers), np.int32)
    for i in range(len(present)):
        is_second[present[i]] = 1 - lower[i]
    for row in range(len(second)):
        second[row] = is_second[axis.classes[row]]
    weights, means, squares, _ = moments_of_one(numbers, second, axis.weights, 2)
    variance = squares[0] / (weights[0] - 1) if weights[0] > 1 else 0.0
    other_variance = squares[1] / (weights[1] - 1) if weights[1] > 1 else 0.0
    cuts = none
    if variance > 0 and other_variance > 0:
        cuts = quadratic_roots(means[0], means[1], variance, other_variance, weights[0], weights[1])
    elif variance != other_variance:
        cuts = beside_a_constant(axis.numbers, second, 0 if variance == 0 else 1, means)
    candidates = np.empty(len(cuts) + 2)
    candidates[: len(cuts)] = cuts
    candidates[-2], candidates[-1] = (means[0] + means[1]) / 2, mean(axis.numbers, axis.weights)
    candidates = drawn(candidates, axis.numbers)
    first = first_legal(candidates, axis.numbers, axis.weights, max(min_branch - 1e-9, 1e-9))
    return none if first < 0 else candidates[first : first + 1].copy()


@helper
def beside_a_constant(numbers: Floats, second: Codes, constant: int, means: Floats) -> Floats:
    """Cuts halfway between the one value of a superclass and the nearest ones of the other, on both sides of it."""
    value, above, below = np.nan, np.inf, -np.inf
    for row in range(len(numbers)):
        if second[row] == constant:
            value = numbers[row]
            break
    for row in range(len(numbers)):
        if second[row] != constant and numbers[row] > value:
            above = min(above, numbers[row])
        elif second[row] != constant and numbers[row] < value:
            below = max(below, numbers[row])
    cuts, count = np.empty(2), 0
    for side in (above, below) if means[1 - constant] >= value else (below, above):
        if np.isfinite(side):
            cuts[count] = (value + side) / 2
            count += 1
    return cuts[:count]


@helper
def best_cut(node: Node, feature: int, settings: Floats, measure: int, context: Floats) -> Found:
    """`BestCut`: the best of all splits in two, by a measure."""
    n, k = len(node.classes), len(node.totals)
    own = settings.copy()
    own[LEAST_BRANCH] = max(settings[LEAST_BRANCH], settings[LEAST_SHARE] * sum_of(node.totals, 0, k))
    values, only, symbols = node.features[feature], np.zeros(1, np.int32), np.empty(1, np.int32)
    symbols[0] = node.symbols[feature]
    order = np.argsort(values, kind="mergesort").astype(np.int32)
    layout, cells = np.ones(3, np.int64), np.empty((1, n), np.int64)
    while (1 << layout[1]) < n:
        layout[1] += 1
    while (1 << layout[0]) < k:
        layout[0] += 1
    layout[0] += layout[1]
    layout[2] = (1 << (63 - layout[0])) - 1
    rows, once = np.arange(n).astype(np.int32), np.ones(n, np.int32)
    fill_cells(
        values.reshape(1, -1), order.reshape(1, -1), only, rows, once, symbols, only, node.classes, layout, cells
    )
    branch, found = np.empty(max(2, symbols[0]), np.int32), np.empty((1, 5))
    best_of_features(
        measure, cells, layout, symbols, only, node.classes, node.weights, node.totals, own, np.nan, context, branch,
        found,
    )  # fmt: skip
    if choose(found, symbols, own, 0.0) < 0:
        return no_split()
    closed, quality = np.empty(0, np.uint8), found[0, QUALITY]
    if symbols[0] > 0:
        return Found(SYMBOLS, branch[: symbols[0]].astype(np.float64), closed, quality)
    position = int(found[0, POSITION])
    below, above = values[order[position - 1]], values[order[position]]
    middle = below + (above - below) / 2
    return Found(THRESHOLDS, np.array([below if middle >= above else middle]), closed, quality)


@helper
def confident_split(node: Node, feature: int, score: float, settings: Floats) -> Found:
    """`ConfidentIntervals`: intervals, or sets of symbols, that are sure of a class or of none."""
    values, k, symbols = node.features[feature], len(node.totals), node.symbols[feature]
    if symbols > 0:
        branches, closed = sets(values, symbols, node.classes, node.weights, k, settings[THRESHOLD], settings[ALPHA])
        return Found(SYMBOLS, branches.astype(np.float64), closed, score)
    cuts, closed = intervals(values, node.classes, node.weights, k, settings[THRESHOLD], settings[ALPHA])
    return Found(THRESHOLDS, cuts, closed, score)
