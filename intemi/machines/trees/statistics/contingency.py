"""Tables of categories by classes, and tests of independence on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels

SAME = 1e-8
"""Logarithms of probabilities that differ by less are those of equally likely tables."""


def without_empty(table: Floats) -> Floats:
    """The table without rows and columns that hold nothing."""
    return table[np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)]


def pearson(table: Floats) -> tuple[float, int]:
    """Pearson's χ² of a table and its degrees of freedom; empty rows and columns do not count.

    >>> chi2, df = pearson(np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]))
    >>> round(chi2, 6), df
    (3.546667, 2)
    """
    starts, counts = np.zeros(1, dtype=np.int32), np.full(1, len(table), dtype=np.int32)
    [chi2], [df] = pearson_of_parts(table, starts, counts)
    return float(chi2), int(df)


def pearson_of_parts(tables: Floats, starts: Codes, counts: Codes) -> tuple[Floats, Floats]:
    """The same of tables that are one below the other: of so many rows from these on."""
    chi2, df = kernels.contingency.pearson_of_parts(np.ascontiguousarray(tables), starts, counts)
    return chi2, df


def pearson_of_each(tables: Floats) -> tuple[Floats, Floats]:
    """Pearson's χ² and the degrees of freedom of many tables of one size, whose rows and columns are the last two axes.

    Those of CRUISE 2D have their axes in another order in memory, and numpy adds in that order.
    """
    of_rows, of_columns = tables.sum(axis=-1), tables.sum(axis=-2)
    total = np.maximum(of_rows.sum(axis=-1), np.finfo(float).tiny)
    expected = of_rows[..., :, None] * of_columns[..., None, :] / total[..., None, None]
    cells = np.divide((tables - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    chi2 = cells.sum(axis=(-2, -1))
    rows, columns = (of_rows > 0).sum(axis=-1), (of_columns > 0).sum(axis=-1)
    df = np.maximum(rows - 1.0, 0.0) * np.maximum(columns - 1.0, 0.0)
    return np.where(chi2 > 1e-20 * total, chi2, 0.0), df


def normal_deviates(chi2: Floats | float, df: Floats | float) -> Floats:
    """The z of the normal distribution that is as extreme as a χ², after Peizer and Pratt; −∞ for 0.

    Tables of different degrees of freedom are compared by it.

    >>> normal_deviates(np.array([10.0, 4.0, 0.0]), np.array([6.0, 1.0, 3.0])).round(6)
    array([1.156077, 2.      ,     -inf])
    """
    chi2, df = np.asarray(chi2, dtype=np.float64), np.asarray(df, dtype=np.float64)
    possible = (df > 0) & (chi2 > 0)
    lower = np.where(df > 1, df - 1, 1.0)
    q = chi2 - df + 1
    excess = np.where(possible, q / lower, 1.0)
    small = np.abs(excess) < 1e-4  # e − ln(1 + e) would cancel
    series = excess**2 * (1 / 2 - excess / 3 + excess**2 / 4)
    root = np.sqrt(lower * np.where(small, series, excess - np.log1p(np.where(small, 1.0, excess))))
    limit = -1 / (3 * np.sqrt(2 * lower))
    several = np.where(q == 0, limit, (q - 1 / 3) / np.where(q == 0, 1.0, np.abs(q)) * root)
    return np.where(possible, np.where(df == 1, np.sqrt(np.where(possible, chi2, 0.0)), several), -np.inf)


def fisher_exact(table: NDArray[np.int64] | list[list[int]]) -> float:
    """The two-sided p of a 2 × 2 table: the probability of all tables with its margins that are no more likely.

    >>> round(fisher_exact([[3, 1], [1, 3]]), 7)
    0.4857143
    """
    gammaln = library("scipy.special").gammaln

    (a, b), (c, d) = ([int(each) for each in row] for row in table)
    rows, columns, total = a + b, a + c, a + b + c + d
    least = max(0, rows + columns - total)
    first = np.arange(least, min(rows, columns) + 1, dtype=np.float64)
    cells = np.stack([first, rows - first, columns - first, total - rows - columns + first])
    log_p = -gammaln(cells + 1).sum(axis=0)
    log_p += gammaln(np.array([rows, total - rows, columns, total - columns]) + 1.0).sum() - gammaln(total + 1.0)
    return min(1.0, float(np.exp(log_p[log_p <= log_p[a - least] + SAME]).sum()))
