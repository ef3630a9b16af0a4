"""Weights, means and squares of features within classes, and the F tests that are made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    GIVEN_FLOATS_2D,
    Tuple,
    boolean,
    float64,
    helper,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.precision import ROUNDING
from intemi.machines.trees.kernels.sums import TINY, dot, product, sum_of

FLOATS_3D = float64[:, :, ::1]
LEAST, GREATEST = 1e-40, 1e40
"""Values beyond them are extreme: their squares may vanish or overflow."""


@helper
def moments(features: Floats, classes: Codes, weights: Floats, count: int) -> Any:
    """What `ClassMoments` holds, in two arrays: of classes (weights, shifts, squares), and of features (the others).

    To hand many arrays to Python would take longer than to compute them.
    """
    m, n = features.shape
    indicators, column = np.zeros((n, count)), np.empty(n)
    for row in range(n):
        column[row] = weights[row]
        indicators[row, classes[row]] = weights[row]
    known, numbers = np.ones((m, n)), np.empty((m, n))
    for i in range(m):
        for row in range(n):
            numbers[i, row] = features[i, row]
            if np.isnan(features[i, row]):
                known[i, row] = numbers[i, row] = 0.0
    in_class, center, reach = product(known, indicators), np.empty(m), np.zeros(m)
    for i in range(m):
        center[i] = dot(numbers[i], column) / max(sum_of(in_class[i], 0, count), TINY)
        for row in range(n):
            numbers[i, row] = numbers[i, row] - center[i] if known[i, row] > 0.0 else 0.0
            reach[i] = max(reach[i], abs(numbers[i, row]))
    shifts = product(numbers, indicators)
    for i in range(m):
        for c in range(count):
            shifts[i, c] = shifts[i, c] / in_class[i, c] if in_class[i, c] > 0.0 else 0.0
        for row in range(n):
            residual = numbers[i, row] - shifts[i, classes[row]] if known[i, row] > 0.0 else 0.0
            numbers[i, row] = residual * residual
    squares = product(numbers, indicators)
    by_class, by_feature = np.empty((3, m, count)), np.empty((7, m))
    by_class[0], by_class[1], by_class[2] = in_class, shifts, squares
    by_feature[0], by_feature[1] = center, reach
    weight, present, mean, between, within = by_feature[2:]
    terms = np.empty(count)
    for i in range(m):
        rounding = (ROUNDING * reach[i]) * (ROUNDING * reach[i])
        weight[i], present[i] = sum_of(in_class[i], 0, count), 0.0
        for c in range(count):
            present[i] += int(in_class[i, c] > 0.0)
            terms[c] = in_class[i, c] * shifts[i, c]
            if not squares[i, c] > in_class[i, c] * rounding:
                by_class[2, i, c] = 0.0
        shift = sum_of(terms, 0, count) / max(weight[i], TINY)
        mean[i] = center[i] + shift
        for c in range(count):
            distance = shifts[i, c] - shift
            terms[c] = in_class[i, c] * (distance * distance)
        between[i], within[i] = sum_of(terms, 0, count), sum_of(by_class[2, i], 0, count)
        if not between[i] > weight[i] * rounding:
            between[i] = 0.0
    return by_class, by_feature


@kernel(Tuple((FLOATS_3D, FLOATS_2D))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, int64), seconds=8)
def class_moments(features: Floats, classes: Codes, weights: Floats, count: int) -> Any:
    """The moments of features (a row each, NaN where missing) in `count` classes."""
    return moments(features, classes, weights, count)


@kernel(Tuple((FLOATS, FLOATS, FLOATS, float64))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, int64))
def moments_of_one(features: Floats, classes: Codes, weights: Floats, count: int) -> Any:
    """Of one feature the weights, means and squares of classes, and its reach."""
    by_class, by_feature = moments(features, classes, weights, count)
    return by_class[0, 0], by_feature[0, 0] + by_class[1, 0], by_class[2, 0], by_feature[1, 0]


@kernel(FLOATS_2D(FLOATS, FLOATS, FLOATS, FLOATS))
def f_tests(weight: Floats, present: Floats, between: Floats, within: Floats) -> Floats:
    """F, its degrees of freedom, and what its tail is computed from: half of the degrees of freedom within and between
    classes, and the ratio of the squares, which is 0 where there is no test. Each is a row."""
    m = len(weight)
    found = np.zeros((5, m))
    f, df, a, b, ratio = found
    for i in range(m):
        a[i] = b[i] = 0.5
        df[i], df_within = present[i] - 1, weight[i] - present[i]
        of_classes, of_rows = between[i] / max(df[i], 1.0), within[i]
        if df[i] > 0 and df_within > 0:
            of_rows /= df_within
        else:
            of_classes = 0.0
        if of_rows > 0:
            f[i] = of_classes / of_rows
        elif of_classes > 0:
            f[i] = np.inf
        if df[i] > 0 and df_within > 0:
            a[i], b[i] = df_within / 2, df[i] / 2
            ratio[i] = b[i] * f[i] / a[i]
    return found


@kernel(FLOATS_2D(GIVEN_FLOATS_2D, GIVEN_FLOATS_2D, GIVEN_CODES))
def distances(features: Floats, means: Floats, which: Codes) -> Floats:
    """Distances of values from means, of which `which` says the one for each row; equal ones are equal in spite of
    rounding, since they are multiples of what is larger than that."""
    m, n = features.shape
    found = np.empty((m, n))
    for i in range(m):
        greatest = 0.0
        for row in range(n):
            if abs(features[i, row]) > greatest:
                greatest = abs(features[i, row])
        unit = math.ldexp(1.0, math.frexp(ROUNDING * greatest)[1])
        for row in range(n):
            found[i, row] = np.rint(abs(features[i, row] - means[i, which[row]]) / unit) * unit
    return found


@kernel(Tuple((boolean, CODES))(GIVEN_FLOATS_2D))
def exponents(features: Floats) -> Any:
    """Whether any feature is extreme, and the exponents of those that are; 0 of the others."""
    found, any_is = np.zeros(len(features), np.int32), False
    for i in range(len(features)):
        greatest = 0.0
        for row in range(features.shape[1]):
            if abs(features[i, row]) > greatest:
                greatest = abs(features[i, row])
        if greatest > GREATEST or 0 < greatest < LEAST:
            found[i], any_is = math.frexp(greatest)[1], True
    return any_is, found
