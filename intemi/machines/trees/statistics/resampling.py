"""Probabilities of association by resampling: how often classes that are dealt out anew are as associated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from intemi.machines.interfaces import Codes, Floats

_CELLS = 2_000_000
"""How large the arrays of classes that are dealt out may become."""


def log_p_by_resampling(
    features: Sequence[Floats],
    classes: Codes,
    times: int,
    rng: np.random.Generator,
    statistic: Literal["quadratic", "maximum"] = "quadratic",
) -> Floats:
    """The log p of each feature, (1 + those at least as associated) / (1 + times), never 0.

    A feature is a table of rows: one column of numbers, or an indicator for each of its categories. All features see
    the same permutations of the classes. The statistics are those of `permutation`, but for factors that permutations
    do not change.

    >>> classes = np.array([0, 0, 0, 1, 1, 1], np.int32)
    >>> tidy, mixed = np.arange(6.0)[:, None], np.array([[0.0], [3], [4], [1], [2], [5]])
    >>> found = log_p_by_resampling([tidy, mixed], classes, 999, np.random.default_rng(0))
    >>> np.exp(found).round(1)  # of 20 ways 2 are as tidy, and all as mixed
    array([0.1, 1. ])
    """
    present, places = np.unique(classes, return_inverse=True)
    codes = places.astype(np.int32)
    if len(present) < 2 or not features:
        return np.zeros(len(features))
    counts = np.bincount(codes).astype(np.float64)
    columns = np.concatenate([_scaled(each, statistic) for each in features], axis=1)
    starts = np.cumsum([0, *(each.shape[1] for each in features[:-1])])

    def statistics(dealt: Codes) -> Floats:
        """The statistic of each feature, a row for each time that classes are given."""
        sums = np.stack([(dealt == each).astype(np.float64) @ columns for each in range(len(counts))], axis=-1)
        if statistic == "quadratic":
            return np.asarray(np.add.reduceat((sums**2 / counts).sum(axis=-1), starts, axis=1))
        deviates = np.abs(sums) / np.sqrt(counts * (1 - counts / len(codes)))
        return np.asarray(np.maximum.reduceat(deviates.max(axis=-1), starts, axis=1))

    observed = statistics(codes[None])[0]
    reached = np.ones(len(features))
    block = max(1, _CELLS // (len(codes) + columns.shape[1] * len(counts)))
    for start in range(0, times, block):
        dealt = rng.permuted(np.tile(codes, (min(block, times - start), 1)), axis=1)
        reached += (statistics(dealt) >= observed * (1 - 1e-9)).sum(axis=0)
    return np.asarray(np.log(reached / (1 + times)))


def _scaled(feature: Floats, statistic: str) -> Floats:
    """Deviations from the mean, in units of their spread; for the quadratic form, indicators in those of Pearson."""
    deviations = feature - feature.mean(axis=0)
    are_indicators = feature.shape[1] > 1
    squares = feature.sum(axis=0) if are_indicators and statistic == "quadratic" else (deviations**2).sum(axis=0)
    return np.asarray(deviations / np.sqrt(np.where(squares > 0, squares, 1.0)))
