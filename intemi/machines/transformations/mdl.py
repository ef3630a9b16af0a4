"""MDL: the discretization of Fayyad and Irani (1993), which stops when a cut does not pay for its description."""

from __future__ import annotations

import math

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.transformations.discretization import DiscretizationStrategy


class MDL(DiscretizationStrategy):
    """Cut where the entropy of the classes falls most, as long as the minimum description length principle agrees.

    A cut of N rows S into S₁ and S₂ is accepted if its information gain exceeds (log₂(N - 1) + Δ) / N, where
    Δ = log₂(3ᵏ - 2) - (k·H(S) - k₁·H(S₁) - k₂·H(S₂)) and k, k₁, k₂ are the numbers of classes that occur in them.
    """

    def thresholds(self, values: Floats, weights: Floats, classes: Codes | None) -> Floats:
        if classes is None:
            raise ConfigurationError("MDL: data without a target cannot be cut by it; EqualFrequency needs none")
        labelled = classes >= 0
        if not labelled.any():
            return np.empty(0)
        distinct, reached = _cumulated(values[labelled], weights[labelled], classes[labelled])
        found = []
        pending = [(0, len(distinct))]
        while pending:
            first, end = pending.pop()
            cut = _best_cut(reached[first : end + 1])
            if cut:
                middle = distinct[first + cut - 1] / 2 + distinct[first + cut] / 2
                found.append(middle if middle > distinct[first + cut - 1] else distinct[first + cut])
                pending += [(first, first + cut), (first + cut, end)]
        return np.sort(np.array(found))


def _cumulated(values: Floats, weights: Floats, classes: Codes) -> tuple[Floats, Floats]:
    """The distinct values, and how many rows of each class (columns) are below each of them and below infinity."""
    distinct, place = np.unique(values, return_inverse=True)
    labels, label = np.unique(classes, return_inverse=True)
    counts = np.bincount(
        place * len(labels) + label,
        weights * (len(weights) / weights.sum()),
        minlength=len(distinct) * len(labels),
    ).reshape(len(distinct), len(labels))
    return distinct, np.vstack([np.zeros(len(labels)), counts.cumsum(axis=0)])


def _best_cut(reached: Floats) -> int:
    """Before which of the values to cut, 0 if it does not pay."""
    left = reached[1:-1] - reached[0]
    right = reached[-1] - reached[1:-1]
    whole = reached[-1] - reached[0]
    size = float(whole.sum())
    if not len(left) or size < 2:
        return 0
    entropy_left, entropy_right = _entropy(left), _entropy(right)
    remaining = (left.sum(axis=1) * entropy_left + right.sum(axis=1) * entropy_right) / size
    best = int(remaining.argmin())
    entropy = float(_entropy(whole[None])[0])
    many, many_left, many_right = (int((counts > 1e-9).sum()) for counts in (whole, left[best], right[best]))
    delta = math.log2(3**many - 2) - (
        many * entropy - many_left * float(entropy_left[best]) - many_right * float(entropy_right[best])
    )
    return best + 1 if entropy - float(remaining[best]) > (math.log2(size - 1) + delta) / size else 0


def _entropy(counts: Floats) -> Floats:
    """The entropy of each row of counts, in bits."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.clip(counts / np.where(totals > 0, totals, 1.0), 0.0, 1.0)
    entropy: Floats = -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    return entropy
