"""CrimCoord scores of symbols, and numbers for all features of a node that are made with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.axis import merged
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS_2D,
    Tuple,
    helper,
    kernel,
)
from intemi.machines.trees.kernels.precision import SAME
from intemi.machines.trees.kernels.sums import sum_of


@helper
def scores_of(table: Floats) -> Floats:
    """The score of each row of a table; NaN of those that are empty, and of all if they say nothing about classes."""
    scores = np.full(len(table), np.nan)
    rows, columns = np.flatnonzero(table.sum(axis=1) > 0), np.flatnonzero(table.sum(axis=0) > 0)
    s, k = len(rows), len(columns)
    if min(s, k) < 2:
        return scores
    found, of_rows, of_columns = np.empty((s, k)), np.empty(s), np.zeros(k)
    for i in range(s):
        for j in range(k):
            found[i, j] = table[rows[i], columns[j]]
    weight = sum_of(found.ravel(), 0, s * k)
    for i in range(s):
        for j in range(k):
            found[i, j] /= weight
            of_columns[j] += found[i, j]
        of_rows[i] = sum_of(found[i], 0, k)
    for i in range(s):
        for j in range(k):
            expected = of_rows[i] * of_columns[j]
            found[i, j] = (found[i, j] - expected) / np.sqrt(expected)
    axes, lengths, _ = np.linalg.svd(found, False)
    if lengths[0] < 1e-10:
        return scores
    # Several axes may be as long; of all directions between them that one is taken in which a category scores highest,
    # the first of those that do, but for rounding. With one axis, this says which way it points.
    count = 1
    while count < len(lengths) and lengths[count] >= lengths[0] * (1 - 1e-9):
        count += 1
    longest, reached = np.empty((s, count)), np.empty(s)
    for i in range(s):
        length = 0.0
        for j in range(count):
            longest[i, j] = axes[i, j]
            length += axes[i, j] * axes[i, j]
        reached[i] = np.sqrt(length) / np.sqrt(of_rows[i])
    first = 0
    while reached[first] < reached.max() * (1 - 1e-9):
        first += 1
    along = longest[first].copy()
    direction = np.dot(longest, along) / np.sqrt(np.dot(along, along))
    scores[rows] = merged(direction / np.sqrt(of_rows), SAME * reached[first])
    return scores


@kernel(FLOATS(GIVEN_FLOATS_2D))
def crimcoord(table: Floats) -> Floats:
    """The scores of the symbols of one feature."""
    scores: Floats = scores_of(table)
    return scores


@kernel(Tuple((CODES, FLOATS_2D))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS_2D, GIVEN_CODES))
def numbers_of(features: Floats, symbols: Codes, numeric: Codes, nominal: Codes, tables: Floats, starts: Codes) -> Any:
    """Of these features those that have numbers, or scores for their symbols, and the numbers of all rows.

    Tables of nominal features are one below the other, from `starts` on.
    """
    n, chosen, scores = features.shape[1], np.zeros(len(symbols), np.uint8), np.empty(len(tables))
    for feature in numeric:
        chosen[feature] = 1
    for feature in nominal:
        start, end = starts[feature], starts[feature] + symbols[feature]
        scores[start:end] = scores_of(tables[start:end])
        chosen[feature] = not np.isnan(scores[start:end]).all()
    found = np.flatnonzero(chosen).astype(np.int32)
    numbers = np.empty((len(found), n))
    for i in range(len(found)):
        values, start = features[found[i]], starts[found[i]]
        for row in range(n):
            numbers[i, row] = values[row]
            if symbols[found[i]] > 0 and values[row] >= 0:
                numbers[i, row] = scores[start + int(values[row])]
    return found, numbers
