"""The Bayesian signed-rank test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.analysis.pairing import PairedComparison
from intemi.analysis.samples import PRECISION, Floats, refuse_mixed_folds, settled
from intemi.analysis.transformation import one_row
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series

BATCH = 5000


@dataclass(frozen=True, repr=False, kw_only=True)
class BayesianSignedRank(PairedComparison):
    """How probable is it that one machine is higher than another on the next data set, or that they are equivalent?

    The signed-rank test of Benavoli et al. (2014, 2017), a Dirichlet process over the differences of paired items, with
    a pseudo-difference of 0 and weight `prior`. Machines that differ by less than `rope` are practically equivalent; a
    difference of exactly `rope`, but for rounding, counts half. Outcomes with equal shares of a sample share it.
    The posterior is sampled: the same `seed` gives the same probabilities, now and with any version of numpy.

    >>> data = list("abcdefgh")
    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.9, 0.7, 0.8, 0.7, 0.6, 0.9], "data": data})
    >>> svm = Series({"Accuracy": [0.8, 0.75, 0.8, 0.6, 0.8, 0.6, 0.5, 0.8], "data": data})
    >>> found = BayesianSignedRank(samples=1000)(knn, svm).row(0)
    >>> found["first higher"], found["equivalent"], found["second higher"]
    (0.998, 0.002, 0.0)
    """

    rope: float = 0.01
    samples: int = 50_000
    prior: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for option, allowed in (("rope", self.rope >= 0), ("samples", self.samples >= 1), ("prior", self.prior > 0)):
            if not allowed:
                least = {"rope": "at least 0", "samples": "at least 1", "prior": "above 0"}[option]
                given = getattr(self, option)
                raise ConfigurationError(f"BayesianSignedRank: {option} must be {least}, got {given!r}")

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        refuse_mixed_folds(self._refuse, self.over, pairs.first)
        a, b = pairs.values(self._refuse)
        scale = float(max(np.abs(a).max(), np.abs(b).max(), self.rope))
        higher, equivalent, lower = self._probabilities(a - b, scale)
        return one_row(
            "first higher",
            {
                "first higher": higher,
                "equivalent": equivalent,
                "second higher": lower,
                "mean difference": float(np.mean(a - b)),
                "n": len(a),
                "rope": self.rope,
                "paired by": pairs.told_by,
                "variant": f"Bayesian signed-rank test (Benavoli et al.), prior {self.prior:g} at 0, "
                f"{self.samples} samples, seed {self.seed}",
            },
        )

    def _probabilities(self, differences: Floats, scale: float) -> tuple[float, float, float]:
        """How often each of the three outcomes has the largest share in a sample of the posterior."""
        # The stream of RandomState is frozen for good; that of numpy's newer generators is not.
        random = np.random.RandomState(self.seed)
        weights = np.append(self.prior, np.ones(len(differences)))
        winners = np.zeros(3)
        for start in range(0, self.samples, BATCH):
            drawn = random.dirichlet(weights, min(BATCH, self.samples - start))
            found = shares(np.append(0.0, differences), drawn, self.rope, scale)
            is_largest = found >= found.max(axis=1, keepdims=True) - PRECISION
            winners += (is_largest / is_largest.sum(axis=1, keepdims=True)).sum(axis=0)
        higher, equivalent, lower = (float(count) / self.samples for count in winners)
        return higher, equivalent, lower


def shares(differences: Floats, drawn: Floats, rope: float, scale: float = 1.0) -> Floats:
    """For each sample of weights, how much of the mean of two differences is above, within and below the rope.

    What is exactly at its border, but for rounding of numbers as large as `scale`, counts half.

    >>> shares(np.array([0.0, 0.5]), np.array([[0.5, 0.5]]), rope=0.1)
    array([[0.75, 0.25, 0.  ]])
    """
    sums = differences[:, None] + differences[None, :]
    beyond = (settled(side - 2 * rope, scale) for side in (sums, -sums))
    above, below = (_quadratic(drawn, (np.sign(each) + 1) / 2) for each in beyond)
    return np.stack([above, 1 - above - below, below], axis=1)


def _quadratic(drawn: Floats, matrix: Floats) -> Floats:
    return np.asarray(np.sum((drawn @ matrix) * drawn, axis=1), dtype=np.float64)
