"""What splits that no kernel has found are worth: the same numbers as those of an exhaustive search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import FilteredGainRatio

if TYPE_CHECKING:
    from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch

SLACK = 1e-9
"""Sums of fractional weights that miss a bound by less than this reach it, as they do in the kernels."""
LEAST_INFORMATION = 1e-3
"""Branches that tell less by themselves have no gain ratio."""


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of some splits of a feature."""

    gains: Floats
    """They differ from the qualities in C4.5's choice only, which looks at both."""
    qualities: Floats
    tie: float
    """What decides between the last split and others of its quality."""


def scores_of(search: ExhaustiveSearch, data: NodeData, tables: Floats, cuts: int = 1) -> Scores:
    """What splits of a node are worth to a search, each a table of the class weights of its branches.

    All are splits of one feature, so they know the same rows; C4.5 takes into account how many `cuts` were possible.
    """
    from intemi.machines.trees.kernels.evaluate import evaluate
    from intemi.machines.trees.kernels.found import TIE
    from intemi.machines.trees.kernels.symbols import UNKNOWN

    known = float(tables[0].sum())
    unknown = max(0.0, data.weight - known)
    context = search.quality.context()
    context[UNKNOWN] = unknown
    of_present = np.ascontiguousarray(tables[:, :, data.class_weights > 0])
    gains = evaluate(search.quality.address, of_present, context)
    if search.scale:
        gains = gains * ((data.weight - unknown) / data.weight)
    if not isinstance(search.quality, FilteredGainRatio):
        return Scores(gains, gains, float(context[TIE]))
    if search.quality.mdl:
        gains = gains - np.log2(cuts) / data.weight
    information = split_information(tables.sum(axis=2), unknown)
    ratios = gains / np.maximum(information, LEAST_INFORMATION)
    return Scores(gains, np.where(information > LEAST_INFORMATION, ratios, -np.inf), float(context[TIE]))


def split_information(weights: Floats, unknown: float) -> Floats:
    """The entropy of branches, a row of weights for each split; rows whose value is missing are one more part.

    >>> split_information(np.array([[4.0, 4.0], [8.0, 0.0]]), unknown=8.0).tolist()
    [1.5, 1.0]
    """
    total = weights.sum(axis=1) + unknown
    return np.asarray(np.log2(total) - (xlogx(weights).sum(axis=1) + xlogx(unknown)) / total)


def xlogx(values: Any) -> Floats:
    """Each value times its logarithm to base 2; 0 for 0."""
    xlogy = library("scipy.special").xlogy

    return np.asarray(xlogy(values, values) / np.log(2))
