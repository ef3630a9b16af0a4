"""The classifier that learners of linear functions leave: a sum of features for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.classifiers.training import numbers_only
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Classifier, Floats


@storable
@dataclass(frozen=True, eq=False)
class LinearScores(Classifier):
    """Scores of classes, linear in the features, and how they become probabilities.

    `softmax`: their exponentials, divided by the sum; `clipped`: what is above 0, divided by the sum.
    """

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    coefficients: Floats
    """Classes × features; a class that was not seen has the offset -inf (softmax), or 0 everywhere."""
    offsets: Floats
    link: Literal["softmax", "clipped"]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_floats(self.coefficients, len(self.labels), len(self.columns))
        expect_floats(self.offsets, len(self.labels))
        expect(self.link in ("softmax", "clipped"), "scores become probabilities")

    def _probabilities(self, data: Data) -> Floats:
        scores = numbers_only("LinearScores", data) @ self.coefficients.T + self.offsets
        if self.link == "softmax":
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        else:
            shares = np.clip(scores, 0.0, None)
            shares[shares.sum(axis=1) <= 0] = 1.0
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
