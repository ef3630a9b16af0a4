"""Tables of symbols by classes: those of all nominal features of a node at once, and Pearson's χ² of tables."""

from __future__ import annotations

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
    helper,
    int64,
    kernel,
)
from intemi.machines.trees.kernels.sums import TINY, sum_of


@kernel(Tuple((CODES, CODES, FLOATS_2D, CODES))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_FLOATS, int64))
def varying(features: Floats, symbols: Codes, classes: Codes, weights: Floats, k: int) -> Any:
    """The numeric and the nominal features that have different values, and the tables of all nominal ones.

    `symbols` are the numbers of categories, 0 of numeric features. Tables are one below the other: of each feature it
    is said where its table begins.
    """
    m = len(symbols)
    numeric, nominal, starts = np.empty(m, np.int32), np.empty(m, np.int32), np.zeros(m, np.int32)
    tables = np.zeros((symbols.sum(), k))
    numbers, sets, start = 0, 0, 0
    for feature in range(m):
        starts[feature] = start
        if symbols[feature] > 0:
            present = 0
            for row in range(len(classes)):
                value = features[feature, row]
                if value >= 0:
                    tables[start + int(value), classes[row]] += weights[row]
            for symbol in range(start, start + symbols[feature]):
                present += int(tables[symbol].sum() > 0)
            nominal[sets] = feature
            sets += int(present > 1)
            start += symbols[feature]
        else:
            first = np.nan
            for row in range(len(classes)):
                value = features[feature, row]
                if np.isnan(first):
                    first = value
                elif value != first and not np.isnan(value):
                    numeric[numbers] = feature
                    numbers += 1
                    break
    return numeric[:numbers].copy(), nominal[:sets].copy(), tables, starts


@helper
def pearson(table: Floats) -> Any:
    """χ² of a table, 0 if it is nothing but rounding errors, and its degrees of freedom."""
    s, k = table.shape
    of_rows, of_columns, cells = np.empty(s), np.zeros(k), np.zeros(s * k)
    rows, columns = 0, 0
    for i in range(s):
        of_rows[i] = sum_of(table[i], 0, k)
        rows += int(of_rows[i] > 0)
        for c in range(k):
            of_columns[c] += table[i, c]
    for c in range(k):
        columns += int(of_columns[c] > 0)
    weight = max(sum_of(of_rows, 0, s), TINY)
    for i in range(s):
        for c in range(k):
            expected = of_rows[i] * of_columns[c] / weight
            if expected > 0:
                deviation = table[i, c] - expected
                cells[i * k + c] = deviation * deviation / expected
    chi2 = sum_of(cells, 0, s * k)
    return chi2 if chi2 > 1e-20 * weight else 0.0, max(rows - 1.0, 0.0) * max(columns - 1.0, 0.0)


@kernel(Tuple((FLOATS, FLOATS))(GIVEN_FLOATS_2D, GIVEN_CODES, GIVEN_CODES))
def pearson_of_parts(tables: Floats, starts: Codes, counts: Codes) -> Any:
    """χ² and the degrees of freedom of tables that are some rows of one: so many from these on."""
    chi2, df = np.empty(len(starts)), np.empty(len(starts))
    for i in range(len(starts)):
        chi2[i], df[i] = pearson(tables[starts[i] : starts[i] + counts[i]])
    return chi2, df
