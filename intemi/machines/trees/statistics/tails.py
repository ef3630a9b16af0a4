"""Upper tails of distributions as logarithms, so that very strong features stay comparable."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels


def log_p_chi_squared(statistic: Floats | float, df: Floats | float) -> Floats:
    """The logarithm of the probability of a χ² at least as large; 0 without a degree of freedom.

    >>> float(log_p_chi_squared(3000, 4).round(6))
    -1492.686113
    """
    chi2, degrees = _together(statistic, df)
    return kernels.tails.log_chi_squared_tails(chi2.ravel(), degrees.ravel()).reshape(chi2.shape)


def log_p_f(statistic: Floats | float, df: Floats | float, df_within: Floats | float) -> Floats:
    """The logarithm of the probability of an F at least as large; 0 without a degree of freedom.

    >>> log_p_f(np.array([18.5, 50000.0]), 2, np.array([6.0, 1470.0])).round(6)
    array([   -5.908322, -3112.358079])
    """
    f, upper, lower = _together(statistic, df, df_within)
    possible = (upper > 0) & (lower > 0)
    b, a = np.where(possible, upper, 1.0) / 2, np.where(possible, lower, 1.0) / 2
    return log_p_beta(a, b, np.where(possible, b * f / a, 0.0))


def log_p_beta(a: Floats, b: Floats, ratio: Floats) -> Floats:
    """ln I_x(a, b) where x = 1 / (1 + ratio): the tail of an F of 2b and 2a degrees of freedom, times b / a."""
    return kernels.tails.log_f_tails(a.ravel(), b.ravel(), ratio.ravel()).reshape(ratio.shape)


def _together(*values: Floats | float) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in values)))
